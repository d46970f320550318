"""The same tests in less time, where labels are many, values few, or all features tried in each node."""
