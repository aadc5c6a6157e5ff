"""One row and a matrix of rows, treated alike."""

import numpy as np


def as_matrix(array: np.ndarray) -> np.ndarray:
    """Return one row as a matrix of one row."""
    if array.ndim > 2:
        raise ValueError(f"steps must be of one row or a matrix; got shape {array.shape}")
    return np.atleast_2d(array)
