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

/**
 * Make the default export of a part: `make(root)` once for each place on the page, then
 * `update(data, put)` for each rerun, in order; `put(value)` sends an edit.
 */
export function part(name, make) {
  return async ({ data, parentElement, setStateValue }) => {
    const root = parentElement.querySelector(`.${name}`);
    const turn = (root.turn = (root.turn ?? 0) + 1);
    const [sent] = await Promise.all([unpacked(data), styled()]);
    if (turn !== root.turn) return; // a newer rerun overtook this one
    const [words, look] = [JSON.stringify(sent), theme(root)];
    if (root.view && root.words === words && root.look === look) return; // nothing to draw
    [root.words, root.look] = [words, look];
    root.view ??= make(root);
    root.view.update(sent, (edit) => setStateValue('edit', edit));
  };
}

let last = 0;
/** A number that grows with every event, also across reloads of a part. */
export function tick() {
  last = Math.max(last + 1, Date.now());
  return last;
}
