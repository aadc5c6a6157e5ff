// An answer in numbers, with the reply to it: one line of text, and for a mask a cell for each
// query and key, which a click switches. The text is what is sent; Python alone reads it.
import { along, el, part, set, text, tick } from './base.js';

const drafts = new Map(); // what was typed and not checked yet, by its place in the lessons

/** The cells of a text of ones and zeros, or null when it isn't a mask of this shape. */
function cellsOf(words, rows, columns) {
  const cells = words.trim().split(/\s*[;\n]\s*/).map((row) => row.split(/[\s,]+/));
  const fits = cells.length === rows && cells.every((row) => row.length === columns && row.every((word) => word === '0' || word === '1'));
  return fits ? cells.map((row) => row.map(Number)) : null;
}

class Answer {
  constructor(root) {
    this.table = el('table', { role: 'grid' });
    this.box = el('div', { class: 'av-scroll' }, this.table);
    this.line = el('input', { autocomplete: 'off', spellcheck: 'false', maxlength: 300 });
    this.lineLabel = el('span');
    this.check = el('button', { type: 'button', onclick: () => this.send() });
    this.reply = el('p', { class: 'av-reply', role: 'status' });
    this.line.oninput = () => this.typed();
    this.line.onkeydown = (event) => { if (event.key === 'Enter') this.send(); };
    this.table.onkeydown = (event) => along(event, this.buttons);
    root.replaceChildren(this.box, el('label', { class: 'av-label av-wide' }, this.lineLabel, this.line), el('div', { class: 'av-row' }, this.check), this.reply);
  }

  update(data, put) {
    const fresh = !this.data || this.data.rev !== data.rev || this.data.place !== data.place;
    const answered = !fresh && this.data.n !== data.n;
    this.data = data;
    this.put = put;
    text(this.check, data.submit);
    text(this.lineLabel, data.lineName);
    set(this.line, 'aria-label', data.ask);
    this.box.hidden = !data.grid;
    if (fresh) {
      if (data.grid) this.lay();
      this.line.value = drafts.get(data.place) ?? (data.answer || (data.grid ? this.written() : ''));
    }
    this.look();
    if (answered) this.reply.scrollIntoView({ block: 'nearest' });
  }

  lay() {
    const { rows, columns, label } = this.data.grid;
    this.cells = rows.map(() => columns.map(() => 1));
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
    this.typed();
  }

  typed() {
    drafts.set(this.data.place, this.line.value);
    this.look();
  }

  /** The cells follow the text; the reply is there as long as it is about what stands in the line. */
  look() {
    const { answer, grid, reply } = this.data;
    const about = answer !== '' && this.line.value.trim().toLowerCase() === answer.trim().toLowerCase();
    text(this.reply, about ? `${reply.ok ? '✓' : '✗'} ${reply.value}` : '');
    set(this.reply, 'data-ok', about ? String(reply.ok) : null);
    if (!grid) return;
    const found = (about && grid.cells) || cellsOf(this.line.value, grid.rows.length, grid.columns.length);
    if (found) this.cells = found.map((row) => [...row]);
    this.table.classList.toggle('av-stale', !found);
    this.cells.forEach((row, i) => row.forEach((allowed, j) => {
      const button = this.buttons[i][j];
      text(button, found ? String(allowed) : '?'); // the text is no such mask
      button.classList.toggle('av-masked', Boolean(found) && !allowed);
      set(button, 'aria-checked', String(Boolean(allowed)));
      set(button, 'aria-label', `${grid.rows[i]}, ${grid.columns[j]}: ${grid.words[allowed]}`);
    }));
  }

  send() {
    this.line.value = this.line.value.trim();
    if (!this.line.value) { text(this.reply, this.data.nudge); this.line.focus(); return; }
    drafts.delete(this.data.place);
    this.put({ rev: this.data.rev, n: tick(), text: this.line.value });
  }
}

export default part('av-answer', (root) => new Answer(root));
