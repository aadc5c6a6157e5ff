// Sets the whole page for a lecture room, with type large enough for the back row, and lets a
// clicker's Page up and Page down step, wherever the focus is.
import { styled } from './base.js';

const BUTTONS = { PageDown: '[class*="step-Next"] button', PageUp: '[class*="step-Back"] button' };

function clicked(event) {
  const button = BUTTONS[event.key] && document.querySelector(BUTTONS[event.key]);
  if (!button) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  document.activeElement?.blur?.(); // what is being typed is read first
  if (!button.disabled) button.click();
}

export default async function ({ parentElement }) {
  parentElement.querySelector('.av-view').hidden = true;
  await styled();
  document.documentElement.dataset.attnviz = 'lecture';
  window.addEventListener('keydown', clicked, { capture: true });
}

/** Called when the part goes. */
export function leave() {
  delete document.documentElement.dataset.attnviz;
  window.removeEventListener('keydown', clicked, { capture: true });
}
