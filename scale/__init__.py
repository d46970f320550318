"""What jobs need, measured and held against `mlsieve.costs`; the scale of the studies: docs/scale.md."""
