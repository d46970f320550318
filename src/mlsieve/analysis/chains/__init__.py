"""What the questions about chains of labels compute from a study's tables."""
