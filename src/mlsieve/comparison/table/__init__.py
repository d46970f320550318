"""Tables of results in any layout, read into one observation a row."""
