"""Questions about methods as they are, selectors above all."""
