"""Tests of the maths."""
