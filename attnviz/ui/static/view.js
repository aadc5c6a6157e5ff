// Sets the whole page for a lecture room, with type large enough for the back row.
import { styled } from './base.js';

export default async function ({ parentElement }) {
  parentElement.querySelector('.av-view').hidden = true;
  await styled();
  document.documentElement.dataset.attnviz = 'lecture';
}

/** Called when the part goes. */
export function leave() {
  delete document.documentElement.dataset.attnviz;
}
