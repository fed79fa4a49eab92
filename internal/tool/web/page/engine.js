// What answers the page's questions: the server that it came from, or the
// WebAssembly build beside it. Both run the same Go code.

import {bytes, reason} from './link.js';

export class Superseded extends Error {}

// newEngine returns what answers. What has to be loaded for it is, when load is called or
// something is asked; meanwhile it tells loading of how many bytes it has, of how many, or why it fails.
export function newEngine(kind, loading = () => {}) {
  return kind === 'wasm' ? new Local(loading) : new Server();
}

// stored is the answer about an example, which is a file; null where it cannot be had.
export async function stored(example, size) {
  try {
    const res = await fetch(`example-${example}-${size}.json`);
    return res.ok ? await res.json() : null;
  } catch {
    return null;
  }
}

export async function catalog() {
  const res = await fetch('catalog.json');
  if (!res.ok) throw new Error(`catalog.json: ${res.status} ${res.statusText}`);
  return res.json();
}

export class TooLong extends Error {
  constructor(most) { super(`the text has more than the ${most} bytes that can be shown here; the command takes more`); }
}

class Server {
  load() {}

  // ask asks a question about the text of an editor, which may have so many bytes.
  async ask(question, editor, most) {
    this.last?.abort();
    const text = editor.length > most ? '' : editor.text;
    if (!text && editor.length || 3 * text.length > most && bytes(text) > most) throw new TooLong(most);
    const mine = this.last = new AbortController();
    let res;
    try {
      res = await fetch('answer', {
        method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({...question, text}), signal: mine.signal,
      });
      if (res.ok) return await res.json();
    } catch (e) {
      if (mine.signal.aborted) throw new Superseded();
      throw new Error('The explorer does not answer. Is ptxabi serve still running?');
    }
    throw new Error((await res.text()).trim() || res.statusText);
  }
}

// Local asks keeper.js, which has the text in another thread. What is sent of it is what was
// changed, so that a key in a long text costs no more than in a short one.
class Local {
  constructor(loading) {
    Object.assign(this, {loading, asked: new Map(), last: 0});
  }

  load() {
    if (this.keeper) return;
    this.loading(0, 0);
    this.anew = true;
    this.keeper = new Worker('keeper.js', {type: 'module'});
    this.keeper.onmessage = (e) => this.hear(e.data);
    this.keeper.onerror = (e) => {
      e.preventDefault();
      this.loading(0, 0, reason(e, 'keeper.js cannot be loaded'));
      for (const {reject} of this.asked.values()) reject(new Error(reason(e, 'keeper.js cannot be loaded')));
      this.asked.clear();
      this.keeper = null; // the next question begins another
    };
    this.keeper.postMessage({});
  }

  ask(question, editor, most) {
    this.load();
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.asked.set(id, {resolve, reject, most});
      this.keeper.postMessage({id, question, most, changes: editor.changes(this.anew)});
      this.anew = false;
    });
  }

  hear({id, answer, error, superseded, tooLong, have, all, failed}) {
    if (all !== undefined) {
      this.loading(have, all, failed);
      return;
    }
    const {resolve, reject, most} = this.asked.get(id) ?? {};
    if (!this.asked.delete(id)) return;
    if (superseded) reject(new Superseded());
    else if (tooLong) reject(new TooLong(most));
    else if (error) reject(new Error(error));
    else resolve(answer);
  }
}
