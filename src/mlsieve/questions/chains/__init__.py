"""Questions about chains of labels."""
