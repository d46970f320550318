"""How findings are worded."""
