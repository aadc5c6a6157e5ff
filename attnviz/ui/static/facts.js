// Terms with their values, each with a mark when it is a check, and sentences that may be quotes.
import { el, part, set, touched } from './base.js';

const MARKS = { true: '✓ ', false: '✗ ' };

function fact({ term, value, note, help, ok }) {
  const check = ok !== undefined;
  return el('div', { class: 'av-fact', title: help, 'data-ok': check ? String(ok) : null, 'data-big': !check && term !== undefined },
    term ? el('span', { class: 'av-term' }, term) : null,
    el('span', { class: 'av-value' }, check ? el('span', { class: 'av-ok' }, MARKS[ok]) : '', value),
    note ? el('span', { class: 'av-note' }, note) : null);
}

class Facts {
  constructor(root) { this.root = root; }

  update({ items, tone, reveal }) {
    set(this.root, 'data-tone', tone);
    set(this.root, 'role', tone === 'warning' || tone === 'error' ? 'alert' : null);
    const checks = items.findIndex((item) => item.ok !== undefined);
    const nodes = items.map(fact);
    if (checks > 0) nodes.splice(checks, 0, el('span', { class: 'av-break' })); // checks: a line of their own
    this.root.replaceChildren(...nodes);
    if (reveal && touched()) this.root.scrollIntoView({ block: 'nearest' }); // what was just asked for
  }
}

export default part('av-facts', (root) => new Facts(root));
