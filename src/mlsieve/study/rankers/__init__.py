"""What a study says of its rankers."""
