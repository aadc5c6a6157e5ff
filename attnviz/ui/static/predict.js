// Bars that a person draws as a prediction, each a slider from 0 to 1; once committed the true
// weights stand beside them, and one may draw again.
import { el, part, set, text, tick } from './base.js';

const drafts = new Map(); // bars that were drawn and not committed yet, by their place in the lessons
const MARKS = [1, 0.75, 0.5, 0.25, 0];

class Predict {
  constructor(root) {
    const scale = el('div', { class: 'av-scale', 'aria-hidden': 'true' }, ...MARKS.map((mark) => el('span', {}, String(mark))));
    this.bars = el('div', { class: 'av-drawn' });
    this.sum = el('p', { class: 'av-note', role: 'status' });
    this.commit = el('button', { type: 'button', onclick: () => this.press() });
    this.legend = el('p', { class: 'av-note' });
    this.reply = el('p', { class: 'av-reply', role: 'status' });
    root.replaceChildren(el('div', { class: 'av-drawing' }, scale, this.bars), el('div', { class: 'av-row' }, this.commit, this.sum), this.legend, this.reply);
  }

  update(data, put) {
    const fresh = !this.data || this.data.rev !== data.rev || this.data.place !== data.place;
    const answered = !fresh && this.data.n !== data.n;
    this.data = data;
    this.put = put;
    if (fresh) this.lay();
    if (fresh) this.again = Boolean(data.weights) && drafts.has(data.place);
    if (answered) this.again = false;
    this.look();
    if (answered) this.reply.scrollIntoView({ block: 'nearest' });
  }

  lay() {
    const { labels, scores, colors, words } = this.data;
    const drawn = drafts.get(this.data.place) ?? this.data.drawn;
    this.bars.style.setProperty('--bars', labels.length);
    this.columns = labels.map((label, j) => {
      const slider = el('input', { type: 'range', min: 0, max: 100, step: 1, 'aria-label': `Weight of ${label}, in hundredths`, oninput: () => { drafts.set(this.data.place, this.values()); this.look(); } });
      slider.value = String(Math.round(100 * (drawn?.[j] ?? 0)));
      const fill = el('span', { class: 'av-fill', style: `--key:${colors[j % colors.length]}` });
      const truth = el('span', { class: 'av-truth' });
      const said = el('span', { class: 'av-note' }, label);
      return { slider, fill, truth, said, box: el('div', { class: 'av-column' }, el('div', { class: 'av-stack' }, fill, truth, slider), el('span', { class: 'av-score' }, `${words.score} ${scores[j]}`), said) };
    });
    this.bars.replaceChildren(...this.columns.map((column) => column.box));
  }

  values() { return this.columns.map((column) => Number(column.slider.value) / 100); }

  look() {
    const { labels, weights, shown, words } = this.data;
    const told = Boolean(weights) && !this.again;
    const values = this.values();
    this.columns.forEach((column, j) => {
      column.fill.style.height = `${100 * values[j]}%`;
      column.slider.disabled = told;
      column.truth.hidden = !told;
      if (told) column.truth.style.bottom = `${100 * weights[j]}%`;
      text(column.said, `${labels[j]}: ${words.yours} ${values[j]}${told ? `\nweight ${shown[j]}` : ''}`);
    });
    const sum = Number(values.reduce((total, value) => total + value, 0).toFixed(2));
    text(this.sum, sum ? `${words.together} ${sum}.` : words.nothing);
    text(this.legend, told ? words.legend : '');
    text(this.reply, told ? this.data.reply : '');
    text(this.commit, told ? words.again : words.commit);
    set(this.commit, 'disabled', !told && sum === 0);
  }

  press() {
    if (this.data.weights && !this.again) {
      this.again = true;
      this.look();
      this.columns[0].slider.focus();
    } else {
      drafts.delete(this.data.place);
      this.put({ rev: this.data.rev, n: tick(), bars: this.values() });
    }
  }
}

export default part('av-predict', (root) => new Predict(root));
