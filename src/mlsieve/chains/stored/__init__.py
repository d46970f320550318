"""What the methods have learned as arrays of files, which are checked where they are read."""
