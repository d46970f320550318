"""What the cells of a table of text are: numbers, dates, times, or missing."""
