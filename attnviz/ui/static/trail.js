// The steps of a lesson in a row, the one that is open with its name as a heading below. Another
// step begins at its heading: there the focus goes, so that one reads on from there.
import { along, el, part, set, text, tick, touched } from './base.js';

const MARKS = { open: '', right: '✓', made: '•', wrong: '✗' };

class Trail {
  constructor(root) {
    this.row = el('div', { role: 'toolbar', class: 'av-trail-row' });
    this.here = el('h5', { class: 'av-here', tabindex: -1 });
    this.row.onkeydown = (event) => along(event, [this.buttons]);
    root.replaceChildren(this.row, this.here);
  }

  update(data, put) {
    const first = !this.data;
    const moved = !first && (this.data.at !== data.at || this.data.lesson !== data.lesson);
    this.data = data;
    this.put = put;
    if (this.buttons?.length !== data.steps.length) this.lay();
    set(this.row, 'aria-label', data.label);
    data.steps.forEach(({ name, said, mark }, at) => {
      const button = this.buttons[at];
      text(button.querySelector('.av-step-name'), name);
      text(button.querySelector('.av-step-mark'), MARKS[mark]);
      set(button.querySelector('.av-step-mark'), 'data-mark', mark);
      set(button, 'aria-label', said);
      set(button, 'title', said);
      set(button, 'aria-current', at === data.at ? 'step' : null);
      set(button, 'tabindex', at === data.at ? 0 : -1);
    });
    text(this.here, data.here);
    if (moved || (first && touched())) this.begin();
  }

  lay() {
    this.buttons = this.data.steps.map((_, at) => el('button', { type: 'button', onclick: () => this.go(at) },
      el('span', { class: 'av-step-mark' }), el('span', {}, String(at + 1)), el('span', { class: 'av-step-name' })));
    this.row.replaceChildren(...this.buttons);
  }

  begin() {
    this.row.parentNode.scrollIntoView({ block: 'nearest' });
    this.here.focus({ preventScroll: true });
  }

  go(at) { if (at !== this.data.at) this.put({ rev: this.data.rev, n: tick(), at, passed: this.data.passes }); }
}

export default part('av-trail', (root) => new Trail(root));
