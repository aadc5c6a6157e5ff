// A button that copies the page's own address, or the page in another state, and says that it did.
import { el, part, text } from './base.js';

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

function address(query) {
  const here = new URL(window.location.href);
  if (query !== null) here.search = query;
  here.searchParams.delete('embed');
  here.searchParams.delete('embed_options');
  return here.href;
}

class Copy {
  constructor(root) {
    this.button = el('button', { type: 'button', onclick: () => this.copy() });
    this.said = el('span', { class: 'av-hidden', role: 'status' });
    root.replaceChildren(this.button, this.said);
  }

  update(data) {
    this.data = data;
    text(this.button, data.label);
    this.button.disabled = data.disabled;
    this.button.title = data.help;
  }

  async copy() {
    let word = this.data.done;
    try { await copy(address(this.data.query)); } catch { word = 'Not copied: select it by hand'; }
    text(this.button, word);
    text(this.said, word);
    setTimeout(() => { text(this.button, this.data.label); text(this.said, ''); }, 1600);
  }
}

export default part('av-copy', (root) => new Copy(root));
