"""The temperature T, or its inverse β = 1/T, whichever the person typed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attnviz.state.fields import Field, quoted
from attnviz.state.numbers import NotNumbers, read_number

SLIDER_LOW, SLIDER_HIGH = 0.01, 100.0
MARKS = ("0.01", "0.1", "0.7", "1", "1.5", "10", "100")

_INFINITE = frozenset({"inf", "+inf", "infinity", "+infinity", "∞", "+∞"})


@dataclass(frozen=True)
class Temperature:
    """A temperature as it was typed.

    Attributes
    ----------
    name : {"T", "beta"}
        Which of the two was typed.
    text : str
        Its text, kept as typed: β = 3 stays 3 and never becomes T = 0.3333.

    Notes
    -----
    ``beta=inf`` is the limit T → 0, where the largest scores share all the weight, and
    ``beta=0`` the limit T → ∞, where every allowed key gets the same.
    """

    name: str = "T"
    text: str = "1"

    def __post_init__(self) -> None:
        """Refuse what is not a temperature."""
        if self.name not in ("T", "beta"):
            raise ValueError(f"a temperature is named T or beta, not {quoted(self.name)}")
        _value(self.name, self.text)

    @property
    def beta(self) -> float:
        """β = 1/T, from 0 to infinity; both ends are limits."""
        value = _value(self.name, self.text)
        return value if self.name == "beta" else _inverse(value)

    @property
    def T(self) -> float:
        """T = 1/β, from 0 to infinity; both ends are limits."""
        value = _value(self.name, self.text)
        return value if self.name == "T" else _inverse(value)

    @property
    def position(self) -> float:
        """log10 T, held within the ends of the slider."""
        ends = math.log10(SLIDER_LOW), math.log10(SLIDER_HIGH)
        if self.T <= 0 or math.isinf(self.T):
            return ends[0] if self.T <= 0 else ends[1]
        return min(max(math.log10(self.T), ends[0]), ends[1])


def _inverse(value: float) -> float:
    if value == 0:
        return math.inf
    return 0.0 if math.isinf(value) else 1.0 / value


def _value(name: str, text: str) -> float:
    shown = "T" if name == "T" else "β"
    if text.strip().lower() in _INFINITE:
        return math.inf
    try:
        value = read_number(text).value
    except NotNumbers as error:
        raise ValueError(
            f"{shown} must be a number {'above' if name == 'T' else 'from'} 0: {error}"
        ) from None
    if name == "T" and value == 0:
        raise ValueError("T must be above 0; for the limit T → 0 press “T → 0” (link: beta=inf)")
    if value < 0:
        least = "above 0" if name == "T" else "0 or more"
        raise ValueError(f"{shown} must be {least}; got {quoted(text)}")
    if value and not math.isfinite(1.0 / value):
        raise ValueError(f"{shown} = {text.strip()[:40]} is too close to 0 for float64")
    return value


def read_temperature(name: str, text: str) -> Temperature:
    """Read what was typed into the T box, the β box or a link.

    Parameters
    ----------
    name : {"T", "beta"}
    text : str
        A number above 0 in any spelling that `read_number` knows, ``inf``, or 0 for β.

    Returns
    -------
    Temperature

    Raises
    ------
    ValueError
        With a sentence, when the text is no such number.

    Examples
    --------
    >>> read_temperature("beta", "4").T
    0.25
    >>> read_temperature("T", "0,5").beta
    2.0
    """
    stripped = text.strip().lower()
    return Temperature(name, "inf" if stripped in _INFINITE else _spelling(name, text))


def _spelling(name: str, text: str) -> str:
    _value(name, text)
    return read_number(text).text


TEMPERATURE = Field(
    name="temperature",
    default=Temperature(),
    label="Temperature T",
    help=(
        "Scores are divided by T before the exponential. A small T sharpens, a large T flattens."
        " β is 1/T."
    ),
    reads={
        "T": lambda text: read_temperature("T", text),
        "beta": lambda text: read_temperature("beta", text),
    },
    write=lambda value: (value.name, value.text),
)
