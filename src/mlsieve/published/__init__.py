"""Numbers and findings that the papers of the studies print.

`papers` reads the printed figures (`papers/*.yaml`, one file per paper), `finders` look the same figure up in
a study's tables, `conclusions` say whether both lead to the same conclusion, `cells` are the single values of
tables, and `rows` puts everything into published.csv, a row per printed figure.
"""

from mlsieve.published.papers import Figure, Paper, known_papers, paper_of

__all__ = ["Figure", "Paper", "known_papers", "paper_of"]
