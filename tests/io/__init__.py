"""Tests of `onlinear.io`."""
