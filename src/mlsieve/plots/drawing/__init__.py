"""What figures share: style, panels, diagrams, labels."""
