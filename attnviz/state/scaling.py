"""What a person can set on the scaling page: width, keys, draws, seed."""

from __future__ import annotations

from dataclasses import dataclass, field

from attnviz.state.fields import Field, FieldError, choice, declared, plain
from attnviz.state.keyed import read_whole
from attnviz.state.softmax import VIEW

MAX_WIDTH = 1_024
MAX_KEYS = 64
MAX_DRAWS = 1_000
MAX_SEED = 9_999
PANELS = {
    "spread": "The spread of scores",
    "study": "Against d_k",
    "slope": "The slope of one draw",
    "export": "Take it away",
}
STUDIES = {"off": "Not yet", "on": "Drawn"}

D_K = plain("d_k", 64, "d_k", "The width of queries and keys.", read_whole(1, MAX_WIDTH))
N_K = plain("n_k", 16, "Keys", "How many keys a query sees.", read_whole(2, MAX_KEYS))
DRAWS = plain(
    "draws", 200, "Draws", "How many queries are drawn, each with keys of its own.",
    read_whole(1, MAX_DRAWS),
)  # fmt: skip
SEED = plain("seed", 0, "Seed", "The same seed draws the same numbers.", read_whole(0, MAX_SEED))
PICK = plain("pick", 0, "Draw", "Which draw is shown, from 0.", read_whole(0, MAX_DRAWS - 1))
STUDY = choice("study", STUDIES, "Study", "Whether all widths from 1 to 1,024 are drawn.")
PANEL = choice("panel", PANELS, "Look at", "The part of the page that is shown.")
_CHECKED: tuple[Field, ...] = (D_K, N_K, DRAWS, SEED, PICK, STUDY, PANEL, VIEW)


@dataclass(frozen=True)
class ScalingState:
    """One state of the scaling page; a state that exists is valid.

    Attributes
    ----------
    d_k, n_k, draws, seed : int
    pick : int
        The draw whose slope is asked for, from 0; `at` is the one there is.
    study : {"off", "on"}
    panel, view : str
    preset : str
        The preset it started from, or empty.
    """

    d_k: int = declared(D_K)
    n_k: int = declared(N_K)
    draws: int = declared(DRAWS)
    seed: int = declared(SEED)
    pick: int = declared(PICK)
    study: str = declared(STUDY)
    panel: str = declared(PANEL)
    view: str = declared(VIEW)
    preset: str = field(default="")

    def __post_init__(self) -> None:
        """Check what code could give that no link can, and what only fits together."""
        for declaration in _CHECKED:
            name = declaration.name
            try:
                declaration.reads[name](str(getattr(self, name)))
            except ValueError as error:
                raise FieldError(name, str(error)) from None

    @property
    def other_seed(self) -> int:
        """The next seed."""
        return self.seed + 1 if self.seed < MAX_SEED else 0

    @property
    def at(self) -> int:
        """The draw whose slope is shown: the last one where there are fewer."""
        return min(self.pick, self.draws - 1)

    @property
    def other_pick(self) -> int:
        """The next draw; after the last one the first."""
        return (self.at + 1) % self.draws
