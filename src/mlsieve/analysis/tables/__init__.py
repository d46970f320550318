"""Tables that questions make for the report."""
