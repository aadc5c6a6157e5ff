// A mask as an answer: a cell for each query and key, which a click switches, and the same mask as
// one text. The text is what is sent; Python alone reads it.
import { along, el, part, set, text, tick } from './base.js';

/** The cells of a text of ones and zeros, or null when it isn't a mask of this shape. */
function cellsOf(words, rows, columns) {
  const cells = words.trim().split(/\s*[;\n]\s*/).map((row) => row.split(/[\s,]+/));
  const fits = cells.length === rows && cells.every((row) => row.length === columns && row.every((word) => word === '0' || word === '1'));
  return fits ? cells.map((row) => row.map(Number)) : null;
}

class Mask {
  constructor(root) {
    this.table = el('table', { role: 'grid' });
    this.line = el('input', { autocomplete: 'off', spellcheck: 'false', maxlength: 300 });
    this.lineLabel = el('span');
    this.check = el('button', { type: 'button', onclick: () => this.send() });
    root.replaceChildren(el('div', { class: 'av-scroll' }, this.table), el('label', { class: 'av-label av-wide' }, this.lineLabel, this.line), el('div', { class: 'av-row' }, this.check));
    this.line.oninput = () => this.read();
    this.line.onkeydown = (event) => { if (event.key === 'Enter') this.send(); };
    this.table.onkeydown = (event) => along(event, this.buttons);
  }

  update(data, put) {
    const fresh = !this.data || this.data.rev !== data.rev;
    this.data = data;
    this.put = put;
    text(this.check, data.submit);
    text(this.lineLabel, data.lineName);
    if (!fresh) return;
    this.lay();
    this.cells = data.rows.map(() => data.columns.map(() => 1));
    this.line.value = data.answer || this.written();
    this.read();
  }

  lay() {
    const { rows, columns, label } = this.data;
    set(this.table, 'aria-label', label);
    this.buttons = rows.map((_, i) => columns.map((__, j) => el('button', { type: 'button', role: 'switch', tabindex: i + j ? -1 : 0, onclick: () => this.turn(i, j) })));
    this.table.replaceChildren(
      el('thead', {}, el('tr', {}, el('td', {}), ...columns.map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', {}, ...rows.map((name, i) => el('tr', {}, el('th', { scope: 'row' }, name), ...this.buttons[i].map((button) => el('td', { role: 'gridcell' }, button))))),
    );
  }

  written() { return this.cells.map((row) => row.join(' ')).join('; '); }

  turn(i, j) {
    this.cells[i][j] = 1 - this.cells[i][j];
    this.line.value = this.written();
    this.read();
  }

  /** Take the cells from the text; a text that is no such mask greys them out. */
  read() {
    const { rows, columns, words } = this.data;
    const found = cellsOf(this.line.value, rows.length, columns.length);
    this.cells = found ?? this.cells;
    this.table.classList.toggle('av-stale', !found);
    this.cells.forEach((row, i) => row.forEach((allowed, j) => {
      const button = this.buttons[i][j];
      text(button, String(allowed));
      button.classList.toggle('av-masked', !allowed);
      set(button, 'aria-checked', String(Boolean(allowed)));
      set(button, 'aria-label', `${rows[i]}, ${columns[j]}: ${words[allowed]}`);
    }));
  }

  send() { this.put({ rev: this.data.rev, n: tick(), text: this.line.value }); }
}

export default part('av-mask-answer', (root) => new Mask(root));
