// A Plotly figure that is updated in place, so that zoom and hover survive, with SVG and PNG.
import { el, set, styled } from './base.js';

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

const decoder = new TextDecoder();

export default async function ({ data, parentElement }) {
  const root = parentElement.querySelector('.av-plot');
  const turn = (root.turn = (root.turn ?? 0) + 1);
  const sent = JSON.parse(typeof data === 'string' ? data : decoder.decode(data));
  if (!root.picture) {
    root.picture = el('div', { role: 'img' });
    const button = (format) => el('button', { type: 'button', title: `Save this figure as ${format.toUpperCase()}`, onclick: () => root.save(format) }, format.toUpperCase());
    root.replaceChildren(root.picture, el('div', { class: 'av-save' }, button('svg'), button('png')));
    root.picture.style.minHeight = `${sent.figure.layout.height ?? 320}px`;
  }
  const [Plotly] = await Promise.all([plotly(sent.source), styled()]);
  if (turn !== root.turn) return; // a newer figure overtook this one
  const css = getComputedStyle(root);
  const theme = (name) => css.getPropertyValue(name).trim();
  const { data: traces, layout } = sent.figure;
  const size = (layout.font?.size ?? 14) * sent.scale;
  layout.font = { ...layout.font, size, family: theme('--st-font') || 'sans-serif', color: theme('--st-text-color') };
  layout.paper_bgcolor = layout.plot_bgcolor = 'rgba(0,0,0,0)';
  layout.hoverlabel = { ...layout.hoverlabel, bgcolor: theme('--st-secondary-background-color'), font: { color: theme('--st-text-color') } };
  layout.height = (layout.height ?? 320) * sent.scale;
  layout.autosize = true;
  set(root.picture, 'aria-label', sent.alt);
  root.picture.style.minHeight = `${layout.height}px`;
  await Plotly.react(root.picture, traces, layout, { displayModeBar: false, displaylogo: false, responsive: true, showSendToCloud: false, doubleClick: 'reset' });
  root.save = (format) => Plotly.downloadImage(
    { data: traces, layout: { ...layout, autosize: false, paper_bgcolor: theme('--st-background-color') }, config: { showSendToCloud: false } },
    { format, filename: sent.name, width: Math.max(root.clientWidth, 480), height: layout.height, scale: format === 'png' ? 2 : 1 });
}
