"""Commands on a study's tables."""
