"""Growing trees from the root down, one tree after another."""
