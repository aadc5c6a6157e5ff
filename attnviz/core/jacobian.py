"""How the weights answer to a small change of the scores."""

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, as_float64, check_weights


def softmax_jacobian(w: ArrayLike) -> Array:
    r"""Return the derivative of the weights with respect to their scaled scores.

    Parameters
    ----------
    w : array_like of real numbers, shape (..., n)
        Weights. Each row must sum to 1 within 0.01, as in `entropy`.

    Returns
    -------
    ndarray of float64, shape (..., n, n)
        Entry (i, j) is the change of weight i per change of scaled score j, from -1/4 to 1/4.
        Symmetric; every row sums to 0. With respect to scores before a scaling by beta it is
        beta times as large.

    Raises
    ------
    ValueError
        If w isn't weights: NaN, infinity, an entry below -1e-9, or a sum that isn't 1.

    Notes
    -----
    .. math:: \frac{\partial w_i}{\partial z_j} = w_i (\delta_{ij} - w_j)
        \quad \text{that is} \quad \mathrm{diag}(w) - w w^\top

    Bridle (1990), "Probabilistic interpretation of feedforward classification network outputs".

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5, 0])
    array([[ 0.25, -0.25,  0.  ],
           [-0.25,  0.25,  0.  ],
           [ 0.  ,  0.  ,  0.  ]])
    """
    weights = as_float64(w, "w")
    check_weights(weights, -1)
    diagonal = weights[..., :, None] * np.eye(weights.shape[-1])  # (..., n, n)
    return diagonal - weights[..., :, None] * weights[..., None, :] + 0.0
