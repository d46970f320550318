"""The configuration of a study: its JSON schema, the check of all its errors at once, merging of files."""

from mlsieve.configuration.check import configuration_errors, require_valid
from mlsieve.configuration.merge import load_configuration, merged
from mlsieve.configuration.schema import build_schema

__all__ = ["build_schema", "configuration_errors", "load_configuration", "merged", "require_valid"]
