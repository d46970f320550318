"""Commands that the workflow of a study calls: `mlsieve step NAME`."""
