"""Join widgets, links and state. The only module that touches session_state and query_params.

Every run of a page has one cause. *Arrived*: the page has just been opened, so the link counts,
or what this page remembers. *Loaded*: a button has set a whole state. *Typed*: a widget differs
from what the form knows, so the widgets win and the link is rewritten. *Moved*: no widget differs
but the address does, so it was Back, Forward or an edited address.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st

from attnviz.state.edits import Edited
from attnviz.state.fields import Field, FieldError, fields_of
from attnviz.state.links import (
    STREAMLIT_OWN,
    decode,
    encode,
    read_file,
    too_long,
    write_file,
)
from attnviz.ui.parts import address, editor, errors

State = TypeVar("State")

_HERE = "attnviz.page"  # which page the last run drew


Handler = Callable[[Any, Mapping[str, Any]], Edited]


@dataclass
class _Memory(Generic[State]):
    """What one page remembers during one visit."""

    state: State
    opened: State
    link: dict[str, str]
    notes: tuple[str, ...] = ()
    problems: dict[str, Any] = field(default_factory=dict)
    drafts: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    rev: str = field(default_factory=lambda: secrets.token_hex(4))
    born: str = field(default_factory=lambda: secrets.token_hex(2))
    loaded: bool = False
    live: bool = False
    coming: bool = False  # the browser writes the link itself, and hasn't told it yet
    steady: tuple[str, Any] | None = None  # a part, and the state before it was typed in live
    oversize: bool = False
    kept: dict[str, Any] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)  # buttons whose press is done, not yet drawn


class Form(Generic[State]):
    """The state of one page during one run.

    Parameters
    ----------
    page : str
        Name of the page; keys of widgets begin with it.
    cls : type
        The page's state.
    presets : mapping of str to state
    parts : mapping of str to callable
        Name of a part to the function that turns (state, edit) into `Edited`; the edit comes with
        ``kept``, what the visit remembers.
    natives : sequence of str
        Fields that have a widget of Streamlit's own.
    several : sequence of str
        Those of them whose widget holds a list of words.
    linked : bool
        False for a page that has no link of its own.
    start : state, optional
        What it opens with instead of the defaults, where there is no link.
    embedded : bool
        True for a form that stands on the page of another one.
    """

    def __init__(
        self,
        page: str,
        cls: type[State],
        presets: Mapping[str, State],
        *,
        parts: Mapping[str, Handler],
        natives: Sequence[str] = (),
        several: Sequence[str] = (),
        linked: bool = True,
        start: State | None = None,
        embedded: bool = False,
    ) -> None:
        self._page, self._cls, self._presets = page, cls, presets
        self._linked, self._embedded = linked and not embedded, embedded
        self._start = cls() if start is None else start
        self._parts = parts
        by_name: dict[str, Field] = {f.name: f for f in fields_of(cls)}
        self._natives = {name: by_name[name] for name in natives}
        self._several = frozenset(several)
        self._memory = self._open()
        if self._linked and not self._returned:
            self._write_link()
        self._fill()

    def finish(self) -> None:
        """Write the link of a page that was left and is back; the last call of a page.

        The browser does it, once it has the address of the page: what Streamlit writes would be one
        more step of the history, and at times lands on the address of the page it comes from.
        """
        memory = self._memory
        if self._linked and self._returned:
            memory.coming = self._new_link()
        if memory.coming:
            address(self.key("address"), self._page, memory.link)

    @property
    def state(self) -> State:
        """The last valid state."""
        return self._memory.state

    def readable(self, *names: str) -> bool:
        """Tell whether all of these parts and fields could be read; else nothing may be drawn.

        Parameters
        ----------
        *names : str

        Returns
        -------
        bool
        """
        return not any(name in self._memory.problems for name in names)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the parts of the link that were not understood."""
        return self._memory.notes

    @property
    def oversize(self) -> bool:
        """True when the state is too large for a link."""
        return self._memory.oversize

    def key(self, name: str) -> str:
        """Return the key of a widget of this page.

        Parameters
        ----------
        name : str

        Returns
        -------
        str
        """
        return f"{self._page}.{name}"

    def problem(self, name: str) -> Any:
        """Return what is wrong with a part or a field, or None.

        Parameters
        ----------
        name : str

        Returns
        -------
        object or None
        """
        return self._memory.problems.get(name)

    def stamp(self, part: str) -> dict[str, Any]:
        """Return the revision that a part holds, its last edit, and the name of this visit.

        Parameters
        ----------
        part : str

        Returns
        -------
        dict
        """
        memory = self._memory
        return {"rev": memory.rev, "n": memory.seen.get(part, 0), "born": memory.born}

    def editor(self, name: str, data: Mapping[str, Any], *, part: str = "") -> None:
        """Mount a part whose edits this form reads.

        Parameters
        ----------
        name : str
            One of ``parts``.
        data : mapping
        part : str
            Which part it is, where its name on this page is another.
        """
        editor(part or name, self.key(name), {**data, **self.stamp(name)})

    def text_input(self, name: str, **options: Any) -> None:
        """Show a box for a field that is typed as text; its error stands below it.

        Parameters
        ----------
        name : str
        **options
            For ``st.text_input``.
        """
        declared = self._natives[name]
        st.text_input(declared.label, key=self.key(name), help=declared.help, **options)
        if name in self._memory.problems:
            errors(self.key(f"{name}-error"), [self._memory.problems[name]])

    def slider(self, name: str, value: float, low: float, high: float, step: float) -> None:
        """Show a slider for a field that is also typed.

        Parameters
        ----------
        name : str
            One of ``natives``; its text box stands beside it.
        value : float
            Where it stands; it rests at its end for a value beyond.
        low, high, step : float
        """
        declared, key = self._natives[name], self.key(f"{name}-slider")
        st.session_state[key] = min(max(value, low), high)

        def moved() -> None:
            text = f"{st.session_state[key]:.6g}"
            self.change(**{name: next(iter(declared.reads.values()))(text)})

        st.slider(
            declared.label, low, high, step=step, key=key, on_change=moved,
            label_visibility="collapsed",
        )  # fmt: skip

    def segmented(self, name: str, options: Mapping[str, str], *, labelled: bool = False) -> None:
        """Show one choice among a few.

        Parameters
        ----------
        name : str
        options : mapping of str to str
            Link word to the words on the screen.
        labelled : bool
            True to show the field's label above it.
        """
        declared = self._natives[name]
        st.segmented_control(
            declared.label,
            list(options),
            format_func=options.__getitem__,
            key=self.key(name),
            required=True,
            help=declared.help if labelled else None,
            label_visibility="visible" if labelled else "collapsed",
        )

    def pills(self, name: str, options: Mapping[str, str]) -> None:
        """Show words of which several may be on.

        Parameters
        ----------
        name : str
            A field of ``several``.
        options : mapping of str to str
            Link word to the words on the screen.
        """
        declared = self._natives[name]
        st.pills(
            declared.label,
            list(options),
            format_func=options.__getitem__,
            key=self.key(name),
            selection_mode="multi",
            help=declared.help,
        )

    def positions(
        self, name: str, words: Sequence[str], labels: Sequence[str], positions: Sequence[int]
    ) -> None:
        """Show a box for each position of a field, to choose one of the labels in it.

        Parameters
        ----------
        name : str
            A field whose value is a tuple of positions.
        words : sequence of str
            What stands above each box.
        labels : sequence of str
            May repeat: what is chosen is the position.
        positions : sequence of int
            What is chosen now.
        """
        options = _told_apart(labels)
        boxes = zip(st.columns(len(positions)), words, positions, strict=True)
        for at, (column, word, position) in enumerate(boxes):
            key = self.key(f"{name}-{at}")
            st.session_state[key] = position

            def chosen(at: int = at, key: str = key) -> None:
                picked = list(positions)
                picked[at] = st.session_state[key]
                self.change(**{name: tuple(picked)})

            with column:
                st.selectbox(
                    word,
                    range(len(labels)),
                    format_func=options.__getitem__,
                    key=key,
                    on_change=chosen,
                )

    def button(self, label: str, *, name: str = "", **fields: Any) -> None:
        """Show a button that sets some fields.

        Parameters
        ----------
        label : str
        name : str
            Of a button whose label changes: the focus stays on it.
        **fields
            Attributes of the state.
        """
        key = self.key(f"set-{'-'.join(fields)}-{name or label}")
        self._button(label, key, lambda: self.change(**fields))

    def reset_button(self, label: str, *, help: str) -> None:
        """Show the button that returns to what the page was opened with.

        Parameters
        ----------
        label, help : str
        """
        self._button(label, self.key("reset"), self.reset, help=help)

    def _button(self, label: str, key: str, press: Callable[[], None], **options: Any) -> None:
        """Show a button; also the first press after a restart of the server counts.

        Streamlit calls what a button was given in the run before. A server that was started anew
        has had none, and only returns that the button was pressed.
        """
        called = self._memory.called

        def pressed() -> None:
            called.add(key)
            press()

        if st.button(label, key=key, on_click=pressed, **options) and key not in called:
            press()
            st.rerun()
        called.discard(key)

    def link_button(
        self, label: str, state: State, *, name: str = "", help: str = "", plain: bool = False
    ) -> None:
        """Show a button that loads a whole state.

        Parameters
        ----------
        label : str
        state : State
        name : str
            Of a button whose label changes: the focus stays on it.
        help : str
        plain : bool
            True for one without a frame, as in a list.
        """
        self._button(
            label,
            self.key(f"load-{name or label}"),
            lambda: self.load(state),
            help=help or None,
            type="tertiary" if plain else "secondary",
        )

    def ask_choice(
        self,
        name: str,
        label: str,
        options: Sequence[str],
        chosen: int | None,
        submit: str,
        then: Callable[[str], State],
    ) -> bool:
        """Ask a closed question; the button takes over what is chosen.

        Parameters
        ----------
        name : str
            Of the question; what was chosen and not taken over is kept under it for the visit.
        label : str
        options : sequence of str
            Markdown.
        chosen : int or None
            What was answered before, from 0.
        submit : str
            Words on the button.
        then : callable
            Place of the answer, from 1, as a text, to the state after it.

        Returns
        -------
        bool
            True when what is chosen now is what was answered.
        """
        key, draft = self.key(f"choice-{name}"), f"draft-{name}"

        def picked() -> None:
            self.remember(draft, st.session_state[key])

        def taken() -> None:
            place = st.session_state[key]
            self.remember("nudge", key if place is None else "")
            self.remember(draft, None)
            if place is not None:
                self._memory.state, self._memory.loaded = then(str(place + 1)), True

        kept, shown = self.recall(draft), self.recall(f"shown-{name}")
        value = chosen if kept is None else kept
        first = shown is None  # or the server was restarted: the browser knows what was chosen
        if not first and shown != self._memory.rev:
            st.session_state[key] = value
        self.remember(f"shown-{name}", self._memory.rev)
        now = st.radio(
            label,
            range(len(options)),
            value if first else None,
            format_func=options.__getitem__,
            key=key,
            on_change=picked,
            label_visibility="collapsed",
        )
        self._button(submit, self.key("submit"), taken)
        if now is None and self.recall("nudge") == key:
            st.caption("Choose one of them first.")
        return now is not None and now == chosen

    def text_file(self, label: str, then: Callable[[bytes], None]) -> None:
        """Offer to open a file of text.

        Parameters
        ----------
        label : str
        then : callable
            Takes what the file holds.
        """
        count = self.recall("files", 0)
        key = self.key(f"text-file-{count}")

        def opened() -> None:
            file = st.session_state[key]
            if file is not None:
                self.remember("files", count + 1)  # a fresh box takes the same file once more
                then(file.getvalue())
                self._memory.loaded = True

        st.file_uploader(label, type=["toml", "txt"], key=key, on_change=opened, max_upload_size=1)

    def remember(self, name: str, value: Any) -> None:
        """Keep something for the rest of the visit.

        Parameters
        ----------
        name : str
        value : object
        """
        self._memory.kept[name] = value

    def forget(self, *names: str) -> None:
        """Keep some things no longer.

        Parameters
        ----------
        *names : str
        """
        for name in names:
            self._memory.kept.pop(name, None)

    def recall(self, name: str, default: Any = None) -> Any:
        """Return what was kept under a name.

        Parameters
        ----------
        name : str
        default : object

        Returns
        -------
        object
        """
        return self._memory.kept.get(name, default)

    def view_switch(self, label: str, *, help: str, **also: Any) -> None:
        """Show the button that goes into the lecture view and out of it.

        Parameters
        ----------
        label, help : str
        **also
            Other attributes that the button sets.
        """
        other = "page" if self.state.view == "lecture" else "lecture"
        self._button(
            label,
            self.key("view-switch"),
            lambda: self.change(view=other, **also),
            help=help,
        )

    def stepper(self, last: int, names: Sequence[str]) -> None:
        """Show the buttons that step back and on; a clicker's Page up and Page down press them.

        Parameters
        ----------
        last : int
            Number of steps.
        names : sequence of str
            Name of each step.
        """
        step = self.state.step
        for label, shortcut, target in (
            ("Back", "PageUp", max(1, step - 1)),
            ("Next", "PageDown", min(last, step + 1)),
        ):
            self._button(
                label,
                self.key(f"step-{label}"),
                partial(self.change, step=target),
                shortcut=shortcut,
                disabled=target == step,
            )
        st.caption(f"Step {step} of {last}: {names[step - 1]}")

    def presets(self, titles: Mapping[str, str]) -> None:
        """Show the presets, one click each; the one on screen unchanged is marked.

        Parameters
        ----------
        titles : mapping of str to str
            Name in the link to name on the screen.
        """
        state, key = self.state, self.key("presets")
        name = state.preset  # the others are not asked: a preset may be costly to make
        unchanged = name in titles and self._is_unchanged(name)
        shown = name if unchanged else None
        if st.session_state.get(key) != shown:
            st.session_state[key] = shown

        def chosen() -> None:
            name = st.session_state[key]
            if name is not None:
                self.load(self._preset(name))
            st.session_state[menu] = False  # it would cover what was chosen

        menu = self.key("menu")
        opened = st.popover("Presets", key=menu, on_change="rerun")
        if opened.open:  # the list travels only when it is seen
            opened.pills(
                "Presets",
                list(titles),
                format_func=titles.__getitem__,
                key=key,
                on_change=chosen,
                label_visibility="collapsed",
            )

    def preset_button(self, label: str, name: str) -> None:
        """Show a button that loads one preset.

        Parameters
        ----------
        label, name : str
        """
        self._button(label, self.key("preset-button"), lambda: self.load(self._preset(name)))

    def _preset(self, name: str) -> State:
        """Return a preset as the state that remembers it; a lecture begins at its first step."""
        preset, view = self._presets[name], self.state.view
        begins = {"step": 1} if view == "lecture" and hasattr(preset, "step") else {}
        return replace(preset, preset=name, view=view, **begins)

    def _is_unchanged(self, name: str) -> bool:
        """Tell whether the screen shows a preset as it is, at whatever step."""
        made, state = self._preset(name), self.state
        step = {"step": state.step} if hasattr(state, "step") else {}
        return replace(made, **step) == state

    def open_file(self, label: str) -> None:
        """Offer to open a state from a file.

        Parameters
        ----------
        label : str
        """
        key = self.key("file")

        def opened() -> None:
            file = st.session_state[key]
            if file is not None:
                found = read_file(self._page, file.getvalue(), self._cls, self._presets)
                if not found.notes or found.state != self._cls():
                    self.load(found.state)  # what was damaged has its note
                self._memory.notes, self._memory.loaded = found.notes, True

        st.file_uploader(label, type="txt", key=key, on_change=opened, max_upload_size=1)

    def file_text(self) -> str:
        """Return the state as the text of a file that `open_file` opens.

        Returns
        -------
        str
        """
        return write_file(self._page, self.state, self._presets)

    def load(self, state: State) -> None:
        """Take over a whole state; for the callback of a button.

        Parameters
        ----------
        state : State
        """
        memory = self._memory
        memory.state, memory.problems, memory.notes = state, {}, ()
        memory.rev, memory.drafts, memory.loaded = secrets.token_hex(4), self._drafts(state), True

    def settle(self, state: State) -> None:
        """Take over a state that fits what only the page knows, before anything is drawn.

        Parameters
        ----------
        state : State
        """
        self._memory.state, self._memory.drafts = state, self._drafts(state)
        self._fill()

    def change(self, **fields: Any) -> None:
        """Set some fields, and keep what is typed in the editors; for the callback of a button.

        Parameters
        ----------
        **fields
            Attributes of the state that no part edits.
        """
        memory = self._memory
        memory.state, memory.notes, memory.loaded = replace(memory.state, **fields), (), True
        # An editor is always drawn; a box with its error may be gone in the next view.
        memory.problems = {p: v for p, v in memory.problems.items() if p in self._parts}
        memory.drafts = self._drafts(memory.state)

    def reset(self) -> None:
        """Return to the state that the page was opened with; for the callback of a button."""
        self.load(self._memory.opened)

    # -- one run ----------------------------------------------------------------------------

    def _open(self) -> _Memory[State]:
        memory: _Memory[State] | None = st.session_state.get(self.key("memory"))
        arrived = memory is None
        self._returned = False
        if not self._embedded:
            arrived = arrived or st.session_state.get(_HERE) != self._page
            st.session_state[_HERE] = self._page
        params = self._params()
        first = memory is None
        if memory is None:
            memory = _Memory(self._start, self._start, {})
            st.session_state[self.key("memory")] = memory
        self._memory = memory
        if arrived:
            if params or first:
                self._take(params)
                memory.opened = memory.state
            else:
                memory.rev, memory.link, memory.notes = secrets.token_hex(4), {}, ()
                self._returned = True
            memory.loaded = False
        elif memory.loaded:
            memory.loaded = False
        elif not self._typed() and params != memory.link and (params or not memory.coming):
            self._take(params)
        memory.coming = memory.coming and not params
        return memory

    def _take(self, params: Mapping[str, str]) -> None:
        opened = decode(params, self._cls, self._presets)
        self.load(opened.state if params else self._start)
        memory = self._memory
        memory.notes, memory.link, memory.loaded, memory.live = (
            opened.notes,
            dict(params),
            False,
            False,
        )

    def _typed(self) -> bool:
        """Read what differs from the last run; False when nothing does."""
        memory, found = self._memory, False
        memory.live = False
        rev = memory.rev  # of two edits in one run, the first may renew it
        for part, handler in self._parts.items():
            edit = _edit_of(st.session_state.get(self.key(part)))
            if edit is None or edit["n"] == memory.seen.get(part) or edit["rev"] != rev:
                continue
            found = True
            memory.seen[part] = edit["n"]
            memory.live = memory.live or edit.get("live") is True
            before = memory.state
            done = handler(before, {**edit, "kept": memory.kept})
            live = edit.get("live") is True
            steady = memory.steady if memory.steady and memory.steady[0] == part else None
            if done.problem is not None and steady is not None:
                done = replace(done, state=steady[1])  # what was half typed counts for nothing
            memory.steady = (steady or (part, before)) if live else None
            self._keep(part, done.state, done.problem)
            if done.reset or edit.get("resent") is True:
                memory.rev = secrets.token_hex(4)
                self._try_again(part, before)
        for name, declared in self._natives.items():
            value = st.session_state.get(self.key(name))
            if value is None or value == memory.drafts[name]:
                continue
            found = True
            if value == "" and name not in self._several:  # emptied: the last good text is back
                memory.drafts[name] = self._drafts(memory.state)[name]
                memory.problems.pop(name, None)
                continue
            memory.drafts[name] = value
            text = "_".join(value) if name in self._several else value
            try:
                read = next(iter(declared.reads.values()))(text)
                self._keep(name, replace(memory.state, **{name: read}), None)
            except FieldError as error:
                self._keep(name, memory.state, error.sentence)
            except ValueError as error:
                self._keep(name, memory.state, f"{declared.label}: {error}")
        if found:
            memory.notes = ()
        return found

    def _try_again(self, changed: str, before: State) -> None:
        """Read once more what stands in the other editors: the change may have another shape."""
        for part, problem in list(self._memory.problems.items()):
            if part != changed and getattr(problem, "cells", ()):
                again = {"again": problem, "before": before}
                done = self._parts[part](self._memory.state, again)
                self._keep(part, done.state, done.problem)

    def _keep(self, name: str, state: State, problem: Any) -> None:
        memory = self._memory
        memory.state = state
        memory.problems.pop(name, None)
        if problem is not None:
            memory.problems[name] = problem

    def _drafts(self, state: State) -> dict[str, Any]:
        return {
            name: list(getattr(state, name))
            if name in self._several
            else f.write(getattr(state, name))[1]
            for name, f in self._natives.items()
        }

    def _fill(self) -> None:
        """Give every native widget its text before it is drawn."""
        for name, draft in self._memory.drafts.items():
            if st.session_state.get(self.key(name)) != draft:
                st.session_state[self.key(name)] = draft

    def _params(self) -> dict[str, str]:
        if not self._linked:
            return {}
        return {
            name: st.query_params[name] for name in st.query_params if name not in STREAMLIT_OWN
        }

    def _write_link(self) -> None:
        if self._new_link():
            st.query_params.from_dict(self._memory.link)

    def _new_link(self) -> bool:
        """Make the link of the state; False where the address need not change."""
        memory = self._memory
        if memory.live or memory.notes:
            return False
        params = encode(memory.state, self._presets)
        memory.oversize = too_long(params)
        if memory.oversize or params == memory.link:
            return False
        if decode(memory.link, self._cls, self._presets).state == memory.state:
            return False  # the address already opens this state, in its own spelling
        memory.link = params
        return True


def _told_apart(labels: Sequence[str]) -> Sequence[str]:
    """Return the labels, with their place before each when two are the same or one is blank.

    A box of Streamlit's own sends the text of what was chosen, so equal texts would be one choice.
    """
    if len(set(labels)) == len(labels) and all(label.strip() for label in labels):
        return labels
    return [f"{place}: {label}" for place, label in enumerate(labels, 1)]


def _edit_of(value: Any) -> Mapping[str, Any] | None:
    """Return the edit in a part's state, or None when it is not what our scripts send."""
    try:
        edit = value["edit"]
    except (TypeError, KeyError, AttributeError):
        return None
    if not isinstance(edit, Mapping) or not isinstance(edit.get("n"), int | float):
        return None
    return edit if isinstance(edit.get("rev"), str) else None
