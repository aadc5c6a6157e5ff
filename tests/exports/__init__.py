"""Tests of what a person takes away."""
