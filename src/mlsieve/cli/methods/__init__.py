"""Commands that rank and select."""
