"""Rankings and selections of features, as objects and as files."""
