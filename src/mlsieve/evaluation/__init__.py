"""What rankings are worth: predictions with their features, and the measures of these."""
