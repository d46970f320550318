"""The questions that a study asks of its results, one file each: test, figure and section of the report."""
