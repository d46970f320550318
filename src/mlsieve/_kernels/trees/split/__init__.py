"""The best or a random test of one feature in one node, on any data."""
