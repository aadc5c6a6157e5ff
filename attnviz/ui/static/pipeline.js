// The stages of attention as grids of one geometry: numbers in coloured cells, one selection
// through all of them, and a mask that is toggled cell by cell.
import { MOVES, el, part, set, text, tick, touched, visible } from './base.js';

const PATIENCE = 5000; // ms after which an edit that got no answer holds up the next no longer

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** The colour of a value from 0 to 1 on a scale of (position, colour) stops. */
function colour(scale, value) {
  const above = Math.max(1, scale.findIndex(([at]) => at >= value));
  const [[from, low], [to, high]] = [scale[above - 1], scale[above]];
  const part = (value - from) / (to - from);
  const [a, b] = [channels(low), channels(high)];
  return a.map((channel, i) => Math.round(channel + part * (b[i] - channel)));
}

/** Black or white, whichever is easier to read on a colour (WCAG relative luminance). */
function ink(rgb) {
  const [r, g, b] = rgb.map((c) => { const x = c / 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
}

class Stage {
  constructor(owner, id) {
    this.owner = owner;
    this.id = id;
    this.title = el('figcaption');
    this.table = el('table', { role: 'grid' });
    this.note = el('p', { class: 'av-note' });
    this.axes = el('p', { class: 'av-axes' });
    this.node = el('figure', { class: 'av-stage' }, this.title, this.axes, el('div', { class: 'av-scroll' }, this.table), this.note);
    this.table.onclick = (event) => this.act(event.target.closest('[data-at]'), 'click');
    this.table.onkeydown = (event) => this.key(event);
    this.table.onmouseover = (event) => { const cell = event.target.closest('td[data-at]'); if (cell) cell.title = this.name(cell); };
  }

  /** What a cell is called, for the tooltip and for a screen reader. */
  name(cell) {
    const [r, c] = cell.dataset.at.split(':').map(Number);
    const words = this.data.texts[r][c];
    const masked = this.data.masked?.[r]?.[c] && words !== 'masked' ? ' (masked)' : '';
    return `${visible(this.data.rows[r])}, ${visible(this.data.columns[c])}: ${words}${masked}`;
  }

  update(data) {
    this.data = data;
    const shape = `${data.rows.length}x${data.columns.length}`;
    if (this.shape !== shape) { this.shape = shape; this.build(data); }
    text(this.title, data.title);
    text(this.note, data.note ?? '');
    set(this.table, 'aria-label', data.title);
    text(this.axes, `↓ ${data.rowTitle} · → ${data.columnTitle}`);
    const size = Math.max(data.rows.length, data.columns.length);
    this.table.classList.toggle('av-mid', size > 8 && size <= 12); // two of them still stand side by side
    this.table.classList.toggle('av-small', size > 12);
    this.table.classList.toggle('av-tiny', size > 24);
    this.head.forEach((node, c) => { text(node.firstChild, visible(data.columns[c])); set(node, 'aria-selected', String(this.chosen(null, c))); node.title = data.columns[c]; });
    data.rows.forEach((label, r) => {
      text(this.side[r].firstChild, visible(label));
      this.side[r].title = label;
      set(this.side[r], 'aria-selected', String(this.chosen(r, null)));
      data.columns.forEach((_, c) => this.paint(this.cells[r][c], r, c));
    });
    if (!this.table.contains(document.activeElement)) this.home(this.cells[0][0]);
  }

  paint(cell, r, c) {
    const { data } = this;
    const masked = data.masked?.[r]?.[c];
    const shade = data.shades[r][c];
    text(cell, data.texts[r][c]);
    set(cell, 'aria-label', this.name(cell));
    cell.classList.toggle('av-masked', Boolean(masked));
    const rgb = masked || shade === null ? null : colour(data.scale, shade);
    cell.style.background = rgb ? `rgb(${rgb.join()})` : '';
    cell.style.color = rgb ? ink(rgb) : '';
    set(cell, 'aria-selected', String(this.chosen(r, c)));
    set(cell, 'data-mark', this.marked(r, c));
  }

  /** Whether a row, a column or a cell belongs to the chosen query. */
  chosen(r, c) {
    const line = this.data.flip ? c : r;
    return this.data.query !== null && this.data.hasQueries && line === this.data.query;
  }

  /** Whether a cell takes part in the chosen dot product. */
  marked(r, c) {
    const [i, j] = this.data.flip ? [c, r] : [r, c];
    return this.data.cell && (this.data.kind === 'pair' ? i === this.data.cell[0] && j === this.data.cell[1] : this.data.kind === 'value' && i === this.data.cell[1]) ? 'on' : null;
  }

  build(data) {
    this.head = data.columns.map((_, c) => el('th', { scope: 'col', 'data-at': `*:${c}`, tabindex: -1 }, el('span')));
    this.side = data.rows.map((_, r) => el('th', { scope: 'row', 'data-at': `${r}:*`, tabindex: -1 }, el('span')));
    this.cells = data.rows.map((_, r) => data.columns.map((__, c) => el('td', { role: 'gridcell', 'data-at': `${r}:${c}`, tabindex: -1 })));
    this.table.replaceChildren(el('thead', {}, el('tr', {}, el('td', { class: 'av-corner' }), ...this.head)),
      el('tbody', {}, ...this.cells.map((row, r) => el('tr', {}, this.side[r], ...row))));
  }

  /** The one cell of the grid that Tab reaches. */
  home(cell) {
    this.table.querySelectorAll('[tabindex="0"]').forEach((node) => set(node, 'tabindex', -1));
    set(cell, 'tabindex', 0);
  }

  act(cell, how) {
    if (!cell) return;
    this.home(cell);
    const [r, c] = cell.dataset.at.split(':').map((at) => (at === '*' ? null : Number(at)));
    const [i, j] = this.data.flip ? [c, r] : [r, c];
    const toggles = this.data.toggles && i !== null && j !== null && how !== 'enter';
    this.owner.send(toggles ? { toggle: [i, j] } : { stage: this.id, at: [i, j] });
  }

  key(event) {
    const cell = event.target.closest('[data-at]');
    if (!cell) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.act(cell, event.key === 'Enter' ? 'enter' : 'space');
      return;
    }
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const [r, c] = cell.dataset.at.split(':').map((at) => (at === '*' ? -1 : Number(at)));
    const [row, column] = [r + move[0], c + move[1]];
    const next = row < 0 && column < 0 ? null : row < 0 ? this.head[column] : column < 0 ? this.side[row] : this.cells[row]?.[column];
    if (!next) return;
    this.home(next);
    next.focus();
  }
}

class Pipeline {
  constructor(root) {
    this.row = el('div', { class: 'av-stages' });
    this.stages = new Map();
    this.waiting = []; // edits that are not sent yet
    this.asked = null; // the edit that is on its way
    root.replaceChildren(this.row);
  }

  update(data, put, since) {
    this.put = put;
    if (this.data && data.rev !== this.data.rev) { // what is older was meant for another state
      this.waiting = [this.asked, ...this.waiting].filter((one) => one?.made > since);
      this.asked = null;
    }
    if (this.asked?.n <= data.n) this.asked = null;
    this.data = data;
    const ids = data.stages.map((stage) => stage.id);
    const [first, changed] = [!this.ids, this.ids !== ids.join()];
    if (changed) {
      this.ids = ids.join();
      this.row.replaceChildren(...ids.map((id) => {
        if (!this.stages.has(id)) this.stages.set(id, new Stage(this, id));
        return this.stages.get(id).node;
      }));
    }
    for (const stage of data.stages) {
      const shared = { query: data.query, cell: data.cell, flip: data.flip, scale: data.scales[stage.colours] };
      this.stages.get(stage.id).update({ ...shared, ...stage });
    }
    if (changed && (!first || touched()) && document.documentElement.dataset.attnviz === 'lecture') {
      this.row.lastChild.scrollIntoView({ block: 'nearest' }); // the one that was stepped to
    }
    this.next();
  }

  send(what) {
    this.waiting.push({ made: tick(), what });
    this.next();
  }

  /** Send one edit at a time: of several that wait for a run, Streamlit keeps only the last. */
  next() {
    if (!this.waiting.length || (this.asked && performance.now() - this.asked.at < PATIENCE)) return;
    this.asked = { ...this.waiting.shift(), n: tick(), at: performance.now() };
    this.put({ rev: this.data.rev, n: this.asked.n, ...this.asked.what });
  }
}

export default part('av-pipeline', (root) => new Pipeline(root));
