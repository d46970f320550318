"""The parts of one node: its label counts, its rows in the order of a feature, its entry in the tree."""
