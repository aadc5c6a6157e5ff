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

let last = 0;
/** A number that grows with every event, also across reloads of a part. */
export function tick() {
  last = Math.max(last + 1, Date.now());
  return last;
}
