"""Predictive clustering trees: coded features, growing, ensembles, scores."""
