"""scikit-learn's shells around a model, one file for a task."""
