// The temperature: a T box, a β box, a logarithmic slider with marks, and the two limits.
import { el, part, set, text, tick } from './base.js';

const STEP = 0.02; // of log10 T: about 5 % a step
const PAUSE = 60; // ms between values sent while the thumb is dragged

class Temperature {
  lasting = true; // an edit means the same in any state

  constructor(root) {
    this.T = el('input', { class: 'av-box', inputmode: 'text', autocomplete: 'off', spellcheck: 'false' });
    this.beta = this.T.cloneNode();
    this.slider = el('input', { type: 'range', step: STEP, class: 'av-slider' });
    this.ticks = el('div', { class: 'av-ticks', 'aria-hidden': 'true' });
    this.marks = el('div', { class: 'av-chips', role: 'group', 'aria-label': 'Set the temperature' });
    this.error = el('p', { class: 'av-error', role: 'alert' });
    this.note = el('p', { class: 'av-note' });
    root.replaceChildren(
      el('div', { class: 'av-row' },
        el('label', { class: 'av-label' }, el('span', {}, 'Temperature T'), this.T),
        el('label', { class: 'av-label' }, el('span', {}, 'β = 1/T'), this.beta),
        this.marks),
      el('div', { class: 'av-track' }, this.slider, this.ticks),
      this.error, this.note);
    for (const [name, box] of [['T', this.T], ['beta', this.beta]]) {
      box.oninput = () => { this.typing = { box, n: tick() }; };
      box.onchange = () => { this.typing = null; this.send(name, box.value, false); };
      box.onfocus = () => box.select();
    }
    this.slider.onkeydown = (event) => { this.held = event.repeat; };
    this.slider.onkeyup = this.slider.onblur = () => { if (this.held) { this.held = false; this.slide(false); } };
    this.slider.onpointerdown = () => { this.dragged = true; this.slid = false; };
    this.slider.oninput = () => { this.slid = true; this.slide(this.dragged || this.held); };
    // a thumb that was only touched, or came back to where it was, sends no change event
    this.slider.onpointerup = this.slider.onpointercancel = () => setTimeout(() => this.release());
    this.slider.onchange = () => { if (this.dragged) { this.dragged = false; this.slide(false); } };
  }

  release() {
    if (!this.dragged) return;
    this.dragged = false;
    if (this.slid) this.slide(false); else this.slider.value = this.data.position;
  }

  /** The text of the temperature under the thumb; a mark within half a step is met exactly. */
  under() {
    const x = Number(this.slider.value);
    const mark = this.data.marks.find((m) => Math.abs(Math.log10(Number(m)) - x) <= STEP / 2 + 1e-9);
    return mark ?? String(Number((10 ** x).toPrecision(3)));
  }

  slide(live) {
    const value = this.under();
    this.T.value = value;
    set(this.slider, 'aria-valuetext', `T = ${value}`);
    clearTimeout(this.later);
    const wait = live ? this.sent + PAUSE - performance.now() : 0;
    if (wait > 0) this.later = setTimeout(() => this.send('T', value, true), wait);
    else this.send('T', value, live);
  }

  send(name, value, live) {
    const asked = this.asked;
    const known = asked ? asked.name === name && asked.text === value && asked.live === live : value === this.data[name];
    if (known) return;
    this.asked = { rev: this.data.rev, n: tick(), name, text: value, live };
    this.sent = performance.now();
    this.put(this.asked);
  }

  update(data, put, since) {
    this.put = put;
    const fresh = !this.data || data.rev !== this.data.rev;
    if (!this.data) this.build(data);
    this.sent ??= 0;
    this.data = data;
    if (!fresh && this.asked && data.n !== this.asked.n) return; // a newer edit is on its way
    if (fresh || !this.asked?.live) this.asked = null;
    if (fresh && !(this.typing?.n > since)) this.typing = null;
    for (const [name, box] of [['T', this.T], ['beta', this.beta]]) {
      if (this.typing?.box !== box) box.value = data[name]; // never over what is being typed
    }
    set(this.T, 'aria-invalid', data.error && data.name === 'T' ? 'true' : null);
    set(this.beta, 'aria-invalid', data.error && data.name === 'beta' ? 'true' : null);
    if (!this.dragged && !this.held) this.slider.value = data.position;
    set(this.slider, 'aria-valuetext', `T = ${data.T}`);
    text(this.error, data.error ?? '');
    text(this.note, data.note ?? '');
    for (const chip of this.marks.children) set(chip, 'aria-pressed', String(chip.name === data.name && chip.value === data[data.name]));
  }

  build(data) {
    set(this.slider, 'min', data.low);
    set(this.slider, 'max', data.high);
    set(this.slider, 'aria-label', 'Temperature T on a logarithmic scale');
    set(this.T, 'aria-label', 'Temperature T');
    set(this.beta, 'aria-label', 'Inverse temperature beta');
    const span = data.high - data.low;
    for (const mark of data.marks) {
      const at = (Math.log10(Number(mark)) - data.low) / span;
      const strong = data.chips.some(([, , value]) => value === mark);
      this.ticks.append(el('span', { class: strong ? 'av-tick av-strong' : 'av-tick', style: `--at:${at}` }, data.ends.includes(mark) ? mark : ''));
    }
    for (const [label, name, value, help] of data.chips) {
      const chip = el('button', { type: 'button', title: help, onclick: () => this.send(name, value, false) }, label);
      chip.name = name;
      chip.value = value;
      this.marks.append(chip);
    }
  }
}

export default part('av-temperature', (root) => new Temperature(root));
