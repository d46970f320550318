"""Questions about methods as they are, mostly selectors."""
