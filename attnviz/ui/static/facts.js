// Terms with their values, each with a mark when it is a check, and sentences about a link.
import { el, set, styled } from './base.js';

export default async function ({ data, parentElement }) {
  await styled();
  const root = parentElement.querySelector('.av-facts');
  set(root, 'data-tone', data.tone);
  set(root, 'role', data.tone === 'warning' ? 'alert' : null);
  const marks = { true: '✓', false: '✗' };
  root.replaceChildren(...data.items.map((item) => el('div', { class: 'av-fact', title: item.help ?? null, 'data-ok': item.ok ?? null },
    item.term ? el('span', { class: 'av-term' }, item.term) : null,
    el('span', { class: 'av-value' }, item.ok === undefined || item.ok === null ? '' : el('span', { class: 'av-ok' }, `${marks[item.ok]} `), item.value),
    item.note ? el('span', { class: 'av-note' }, item.note) : null)));
}
