"""What the boosting learners share: their parameters, and data as the kernel reads them."""
