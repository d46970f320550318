"""Predictive clustering trees: `grow`, `fast`, `split` and `node` grow them, `walk` reads them."""
