// What every part of the page shares: making elements, and the one style sheet.

/** Make an element: attributes, event handlers (on…), then children; text is always text. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node[name] = value;
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Set an attribute only where it changes, so that nothing is painted twice. */
export function set(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Set the text of a node only where it changes. */
export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

const SIGNS = { '\n': '⏎', '\t': '⇥', '\r': '␍' };
/** What is shown for a label: blanks have a sign, so that no label looks like none. */
export function visible(label) {
  if (label === '') return '∅';
  if (!label.trim()) return [...label].map((char) => SIGNS[char] ?? '␠').join('');
  return label.replace(/^\s+|\s+$/g, (blanks) => [...blanks].map((char) => SIGNS[char] ?? '␣').join(''));
}

let sheet;
/** Load the style sheet once; resolves when it is there. */
export function styled() {
  sheet ??= new Promise((done) => {
    const link = el('link', { rel: 'stylesheet', href: new URL('attnviz.css', import.meta.url).href });
    link.onload = link.onerror = done;
    document.head.append(link);
  });
  return sheet;
}

/** Python sends what a part draws as deflated JSON: half the bytes of every rerun. */
function unpacked(data) {
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
}

/** What tells one theme from another: a part that shows colours is drawn again when it changes. */
function theme(root) {
  const css = getComputedStyle(root);
  return ['--st-text-color', '--st-background-color', '--st-base-font-size'].map((name) => css.getPropertyValue(name)).join();
}

const PATIENCE = 4000; // ms after which an edit that got no answer is sent again
const unanswered = new Set();
const silence = el('p', { class: 'av-silence', role: 'status' });

/** Say for as long as it is so that the server doesn't answer. */
function tellSilence() {
  text(silence, unanswered.size ? 'No answer from the server yet. What you typed is kept and sent again.' : '');
  if (unanswered.size && !silence.isConnected) document.body.append(silence);
}

const posts = new Set();

/** The edits of one part: each is sent until it is answered. */
class Post {
  constructor(root) {
    this.root = root;
    posts.add(this);
  }

  send(edit) {
    this.edit = edit;
    this.tries = 0;
    this.deliver(edit);
  }

  deliver(edit) {
    this.setStateValue('edit', edit);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.again(), PATIENCE);
  }

  again() {
    if (!this.root.isConnected) { this.done(); return; }
    unanswered.add(this);
    tellSilence();
    this.tries += 1; // the number of the edit stays: it is not done twice
    this.deliver({ ...this.edit, tries: this.tries });
  }

  done() {
    clearTimeout(this.timer);
    this.edit = null;
    if (unanswered.delete(this)) tellSilence();
  }

  /**
   * Take note of an answer; returns the edit that a server which was started anew never saw, and
   * the time of the last press on another part of the page: a state that comes now was asked for
   * by it, and edits that are younger were made while it was on its way.
   */
  answered({ n, rev, born }) {
    const anew = this.born !== undefined && this.born !== born;
    this.born = born;
    const { edit } = this;
    if (edit && (n >= edit.n || rev !== edit.rev)) this.done(); // or it was meant for another state
    if (anew) return { lost: edit && n < edit.n ? { ...edit, live: false, resent: true } : null, since: Infinity };
    const since = Math.max(n ?? 0, pressedElsewhere(this.root));
    return { late: edit && rev !== edit.rev && edit.n > since ? edit : null, since };
  }
}

// A tap on a link leaves the box that is typed in and goes to another page in one moment. Streamlit
// would take the edit for a wish to stay, so the link waits until the edit has been answered.
const [SETTLED, LONGEST, AGAIN] = [250, 1500, 25]; // ms
let left = -Infinity; // when a box was left; those of Streamlit's own tell no answer
document.addEventListener('focusout', ({ target }) => { if (target.matches?.('input, textarea')) left = performance.now(); }, true);

function busy() {
  posts.forEach((post) => { if (!post.root.isConnected) posts.delete(post); });
  return performance.now() - left < SETTLED || [...posts].some((post) => post.edit);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  const plain = event.isTrusted && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || link.target || link.origin !== location.origin || !plain || !busy()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const end = performance.now() + LONGEST;
  const follow = () => {
    if (busy() && performance.now() < end) setTimeout(follow, AGAIN);
    else if (link.isConnected) link.click();
    else document.querySelector(`a[href="${CSS.escape(link.getAttribute('href'))}"]`)?.click();
  };
  follow();
}, true);

let [pressed, before] = [{ at: 0 }, { at: 0 }]; // the last press, and the last one on another part

function press(root) {
  if (root !== pressed.root) before = pressed;
  pressed = { root, at: tick() };
}
document.addEventListener('click', (event) => press(event.composedPath().find((node) => node.post)), true);
window.addEventListener('popstate', () => press()); // Back and Forward ask for a state as well

function pressedElsewhere(root) { return (pressed.root === root ? before : pressed).at; }

/**
 * Make the default export of a part: `make(root)` once for each place on the page, then
 * `update(data, put, since)` for each rerun, in order; `put(value)` sends an edit. Where another
 * state comes, what was done after `since` was done while it was on its way, so it still counts.
 */
export function part(name, make) {
  return async ({ data, parentElement, setStateValue }) => {
    const root = parentElement.querySelector(`.${name}`);
    const turn = (root.turn = (root.turn ?? 0) + 1);
    const [sent] = await Promise.all([unpacked(data), styled()]);
    if (turn !== root.turn) return; // a newer rerun overtook this one
    root.post ??= new Post(root);
    root.post.setStateValue = setStateValue;
    const [words, look] = [JSON.stringify(sent), theme(root)];
    if (root.view && root.words === words && root.look === look) return; // nothing to draw
    [root.words, root.look] = [words, look];
    root.view ??= make(root);
    const { lost, late, since } = root.post.answered(sent);
    root.view.update(sent, (edit) => root.post.send(edit), since);
    const again = lost ?? (root.view.lasting ? late : null);
    if (again) root.post.send({ ...again, rev: sent.rev, n: tick() });
  };
}

let last = 0;
/** A number that grows with every event, also across reloads of a part. */
export function tick() {
  last = Math.max(last + 1, Date.now());
  return last;
}

/** Whether somebody has pressed anything: a page that was just opened stays where it is. */
export function touched() {
  return navigator.userActivation?.hasBeenActive ?? false;
}

/** Where the arrow keys lead, as rows and columns. */
export const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Arrow keys walk through rows of buttons, of which Tab reaches only the one that was last. */
export function along(event, rows) {
  const row = rows.findIndex((items) => items.includes(event.target));
  const [down, right] = MOVES[event.key] ?? [0, 0];
  const next = rows[row + down]?.[rows[row]?.indexOf(event.target) + right];
  if (!next || next === event.target) return;
  event.preventDefault();
  rows.flat().forEach((item) => set(item, 'tabindex', item === next ? 0 : -1));
  next.focus();
}

/** On a small screen Streamlit's list of pages would stay open over the page that was chosen. */
document.addEventListener('click', ({ target }) => {
  if (window.innerWidth > 768 || !target.closest?.('[data-testid="stSidebarNavLink"]')) return;
  setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click());
});
