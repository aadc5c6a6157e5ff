// The arithmetic as a table: read-only cells, each of which can be chosen and explains itself.
import { el, part, set, text, tick, visible } from './base.js';

class Table {
  lasting = true; // a choice means the same in any state

  constructor(root) {
    this.table = el('table', { class: 'av-table' });
    this.symbols = el('p', { class: 'av-symbols' });
    this.words = el('p', { class: 'av-note' });
    this.panel = el('div', { class: 'av-explain', role: 'status' }, this.symbols, this.words);
    root.replaceChildren(el('div', { class: 'av-scroll' }, this.table), this.panel);
    this.table.onclick = (event) => { const cell = event.target.closest('[data-pick]'); if (cell) this.pick(cell); };
    this.table.onkeydown = (event) => this.key(event);
  }

  update(data, put) {
    this.put = put;
    this.data = data;
    const shape = `${data.rows.length}x${data.head.length}x${data.foot.length}`;
    if (this.shape !== shape) { this.shape = shape; this.build(data); }
    text(this.caption.firstChild, data.caption);
    data.head.forEach((column, j) => { text(this.heads[j], column.text); set(this.heads[j], 'title', column.help); });
    data.rows.forEach((row, i) => {
      const line = this.lines[i];
      line.classList.toggle('av-masked', Boolean(row.masked));
      set(line.firstChild, 'style', row.color ? `--key:${row.color}` : null);
      text(line.firstChild, visible(row.label));
      row.cells.forEach((words, j) => {
        const cell = line.children[j + 1];
        text(cell, words);
        const name = row.pick ? `${data.head[j + 1].id}:${row.pick}` : null;
        set(cell, 'data-pick', name);
        set(cell, 'aria-selected', name ? String(name === data.pick) : null);
      });
    });
    data.foot.forEach((row, i) => {
      text(this.feet[i].firstChild, row.label);
      row.cells.forEach((words, j) => text(this.feet[i].children[j + 1], words));
    });
    const cells = [...this.table.querySelectorAll('[data-pick]')];
    const home = cells.find((cell) => cell.dataset.pick === data.pick) ?? cells.find((cell) => cell === document.activeElement) ?? cells[0];
    for (const cell of cells) set(cell, 'tabindex', cell === home ? 0 : -1);
    this.panel.hidden = !data.symbols && !data.words;
    text(this.symbols, data.symbols ?? '');
    text(this.words, data.words ?? '');
    if (this.picked && !this.panel.hidden) this.panel.scrollIntoView({ block: 'nearest' }); // it was asked for
    this.picked = false;
  }

  build(data) {
    const head = data.head.map((column) => el('th', { scope: 'col' }));
    const lines = data.rows.map((row) => el('tr', {}, el('th', { scope: 'row' }), ...row.cells.map(() => el('td'))));
    const feet = data.foot.map((row) => el('tr', {}, el('th', { scope: 'row' }), ...row.cells.map(() => el('td'))));
    this.caption = el('caption', {}, el('span'));
    this.heads = head;
    this.lines = lines;
    this.feet = feet;
    this.table.replaceChildren(this.caption, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...lines), el('tfoot', {}, ...feet));
    set(this.table, 'role', data.rows[0]?.pick ? 'grid' : null);
  }

  pick(cell) {
    const name = cell.dataset.pick;
    this.put({ rev: this.data.rev, n: tick(), pick: name === this.data.pick ? '' : name });
    this.picked = true;
    cell.focus();
  }

  key(event) {
    const cell = event.target.closest('[data-pick]');
    if (!cell) return;
    if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); this.pick(cell); return; }
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const i = this.lines.indexOf(cell.parentNode) + step[0];
    const j = [...cell.parentNode.children].indexOf(cell) + step[1];
    const next = this.lines[i]?.children[j];
    if (!next?.dataset.pick) return;
    set(cell, 'tabindex', -1);
    set(next, 'tabindex', 0);
    next.focus();
  }
}

export default part('av-steps', (root) => new Table(root));
