"""Files of MATLAB: the arrays in them, and those of features and labels."""
