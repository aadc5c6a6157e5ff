// The editor of a matrix: a grid of text cells, a label and a mask switch above and below each
// column, and the same numbers as one text. It sends whole states; Python alone reads numbers.
import { el, part, set, text, tick, visible } from './base.js';

const PLAIN = /^[+\-−]?(\d+\.?\d*|\.\d+)$/; // complete while it is typed: painted at once
const DECIMAL = /^[+\-−]?\d*,\d+$/; // one number with a decimal comma, not two
const MINUS = /−/g;

class Matrix {
  done = []; // the last changes that no state was the answer to, each with its time

  constructor(root) {
    this.grid = el('div', { role: 'grid', class: 'av-grid' });
    this.addColumn = el('button', { type: 'button', onclick: () => this.resize(0, 1) });
    this.addRow = el('button', { type: 'button', onclick: () => this.resize(1, 0) });
    this.line = el('textarea', { rows: 1, spellcheck: 'false', autocomplete: 'off' });
    this.lineLabel = el('span', {});
    this.read = el('p', { class: 'av-note', role: 'status' });
    this.errors = el('ul', { class: 'av-error', role: 'alert' });
    this.choices = el('div', { class: 'av-row' });
    this.unfold = el('button', { type: 'button', 'aria-expanded': 'false', onclick: () => this.fold(this.lineBox.hidden) }, 'as text');
    this.tools = el('div', { class: 'av-row' }, this.addColumn, this.addRow, this.unfold);
    this.lineBox = el('div', {}, el('label', { class: 'av-label av-wide' }, this.lineLabel, this.line), this.read);
    root.replaceChildren(el('div', { class: 'av-scroll' }, this.grid), this.tools, this.lineBox, this.errors, this.choices);
    this.line.oninput = () => { this.typing = tick(); this.fit(); };
    this.line.onchange = () => this.sendLine(this.line.value);
    this.line.onkeydown = (event) => {
      if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); this.sendLine(this.line.value); }
    };
    this.grid.onkeydown = (event) => this.key(event);
    this.grid.onpaste = (event) => this.paste(event);
  }

  update(data, put, since) {
    this.put = put;
    const fresh = !this.data || data.rev !== this.data.rev;
    this.data = data;
    this.grid.parentNode.parentNode.classList.toggle('av-dense', Boolean(data.fixed));
    if (fresh) {
      this.labels = [...data.labels];
      this.cells = data.cells.map((row) => [...row]);
      this.hide = new Set(data.hide ?? []);
      this.names = data.rowLabels ? [...data.rowLabels] : null;
      this.asked = null;
      if (!(this.typing > since)) this.typing = null;
    }
    this.done = this.done.filter((one) => one.n > (fresh ? since : data.n));
    if (fresh) {
      this.done.forEach((one) => one.change()); // made while this state was on its way
      this.lay();
    }
    this.unfold.hidden = !data.folded;
    if (fresh || data.fromLine) this.fold(!data.compact && (!data.folded || Boolean(data.fromLine) || this.unfolded === true));
    this.addRow.hidden = (Boolean(data.compact) && !data.folded) || data.maxRows === 1;
    const settled = fresh || !this.asked || this.asked === data.n;
    if (settled && !this.typing) { this.line.value = data.text; this.fit(); }
    if (!settled) return; // a newer edit is on its way: keep what is on screen
    text(this.read, data.read ?? '');
    this.errors.replaceChildren(...(data.errors ?? []).map((error) => el('li', {}, error.say)));
    this.choices.replaceChildren(...(data.choices ?? []).map((choice) => el('button', { type: 'button', onclick: () => this.sendLine(choice.text, choice.fix) }, choice.say)));
    const bad = new Set((data.errors ?? []).filter((e) => e.row !== null).map((e) => `${e.row}:${e.column}`));
    this.each((input, i, j) => set(input, 'aria-invalid', bad.has(`${i}:${j}`) ? 'true' : null));
    set(this.line, 'aria-invalid', (data.errors ?? []).length && data.fromLine ? 'true' : null);
    this.grid.classList.toggle('av-stale', Boolean(data.fromLine));
    this.marks();
    const sent = this.done.filter((one) => one.more);
    if (fresh && sent.length) this.send(Object.assign({}, ...sent.map((one) => one.more)));
  }

  /** Show the line of text, or fold it away. */
  fold(open) {
    if (this.data.folded) this.unfolded = open;
    this.lineBox.hidden = !open;
    set(this.unfold, 'aria-expanded', String(open));
    if (open) this.fit();
  }

  /** Build the cells when the shape changed, else only fill them. */
  lay() {
    const { data } = this;
    const rows = this.cells.length;
    const columns = this.labels.length;
    const shape = `${rows}x${columns}`;
    if (this.shape !== shape) {
      this.shape = shape;
      const at = this.grid.contains(document.activeElement) ? document.activeElement.dataset.at : null;
      this.grid.style.setProperty('--columns', columns);
      set(this.grid, 'aria-label', data.name);
      set(this.grid, 'aria-rowcount', rows + 2);
      set(this.grid, 'aria-colcount', columns + 1);
      const head = (words) => el('span', { role: 'rowheader', class: 'av-side' }, words);
      const labels = this.labels.map((label, j) => el('span', { role: 'columnheader', style: `--key:${data.colors ? data.colors[j % data.colors.length] : 'transparent'}` },
        data.fixed ? el('span', { class: 'av-fixed' }, label) : el('input', { class: 'av-key', maxlength: 200, tabindex: -1, 'aria-label': `Label of ${data.columnName} ${j + 1}`, autocomplete: 'off', spellcheck: 'false', onchange: (event) => this.relabel(j, event.target.value) }),
        columns > 1 ? el('button', { type: 'button', class: 'av-remove', tabindex: -1, title: `Remove ${data.columnName} ${j + 1}`, 'aria-label': `Remove ${data.columnName} ${j + 1}`, onclick: () => this.remove(null, j) }, '×') : null));
      const lines = this.cells.map((row, i) => el('div', { role: 'row' }, this.names ? this.nameHead(i, rows) : rows > 1 ? this.rowHead(i) : head(data.cellName),
        ...row.map((_, j) => el('span', { role: 'gridcell' }, el('input', { class: 'av-cell', inputmode: 'text', autocomplete: 'off', spellcheck: 'false', 'data-at': `${i}:${j}`,
          oninput: (event) => this.type(i, j, event.target.value), onchange: (event) => this.commit(i, j, event.target.value), onfocus: (event) => event.target.select() })))));
      const masks = this.labels.map((_, j) => el('span', { role: 'gridcell', class: 'av-under' },
        el('button', { type: 'button', role: 'switch', class: 'av-mask', onclick: () => this.mask(j) }, 'mask'),
        ));
      this.grid.replaceChildren(el('div', { role: 'row' }, head(data.corner ?? 'key'), ...labels), ...lines);
      if (data.hide) this.grid.append(el('div', { role: 'row' }, head('mask'), ...masks));
      this.labelInputs = [...this.grid.querySelectorAll('.av-key')];
      this.inputs = [...this.grid.querySelectorAll('.av-cell')];
      this.switches = [...this.grid.querySelectorAll('.av-mask')];
      this.nameInputs = [...this.grid.querySelectorAll('.av-name')];
      if (at) this.grid.querySelector(`[data-at="${at}"]`)?.focus(); // one may be about to type
      text(this.addColumn, `+ ${data.columnName}`);
      text(this.addRow, `+ ${data.rowName}`);
      text(this.lineLabel, data.lineName);
    }
    const longest = Math.max(...this.cells.flat().map((words) => words.length));
    this.grid.style.setProperty('--chars', Math.min(longest, 10));
    if (!data.fixed) this.labels.forEach((label, j) => this.fill(this.labelInputs[j], label));
    if (this.names) this.names.forEach((name, i) => this.fill(this.nameInputs[i], name));
    this.each((input, i, j) => { if (input.value !== this.cells[i][j]) input.value = this.cells[i][j]; });
    this.addColumn.disabled = columns >= data.maxColumns;
    this.addRow.disabled = rows >= data.maxRows;
    this.marks();
  }

  /** Put a label into its box; one that nobody could see gets a frame. */
  fill(box, label) {
    if (box.value !== label) box.value = label;
    box.classList.toggle('av-blank', !label.trim());
    set(box, 'placeholder', label === '' ? visible(label) : null);
    set(box, 'title', label.trim() ? null : visible(label));
  }

  /** A row with a label of its own, such as a token. */
  nameHead(i, rows) {
    return el('span', { role: 'rowheader', class: 'av-side' },
      el('input', { class: 'av-name', maxlength: 200, tabindex: -1, readonly: Boolean(this.data.namesFixed), 'aria-label': `Label of ${this.data.rowName} ${i + 1}`, autocomplete: 'off', spellcheck: 'false', onchange: (event) => this.rename(i, event.target.value) }),
      rows > 1 ? el('button', { type: 'button', class: 'av-remove', tabindex: -1, title: `Remove ${this.data.rowName} ${i + 1}`, 'aria-label': `Remove ${this.data.rowName} ${i + 1}`, onclick: () => this.remove(i, null) }, '×') : null);
  }

  rowHead(i) {
    return el('span', { role: 'rowheader', class: 'av-side' },
      el('button', { type: 'button', class: 'av-choose', title: 'Show this query step by step', onclick: () => this.choose(i) }, `${this.data.rowName} ${i + 1}`),
      el('button', { type: 'button', class: 'av-remove', tabindex: -1, 'aria-label': `Remove ${this.data.rowName} ${i + 1}`, onclick: () => this.remove(i, null) }, '×'));
  }

  each(visit) {
    const columns = this.labels.length;
    this.inputs.forEach((input, at) => visit(input, Math.floor(at / columns), at % columns));
  }

  /** Masked cells, names for screen readers, the chosen row. */
  marks() {
    const { data } = this;
    this.each((input, i, j) => {
      const masked = this.hide.has(j) || this.cells[i][j].trim().replace(MINUS, '-') === '-inf';
      input.classList.toggle('av-masked', masked);
      input.classList.toggle('av-marked', data.mark === i);
      const where = this.names ? `${data.cellName}, ${visible(this.names[i])}, column ${j + 1}` : `${data.cellName} of ${visible(this.labels[j])}${this.cells.length > 1 ? `, ${data.rowName} ${i + 1}` : ''}`;
      set(input, 'aria-label', `${where}${masked ? ', masked' : ''}`);
    });
    this.switches.forEach((button, j) => {
      const on = this.hide.has(j);
      set(button, 'aria-label', `Mask ${visible(this.labels[j])}`);
      const typed = this.cells.every((row) => row[j].trim().replace(MINUS, '-') === '-inf');
      text(button, typed ? '−inf' : on ? 'masked' : 'mask');
      button.disabled = typed;
      button.title = typed ? 'Masked by its score, −inf: type a number to unmask it' : '';
      set(button, 'aria-checked', String(on || typed));
      const remove = this.labelInputs[j]?.nextSibling;
      if (remove) { set(remove, 'aria-label', `Remove ${visible(this.labels[j])}`); set(remove, 'title', `Remove ${visible(this.labels[j])}`); }
    });
    this.grid.querySelectorAll('.av-choose').forEach((button, i) => set(button, 'aria-pressed', String(i === data.row)));
  }

  /** Change what is on screen, and send it; without `more` it is only typed so far. */
  act(change, more) {
    change();
    const n = more ? this.send(more) : tick();
    this.done.push({ n, change, more });
  }

  send(more) {
    this.asked = tick();
    this.put({ rev: this.data.rev, n: this.asked, live: false, labels: this.labels, cells: this.cells, hide: [...this.hide].sort((a, b) => a - b), ...(this.names ? { names: this.names } : {}), ...more });
    return this.asked;
  }

  sendLine(words, fix = false) {
    this.typing = null;
    if (fix) this.act(() => {}, { text: words, fix });
    else if (words !== this.data.text || this.data.choices?.length) this.act(() => {}, { text: words });
  }

  type(i, j, words) {
    this.act(() => this.write(i, j, words), PLAIN.test(words.trim()) ? { live: true } : null);
    this.marks();
  }

  commit(i, j, words) {
    this.act(() => this.write(i, j, words), { live: false });
    this.marks();
  }

  write(i, j, words) { if (this.cells[i]?.[j] !== undefined) this.cells[i][j] = words; }

  relabel(j, words) {
    this.act(() => { if (j < this.labels.length) this.labels[j] = words; }, {});
    this.fill(this.labelInputs[j], words);
    this.marks();
  }

  rename(i, words) {
    this.act(() => { if (i < this.names?.length) this.names[i] = words; }, {});
    this.fill(this.nameInputs[i], words);
    this.marks();
  }

  mask(j) {
    const on = !this.hide.has(j);
    this.act(() => { if (!on) this.hide.delete(j); else if (j < this.labels.length) this.hide.add(j); }, {});
    this.marks();
  }

  choose(i) { this.act(() => {}, { row: i }); }

  resize(rows, columns) {
    this.act(() => this.grow(rows, columns), {});
    this.lay();
    const last = this.inputs[columns ? this.labels.length - 1 : this.inputs.length - this.labels.length];
    last.focus();
  }

  grow(rows, columns) {
    if (columns && this.labels.length < this.data.maxColumns) {
      this.labels.push(this.data.fixed ? String(this.labels.length + 1) : this.fresh());
      this.cells.forEach((row) => row.push('0'));
    }
    if (rows && this.cells.length < this.data.maxRows) {
      this.cells.push(this.labels.map(() => '0'));
      if (this.names) this.names.push(`${this.data.rowLetter}${this.names.length + 1}`);
    }
  }

  fresh() {
    for (let n = this.labels.length + 1; ; n += 1) if (!this.labels.includes(`k${n}`)) return `k${n}`;
  }

  remove(row, column) {
    this.act(() => this.without(row, column), { removed: row === null ? ['column', column] : ['row', row] });
    this.lay();
    this.inputs[Math.min(column ?? 0, this.labels.length - 1)].focus();
  }

  without(row, column) {
    if (column !== null && this.labels.length > 1) {
      this.labels.splice(column, 1);
      this.cells.forEach((cells) => cells.splice(column, 1));
      this.hide = new Set([...this.hide].filter((j) => j !== column).map((j) => (j > column ? j - 1 : j)));
    }
    if (row !== null && this.cells.length > 1) {
      this.cells.splice(row, 1);
      this.names?.splice(row, 1);
    }
    if (this.data.fixed) this.labels = this.labels.map((_, j) => String(j + 1));
  }

  /** All that the arrow keys reach, line by line: before the cells of a row its label and its ×. */
  lines() {
    const columns = this.labels.length;
    const heads = [...this.grid.querySelectorAll('.av-side')].map((side) => {
      const [name, remove] = [side.querySelector('.av-name, .av-choose'), side.querySelector('.av-remove')];
      return [name, remove].filter((one) => one);
    });
    const deepest = Math.max(...heads.map((head) => head.length));
    const line = (head, items) => [...Array(deepest - head.length), ...head, ...items];
    const removes = [...this.grid.querySelectorAll('[role=columnheader] .av-remove')];
    return [
      line([], removes),
      ...(this.data.fixed ? [] : [line([], this.labelInputs)]),
      ...this.cells.map((_, i) => line(heads[i + 1], this.inputs.slice(i * columns, (i + 1) * columns))),
      line([], this.switches),
    ];
  }

  /** Arrow keys move; Shift with them changes a plain number by 0.1. */
  key(event) {
    const at = event.target;
    const lines = this.lines();
    const line = lines.findIndex((items) => items.includes(at));
    if (line < 0) return;
    const place = lines[line].indexOf(at);
    const up = event.key === 'ArrowUp';
    const down = event.key === 'ArrowDown';
    if ((up || down) && event.shiftKey && at.classList.contains('av-cell') && PLAIN.test(at.value.trim())) {
      const value = Number(at.value.trim().replace(MINUS, '-')) + (up ? 0.1 : -0.1);
      at.value = String(Number(value.toFixed(6)));
      this.commit(Number(at.dataset.at.split(':')[0]), place, at.value);
      event.preventDefault();
      return;
    }
    let next;
    if (up) next = lines[line - 1]?.[place];
    else if (down) next = lines[line + 1]?.[place];
    else if (event.key === 'Enter' && at.tagName === 'INPUT' && !at.getAttribute('aria-invalid')) next = this.below(lines, line, place);
    else if (event.key === 'ArrowLeft' && this.edge(at, 0)) next = lines[line][place - 1];
    else if (event.key === 'ArrowRight' && this.edge(at, 1)) next = lines[line][place + 1];
    else return;
    if (!next) return;
    event.preventDefault();
    next.focus();
    if (next.select) next.select();
  }

  /** The cell below, never the mask button: Enter twice must not mask a key. */
  below(lines, line, place) {
    const next = lines[line + 1]?.[place];
    return next?.tagName === 'INPUT' ? next : null;
  }

  /** True when the caret can't move further inside the text, or all of it is selected. */
  edge(input, end) {
    if (input.tagName !== 'INPUT') return true;
    const { selectionStart: from, selectionEnd: to, value } = input;
    if (from === 0 && to === value.length) return true;
    return from === to && from === (end ? value.length : 0);
  }

  /** A block pasted into a cell goes to Python, which reads it and says where it failed. */
  paste(event) {
    if (!event.target.classList.contains('av-cell')) return;
    const words = event.clipboardData.getData('text');
    if (!/[\t\n;,\s\[]/.test(words.trim()) || DECIMAL.test(words.trim())) return;
    event.preventDefault();
    const [row, column] = event.target.dataset.at.split(':').map(Number);
    this.act(() => {}, { paste: words, row: this.data.row, at: [row, column] });
  }

  fit() { set(this.line, 'rows', Math.min(6, this.line.value.split('\n').length)); }
}

export default part('av-matrix', (root) => new Matrix(root));
