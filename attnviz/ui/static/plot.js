// A Plotly figure that is updated in place, so that zoom and hover survive, with SVG and PNG.
import { el, part, set, tick } from './base.js';

let library;
function plotly(source) {
  library ??= new Promise((done, fail) => {
    const script = el('script', { src: new URL(source, document.baseURI).href });
    script.onload = () => done(window.Plotly);
    script.onerror = () => fail(new Error('plotly.js did not load'));
    document.head.append(script);
  });
  return library;
}

/** The frame after the next one: what was changed before has been painted by then. */
const painted = () => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))); });

class Plot {
  lasting = true; // a choice means the same in any state

  constructor(root) {
    this.root = root;
    this.picture = el('div', { role: 'img' });
    const button = (format) => el('button', { type: 'button', title: `Save this figure as ${format.toUpperCase()}`, onclick: () => this.save(format) }, format.toUpperCase());
    root.replaceChildren(this.picture, el('div', { class: 'av-save' }, button('svg'), button('png')));
  }

  /** Once drawn: report clicks, and follow the width of the place it stands in. */
  begin() {
    this.picture.on('plotly_click', (event) => this.choose(event.points[0]));
    let width = this.picture.clientWidth;
    new ResizeObserver(() => {
      const now = this.picture.clientWidth;
      if (now === width || now === 0) return; // 0: it is hidden or gone, and can't be drawn
      width = now;
      this.Plotly.Plots.resize(this.picture).catch(() => {}); // it went while it was drawn
    }).observe(this.picture);
  }

  /** A bar was clicked: its place goes to Python, where the page asked for it. */
  choose(point) {
    if (this.sent.rev) this.put({ rev: this.sent.rev, n: tick(), bar: point.pointIndex });
  }

  async update(sent, put) {
    this.sent = sent;
    this.put = put;
    const { data: traces, layout } = sent.figure;
    const css = getComputedStyle(this.root);
    this.theme = (name) => css.getPropertyValue(name).trim();
    const size = (layout.font?.size ?? 14) * sent.scale;
    const family = this.theme('--st-font') || 'sans-serif';
    layout.font = { ...layout.font, size, family, color: this.theme('--st-text-color') };
    layout.hoverlabel = { ...layout.hoverlabel, font: { ...layout.hoverlabel?.font, family, size } };
    layout.paper_bgcolor = layout.plot_bgcolor = 'rgba(0,0,0,0)';
    const height = (layout.height ?? 320) * sent.scale;
    layout.height = sent.scale > 1 ? Math.min(height, Math.max(240, 0.5 * window.innerHeight)) : height;
    layout.autosize = true;
    set(this.picture, 'aria-label', sent.alt);
    this.picture.style.minHeight = `${layout.height}px`;
    this.Plotly ??= await plotly(sent.source);
    if (sent.late && this.drawn) await painted(); // the figures above it come first
    if (sent !== this.sent) return; // a newer figure overtook this one
    await this.Plotly.react(this.picture, traces, layout, { displayModeBar: false, displaylogo: false, responsive: true, showSendToCloud: false, doubleClick: 'reset' });
    if (!this.drawn) this.begin();
    this.drawn = true;
  }

  save(format) {
    const { figure: { data, layout }, name } = this.sent;
    const size = { width: Math.max(this.root.clientWidth, 480), height: layout.height, scale: format === 'png' ? 2 : 1 };
    const paper = { ...layout, autosize: false, paper_bgcolor: this.theme('--st-background-color') };
    this.Plotly.downloadImage({ data, layout: paper, config: { showSendToCloud: false } }, { format, filename: name, ...size });
  }
}

export default part('av-plot', (root) => new Plot(root));
