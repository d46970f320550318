"""The study's long tables, each made from the files of its jobs."""
