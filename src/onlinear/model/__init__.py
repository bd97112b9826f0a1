"""The model below every shell: labels, rows, learner, streams."""
