"""Tests of `onlinear.text`."""
