// Writes the state of a page that one comes back to into its address. Streamlit would make a second
// step of the history of it, and Back would lead to the page without its state.
import { part } from './base.js';

const AGAIN = 30; // ms until it is looked again whether the browser is there

class Address {
  constructor(root) { this.root = root; root.hidden = true; }

  update(data) {
    this.data = data;
    this.write();
  }

  write() {
    const { page, query, own } = this.data;
    if (!this.root.isConnected) return;
    if (!location.pathname.endsWith(`/${page}`)) { setTimeout(() => this.write(), AGAIN); return; }
    const kept = location.search.slice(1).split('&').filter((one) => own.includes(one.split('=')[0]));
    history.replaceState(history.state, '', `?${[...kept, query].join('&')}`);
  }
}

export default part('av-address', (root) => new Address(root));
