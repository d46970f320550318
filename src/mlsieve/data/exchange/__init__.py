"""Data as they come from people, what is said of them, and data in formats of other programs."""
