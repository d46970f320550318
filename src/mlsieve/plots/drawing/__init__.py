"""Common parts of figures: style, panels, diagrams, labels."""
