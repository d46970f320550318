"""Tables that questions count for the report."""
