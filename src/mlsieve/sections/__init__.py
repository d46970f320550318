"""The content of a report's sections: everything that is computed from a study's tables."""

from mlsieve.sections.content import sections_of

__all__ = ["sections_of"]
