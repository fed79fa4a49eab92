// What answers the page's questions: the server that it came from, or the
// WebAssembly build beside it. Both run the same Go code.

const deadline = 10000; // milliseconds that the WebAssembly build may take

export class Superseded extends Error {}

export function newEngine(kind) {
  return kind === 'wasm' ? new Wasm() : new Server();
}

export async function catalog() {
  const res = await fetch('catalog.json');
  if (!res.ok) throw new Error(`catalog.json: ${res.status} ${res.statusText}`);
  return res.json();
}

class Server {
  async ask(question) {
    this.last?.abort();
    const mine = this.last = new AbortController();
    let res;
    try {
      res = await fetch('answer', {
        method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(question), signal: mine.signal,
      });
      if (res.ok) return await res.json();
    } catch (e) {
      if (mine.signal.aborted) throw new Superseded();
      throw new Error('The explorer does not answer. Is ptxabi serve still running?');
    }
    throw new Error((await res.text()).trim() || res.statusText);
  }
}

// The build runs in a worker, so that the page stays usable while it computes,
// and so that what takes too long can be ended.
class Wasm {
  ask(question) {
    this.next?.reject(new Superseded());
    return new Promise((resolve, reject) => {
      this.next = {question: JSON.stringify(question), resolve, reject};
      this.send();
    });
  }

  send() {
    if (this.now || !this.next) return;
    if (!this.worker) {
      const worker = this.worker = new Worker('worker.js');
      const current = (take) => (e) => { if (worker === this.worker) take(e); }; // what one that was ended said before may come after
      worker.onmessage = current((e) => e.data.ready ? this.begin() : this.done(e.data));
      worker.onerror = current((e) => { e.preventDefault(); this.end(e.message || 'explorer.wasm cannot be loaded'); });
      return;
    }
    if (!this.ready) return;
    [this.now, this.next] = [this.next, null];
    this.timer = setTimeout(() => this.end(`No answer within ${deadline / 1000} seconds.`), deadline);
    this.worker.postMessage(this.now.question);
  }

  begin() {
    this.ready = true;
    this.send();
  }

  done(data) {
    clearTimeout(this.timer);
    const asked = this.now;
    this.now = null;
    if (data.error) asked.reject(new Error(data.error));
    else asked.resolve(JSON.parse(data.answer));
    this.send();
  }

  // end ends the worker. The question that it failed on fails; one that waits
  // behind that gets another worker. Where none was begun, no worker can be.
  end(why) {
    clearTimeout(this.timer);
    this.worker.terminate();
    const failed = this.now ?? this.next;
    if (!this.now) this.next = null;
    this.worker = this.now = null;
    this.ready = false;
    failed?.reject(new Error(why));
    this.send();
  }
}
