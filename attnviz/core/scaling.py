"""Why scores are divided by √d_k: how dot products spread, and what that does to softmax."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, as_float64, check_weights, one_number, whole_number
from attnviz.core.entropy import entropy
from attnviz.core.jacobian import softmax_jacobian
from attnviz.core.softmax import softmax
from attnviz.core.steps import freeze
from attnviz.core.weigh import weigh

#: How many normal numbers are held at once: 2 MB. attnviz's own choice; no result depends on it.
_CHUNK = 2**18

#: Scores beyond this could overflow when they are squared. attnviz's own choice.
_MOST = 1e100


@dataclass(frozen=True, eq=False)
class ScoreSpread:
    """A histogram of scores over a range that is symmetric around 0.

    Attributes
    ----------
    centres : ndarray, shape (bins,)
        The middle of each bin, ascending; the middle one is 0 when the number of bins is odd.
    density : ndarray, shape (bins,)
        Share of the counted scores per unit of score, so that density.sum() * width is 1. All 0
        when no score lies within the range.
    width : float
        The width of every bin.
    outside : int
        How many scores lie beyond the range and are not counted.
    """

    centres: Array
    density: Array
    width: float
    outside: int

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def limit(self) -> float:
        """The range is from -limit to limit."""
        return float(self.centres[-1]) + self.width / 2


@dataclass(frozen=True, eq=False)
class OverDraws:
    """One quantity for each d_k: its mean and standard deviation over the draws.

    Attributes
    ----------
    mean : ndarray, shape (n_d_ks,)
        The mean over the draws.
    deviation : ndarray, shape (n_d_ks,)
        The standard deviation of these draws around that mean (divided by their number, so it is
        0 for one draw).
    """

    mean: Array
    deviation: Array

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class Study:
    """What softmax makes of random scores, for each d_k.

    Attributes
    ----------
    d_ks : tuple of int
        Lengths of query and keys, in the order they were asked for.
    largest : OverDraws
        The largest weight, from 1/n_k to 1.
    entropy : OverDraws
        Entropy of the weights in nats, from 0 to ln n_k.
    jacobian_norm : OverDraws
        Frobenius norm of the softmax Jacobian, from 0 (nothing can be learnt through it) to 1/2.
    """

    d_ks: tuple[int, ...]
    largest: OverDraws
    entropy: OverDraws
    jacobian_norm: OverDraws


def draw_scores(d_k: int, n_k: int, draws: int, seed: int) -> Array:
    r"""Return dot products of random queries with random keys, before any scaling.

    Every entry of a query and of a key is normal with mean 0 and variance 1, all independent. So
    every score has mean 0 and variance d_k.

    Parameters
    ----------
    d_k : int
        Length of the query and of each key, at least 1.
    n_k : int
        Number of keys of each draw, at least 1.
    draws : int
        Number of draws, at least 1; each has a query and keys of its own.
    seed : int
        At least 0. The generator is ``np.random.default_rng([seed, d_k])``, so two d_k share no
        number. The first draws are the same however many follow.

    Returns
    -------
    ndarray of float64, shape (draws, n_k)
        Row i holds the scores of draw i.

    Raises
    ------
    ValueError
        If an argument isn't a whole number within its limits.

    Notes
    -----
    .. math:: s_j = \sum_{i=1}^{d_k} q_i k_{ji}, \quad
        \mathrm{Var}(s_j) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_{ji}) = d_k

    Vaswani et al. (2017), "Attention is all you need", section 3.2.1, footnote 4.

    Examples
    --------
    >>> scores = draw_scores(64, 16, 500, seed=0)
    >>> scores.shape
    (500, 16)
    >>> 60 < variance(scores) < 68
    True
    """
    d_k = whole_number(d_k, "d_k", 1)
    n_k = whole_number(n_k, "n_k", 1)
    draws = whole_number(draws, "draws", 1)
    rng = np.random.default_rng([whole_number(seed, "seed", 0), d_k])
    scores = np.empty((draws, n_k))
    at_once = max(1, _CHUNK // ((n_k + 1) * d_k))
    for start in range(0, draws, at_once):
        count = min(at_once, draws - start)
        vectors = rng.standard_normal((count, n_k + 1, d_k))  # the query, then its keys
        query, keys = vectors[:, 0], vectors[:, 1:]
        scores[start : start + count] = np.einsum("cd,cnd->cn", query, keys)
    return scores


def variance(scores: ArrayLike) -> float:
    r"""Return the variance of all scores around their own mean.

    Parameters
    ----------
    scores : array_like of real numbers, any shape with at least one entry
        Finite scores, none beyond ±1e100.

    Returns
    -------
    float
        At least 0; divided by the number of scores, so 0 for one score.

    Raises
    ------
    ValueError
        If scores is empty or holds NaN, an infinity or a number beyond ±1e100.

    Notes
    -----
    .. math:: \frac{1}{n} \sum_j (s_j - \bar s)^2

    Examples
    --------
    >>> variance([1, 3])
    1.0
    """
    with np.errstate(under="ignore"):
        return float(_finite_scores(scores).var())


def score_histogram(
    scores: ArrayLike, bins: int = 41, *, limit: float | None = None
) -> ScoreSpread:
    r"""Return how the scores spread, as a density that can be laid under `normal_density`.

    Parameters
    ----------
    scores : array_like of real numbers, any shape with at least one entry
        Finite scores, none beyond ±1e100.
    bins : int
        Number of bins of equal width, at least 1.
    limit : float, optional
        The range is from -limit to limit; from 1e-100 to 1e100. Scores beyond it are left out,
        and the density integrates to 1 over those that are left. Without it the range reaches to
        the largest absolute score, so nothing is left out (to 1 when every score is about 0).

    Returns
    -------
    ScoreSpread
        Centres, density, the width of a bin, and how many scores were left out.

    Raises
    ------
    ValueError
        If scores is empty or holds NaN, an infinity or a number beyond ±1e100, or if bins or
        limit isn't within its limits.

    Notes
    -----
    .. math:: \mathrm{density}_b = \frac{n_b}{\mathrm{width} \sum_c n_c}

    Examples
    --------
    >>> spread = score_histogram([-2, 0, 0, 2], bins=3, limit=3)
    >>> spread.centres
    array([-2.,  0.,  2.])
    >>> spread.density
    array([0.125, 0.25 , 0.125])
    """
    values = _finite_scores(scores).ravel()
    bins = whole_number(bins, "bins", 1)
    if limit is None:
        top = float(np.abs(values).max())
        limit = top if top > 1 / _MOST else 1.0
    limit = one_number(limit, "limit")
    if not 1 / _MOST <= limit <= _MOST:
        raise ValueError(f"limit must be from {1 / _MOST:g} to {_MOST:g}; got {limit}")
    counts, _ = np.histogram(values, bins, range=(-limit, limit))
    inside = int(counts.sum())
    width = 2 * limit / bins
    return ScoreSpread(
        centres=(np.arange(bins) - (bins - 1) / 2) * width,
        density=counts / (max(inside, 1) * width),
        width=width,
        outside=values.size - inside,
    )


def normal_density(x: ArrayLike, variance: float) -> Array:
    r"""Return the density of the normal distribution with mean 0.

    Parameters
    ----------
    x : array_like of real numbers, any shape with at least one axis
        Where to look. Infinity gives 0 and NaN gives NaN.
    variance : float
        Above 0: d_k for scores as they are, 1 for scores divided by √d_k.

    Returns
    -------
    ndarray of float64, shape of x
        At least 0. It integrates to 1 over the whole line, so to less over a histogram's range.

    Raises
    ------
    ValueError
        If x isn't real numbers, or variance isn't a finite number above 0.

    Notes
    -----
    .. math:: \frac{1}{\sqrt{2 \pi \sigma^2}} \, e^{-x^2 / 2 \sigma^2}

    Examples
    --------
    >>> normal_density([-1, 0, 1], 1).round(4)
    array([0.242 , 0.3989, 0.242 ])
    """
    variance = one_number(variance, "variance")
    if variance <= 0:
        raise ValueError(f"variance must be above 0; got {variance}")
    deviation = math.sqrt(variance)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.exp(-0.5 * (as_float64(x, "x") / deviation) ** 2) / (
            math.sqrt(2 * math.pi) * deviation
        )


def focus(scores: ArrayLike) -> tuple[float, float]:
    """Return how focused softmax is on drawn scores: two means over the draws.

    Parameters
    ----------
    scores : array_like, shape (draws, n_k)

    Returns
    -------
    (float, float)
        The mean of the largest weight, and of the entropy in nats.

    Examples
    --------
    >>> focus([[0, 0], [0, 0]])
    (0.5, 0.6931471805599453)
    """
    weights = softmax(scores)
    return float(weights.max(axis=-1).mean()), float(np.mean(entropy(weights)))


def normal_curve(limit: float, variance: float, points: int = 161) -> tuple[Array, Array]:
    """Return the normal density over a range around 0, to be drawn as a line.

    Parameters
    ----------
    limit : float
        The range is from -limit to limit.
    variance : float
        Above 0.
    points : int

    Returns
    -------
    (ndarray, ndarray), each of shape (points,)
        The places and the density there.

    Examples
    --------
    >>> x, y = normal_curve(3, 1, points=3)
    >>> x, y.round(4)
    (array([-3.,  0.,  3.]), array([0.0044, 0.3989, 0.0044]))
    """
    x = np.linspace(-limit, limit, points)
    return x, np.asarray(normal_density(x, variance))


def scale_scores(scores: ArrayLike, d_k: int) -> Array:
    """Divide dot products by the square root of d_k.

    Parameters
    ----------
    scores : array_like of real numbers
    d_k : int
        At least 1.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> scale_scores([8, 0], 16)
    array([2., 0.])
    """
    return as_float64(scores, "scores") / math.sqrt(whole_number(d_k, "d_k", 1))


@dataclass(frozen=True, eq=False)
class OneDraw:
    """One query of the draws, without the scale (index 0) and with it (index 1).

    Attributes
    ----------
    scores : ndarray, shape (n_k,)
        The dot products.
    weights : ndarray, shape (2, n_k)
    slopes : ndarray, shape (2, n_k)
        w (1 - w): how much each scaled score moves its own weight.
    jacobians : ndarray, shape (2, n_k, n_k)
    """

    scores: Array
    weights: Array
    slopes: Array
    jacobians: Array

    def __post_init__(self) -> None:
        freeze(self)


def one_draw(scores: ArrayLike, d_k: int, at: int) -> OneDraw:
    """Return what softmax makes of one of the drawn queries.

    Parameters
    ----------
    scores : array_like, shape (draws, n_k)
        From `draw_scores`.
    d_k : int
    at : int
        Which draw, from 0.

    Returns
    -------
    OneDraw

    Examples
    --------
    >>> one_draw([[8, 0]], 16, 0).weights.round(3)
    array([[1.   , 0.   ],
           [0.881, 0.119]])
    """
    row = as_float64(scores, "scores")[at]
    weights = np.stack([softmax(row), softmax(scale_scores(row, d_k))])
    slopes = np.stack([[gradient_at(w, j)[j] for j in range(row.size)] for w in weights])
    return OneDraw(row, weights, slopes, np.stack([softmax_jacobian(w) for w in weights]))


def study(d_ks: Sequence[int], n_k: int, draws: int, seed: int, *, scaled: bool) -> Study:
    r"""Return what softmax makes of random scores, for each d_k.

    Parameters
    ----------
    d_ks : sequence of int
        Lengths of query and keys, each at least 1.
    n_k, draws, seed
        As in `draw_scores`. The same seed gives the same queries and keys, scaled or not.
    scaled : bool
        Whether the scores are divided by √d_k before the softmax.

    Returns
    -------
    Study
        Largest weight, entropy and norm of the Jacobian, each with mean and standard deviation
        over the draws.

    Raises
    ------
    ValueError
        If d_ks is empty or an argument isn't a whole number within its limits.

    See Also
    --------
    study_steps : the same, one d_k after the other.

    Notes
    -----
    .. math:: w = \mathrm{softmax}(s / \sqrt{d_k}) \quad \text{or} \quad \mathrm{softmax}(s)

    Vaswani et al. (2017), "Attention is all you need", section 3.2.1.

    Examples
    --------
    >>> study([4, 256], 16, 100, seed=0, scaled=False).largest.mean.round(1)
    array([0.4, 0.9])
    >>> study([4, 256], 16, 100, seed=0, scaled=True).largest.mean.round(1)
    array([0.2, 0.3])
    """
    *_, last = study_steps(d_ks, n_k, draws, seed, scaled=scaled)
    return last


def study_steps(
    d_ks: Sequence[int], n_k: int, draws: int, seed: int, *, scaled: bool
) -> Iterator[Study]:
    """Yield the study after each d_k, so that progress can be shown and the rest be left.

    Parameters
    ----------
    d_ks, n_k, draws, seed, scaled
        As in `study`. They are checked at the call, before the first step.

    Yields
    ------
    Study
        After each d_k: the study of the d_ks so far. The last one is what `study` returns.

    Raises
    ------
    ValueError
        As in `study`.

    Examples
    --------
    >>> [part.d_ks for part in study_steps([1, 4, 16], 8, 10, seed=0, scaled=True)]
    [(1,), (1, 4), (1, 4, 16)]
    """
    lengths = tuple(whole_number(d_k, "each d_k", 1) for d_k in d_ks)
    if not lengths:
        raise ValueError("d_ks is empty; a study needs at least one d_k")
    n_k = whole_number(n_k, "n_k", 1)
    draws = whole_number(draws, "draws", 1)
    seed = whole_number(seed, "seed", 0)
    return _study_steps(lengths, n_k, draws, seed, bool(scaled))


def jacobian_norm(weights: ArrayLike) -> float | Array:
    r"""Return the Frobenius norm of the softmax Jacobian, without forming the matrix.

    How strongly a change of the scores can move the weights at all: 0 when one key has all the
    weight, at most 1/2 (two keys that share equally).

    Parameters
    ----------
    weights : array_like of real numbers, shape (..., n)
        Weights. Each row must sum to 1 within 0.01, as in `entropy`.

    Returns
    -------
    float, or ndarray of float64, shape (...)
        A float for one row. Right also where a weight is so near to 1 that 1 minus it is lost.

    Raises
    ------
    ValueError
        If weights holds NaN, infinity, an entry below -1e-9, or a sum that isn't 1.

    See Also
    --------
    softmax_jacobian : the matrix.

    Notes
    -----
    .. math:: \| \mathrm{diag}(w) - w w^\top \|_F^2
        = \sum_i w_i^2 (1 - w_i)^2 + \sum_{i \ne j} w_i^2 w_j^2

    Examples
    --------
    >>> jacobian_norm([0.5, 0.5])
    0.5
    >>> jacobian_norm([1, 0, 0])
    0.0
    """
    rows = as_float64(weights, "weights")
    check_weights(rows, -1)
    ordered = np.sort(rows, axis=-1)
    others, top = ordered[..., :-1], ordered[..., -1]  # (..., n - 1), (...)
    left = np.where(_exact(rows), others.sum(axis=-1), 1.0 - top)  # 1 - top
    # Everything is divided by the largest of what it is made of, so that no square underflows.
    scale = np.maximum(np.abs(left), np.abs(others).max(axis=-1, initial=0.0))
    scale = np.where(scale > 0, scale, 1.0)
    with np.errstate(under="ignore"):
        parts = others / scale[..., None]
        squares = (parts**2).sum(axis=-1)
        own = (top * (left / scale)) ** 2 + (parts**2 * (1.0 - others) ** 2).sum(axis=-1)
        among = scale**2 * np.maximum(0.0, squares**2 - (parts**4).sum(axis=-1))
        norm = scale * np.sqrt(own + 2 * top**2 * squares + among)
    return float(norm) if rows.ndim == 1 else norm


def gradient_at(weights: ArrayLike, at: int) -> Array:
    r"""Return how much each scaled score moves one weight: one column of the softmax Jacobian.

    Parameters
    ----------
    weights : array_like of real numbers, shape (n,)
        One row of weights that sums to 1 within 0.01.
    at : int
        Position of the weight that is moved, counted from 0.

    Returns
    -------
    ndarray of float64, shape (n,)
        Entry j is the change of weight ``at`` per change of score j: at most 1/4 and not negative
        for its own score, at least -1/4 and not positive for the others. They sum to 0. All about
        0 when the weight is nearly 0 or nearly 1: then no score moves it, and nothing is learnt.

    Raises
    ------
    ValueError
        If weights isn't one row of weights, or ``at`` isn't a position of it.

    Notes
    -----
    .. math:: \frac{\partial w_a}{\partial z_j} = w_a (\delta_{aj} - w_j)

    The Jacobian is symmetric, so this is its row too. Where the weights sum to 1 as float64 can
    tell, 1 - w_a is computed as the sum of the others, whose digits are not lost near 1.

    Examples
    --------
    >>> gradient_at([0.5, 0.25, 0.25], 0)
    array([ 0.25 , -0.125, -0.125])
    """
    row = as_float64(weights, "weights")
    if row.ndim != 1:
        raise ValueError(f"weights must be one row of numbers; got shape {row.shape}")
    check_weights(row, -1)
    at = whole_number(at, "at", 0, row.size - 1)
    left = np.delete(row, at).sum() if _exact(row) else 1.0 - row[at]
    with np.errstate(under="ignore"):
        moved = -row[at] * row
        moved[at] = row[at] * left
    return moved + 0.0  # -0.0 becomes 0.0


def _study_steps(
    d_ks: tuple[int, ...], n_k: int, draws: int, seed: int, scaled: bool
) -> Iterator[Study]:
    """Yield the study after each d_k; nothing is checked here."""
    found: list[tuple[Array, Array, Array]] = []
    for count, d_k in enumerate(d_ks, 1):
        scores = draw_scores(d_k, n_k, draws, seed)
        if scaled:
            scores /= math.sqrt(d_k)
        weights = weigh(scores, np.ones(scores.shape, dtype=bool), 1.0)[3]  # (draws, n_k)
        with np.errstate(under="ignore"):
            found.append((weights.max(axis=-1), entropy(weights), jacobian_norm(weights)))
        yield Study(d_ks[:count], *(_over_draws(values) for values in zip(*found, strict=True)))


def _over_draws(values: tuple[Array, ...]) -> OverDraws:
    """Return mean and standard deviation of each array of draws."""
    table = np.array(values)  # (n_d_ks, draws)
    with np.errstate(under="ignore"):
        return OverDraws(table.mean(axis=-1), table.std(axis=-1))


def _exact(weights: Array) -> Array:
    """Say which rows sum to 1 as float64 can tell, unlike weights that a person rounded."""
    return np.abs(weights.sum(axis=-1) - 1.0) < 1e-12


def _finite_scores(scores: ArrayLike) -> Array:
    """Return scores as float64; ValueError unless there are some and all can be squared."""
    values = as_float64(scores, "scores")
    if not values.size:
        raise ValueError(f"scores is empty (shape {values.shape}); it needs one entry")
    if not (np.abs(values) <= _MOST).all():
        raise ValueError(f"scores must be finite and within ±{_MOST:g}; one of them isn't")
    return values
