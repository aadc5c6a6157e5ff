"""Tests of attnviz; the folders mirror the package."""
