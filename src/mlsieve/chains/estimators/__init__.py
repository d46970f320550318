"""What needs scikit-learn: the estimators, made of the learners of `mlsieve.chains`, and forests."""
