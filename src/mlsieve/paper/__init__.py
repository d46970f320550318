"""Text, tables and diagrams to paste into a paper, made from the tables of tests."""
