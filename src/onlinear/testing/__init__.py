"""Checks that users and authors of learners can run: golden vectors and stream manners."""
