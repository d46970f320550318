"""What the Snakefile does besides naming rules."""
