"""Relief: weights of features from near examples."""
