// Bars that a person draws as a prediction, each a slider from 0 to 1; once committed the true
// weights stand beside them.
import { el, part, set, text, tick } from './base.js';

class Predict {
  constructor(root) {
    this.bars = el('div', { class: 'av-drawn' });
    this.sum = el('p', { class: 'av-note', role: 'status' });
    this.commit = el('button', { type: 'button', onclick: () => this.send() }, 'Commit');
    root.replaceChildren(this.bars, el('div', { class: 'av-row' }, this.commit, this.sum));
  }

  update(data, put) {
    const fresh = !this.data || this.data.rev !== data.rev || this.data.labels.length !== data.labels.length;
    this.data = data;
    this.put = put;
    if (fresh) this.lay();
    this.commit.hidden = Boolean(data.weights);
    this.columns.forEach((column, j) => {
      column.slider.disabled = Boolean(data.weights);
      column.truth.hidden = !data.weights;
      if (data.weights) {
        column.truth.style.bottom = `${100 * data.weights[j]}%`;
        text(column.said, `${data.labels[j]}: you ${column.slider.value / 100}, weight ${data.shown[j]}`);
      }
    });
    this.tell();
  }

  lay() {
    const { labels, colors, drawn } = this.data;
    this.columns = labels.map((label, j) => {
      const slider = el('input', { type: 'range', min: 0, max: 100, step: 1, 'aria-label': `Weight of ${label}, in hundredths`, oninput: () => this.tell() });
      slider.value = String(Math.round(100 * (drawn?.[j] ?? 0)));
      const fill = el('span', { class: 'av-fill', style: `--key:${colors[j % colors.length]}` });
      const truth = el('span', { class: 'av-truth' });
      const said = el('span', { class: 'av-note' }, label);
      return { slider, fill, truth, said, box: el('div', { class: 'av-column' }, el('div', { class: 'av-stack' }, fill, truth, slider), said) };
    });
    this.bars.replaceChildren(...this.columns.map((column) => column.box));
  }

  values() { return this.columns.map((column) => Number(column.slider.value) / 100); }

  tell() {
    const values = this.values();
    this.columns.forEach((column, j) => {
      column.fill.style.height = `${100 * values[j]}%`;
      if (!this.data.weights) text(column.said, `${this.data.labels[j]}: ${values[j]}`);
    });
    const sum = values.reduce((total, value) => total + value, 0);
    text(this.sum, `Together ${Number(sum.toFixed(2))}.`);
    set(this.commit, 'disabled', sum === 0);
  }

  send() { this.put({ rev: this.data.rev, n: tick(), bars: this.values() }); }
}

export default part('av-predict', (root) => new Predict(root));
