// A button that copies a text, or the page's own address, and says that it did.
import { el, styled, text } from './base.js';

async function copy(words) {
  try {
    await navigator.clipboard.writeText(words);
  } catch { // no clipboard without https: select a hidden field instead
    const field = el('textarea', { class: 'av-hidden' });
    field.value = words;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    if (!done) throw new Error('not copied');
  }
}

function address() {
  const here = new URL(window.location.href);
  here.searchParams.delete('embed');
  here.searchParams.delete('embed_options');
  return here.href;
}

export default async function ({ data, parentElement }) {
  await styled();
  const root = parentElement.querySelector('.av-copy');
  if (!root.button) {
    root.button = el('button', { type: 'button' });
    root.said = el('span', { class: 'av-hidden', role: 'status' });
    root.replaceChildren(root.button, root.said);
  }
  text(root.button, data.label);
  root.button.disabled = Boolean(data.disabled);
  root.button.title = data.help ?? '';
  root.button.onclick = async () => {
    let word = data.done;
    try { await copy(data.text ?? address()); } catch { word = 'Not copied: select it by hand'; }
    text(root.button, word);
    text(root.said, word);
    setTimeout(() => { text(root.button, data.label); text(root.said, ''); }, 1600);
  };
}
