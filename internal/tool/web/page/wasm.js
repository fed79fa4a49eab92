// The WebAssembly build, in a worker.

import {reason} from './link.js';

const deadline = 10000; // milliseconds that an answer may take

export class Superseded extends Error {}

const hurried = 300; // milliseconds after which a question is ended for the next one

// The build runs in a worker, so that the page stays usable while it computes,
// and so that what takes too long can be ended. It is loaded once, and what was
// compiled is kept for the workers after the first. There are three: those
// that do more are larger, and loaded where something needs them.
export class Wasm {
  constructor(loading) {
    this.loading = loading;
    this.file = 'explorer.wasm.gz';
  }

  load() {
    this.send();
  }

  ask(question) {
    this.next?.reject(new Superseded());
    return new Promise((resolve, reject) => {
      this.next = {question, resolve, reject};
      if (this.now && performance.now() - this.since > hurried) this.end(new Superseded());
      else this.send();
    });
  }

  send() {
    if (this.now) return;
    if (!this.worker) {
      const worker = this.worker = new Worker('worker.js');
      if (!this.module) this.loading(0, 0);
      const current = (take) => (e) => { if (worker === this.worker) take(e); }; // what one that was ended said before may come after
      worker.onmessage = current((e) => this.hear(e.data));
      worker.onerror = current((e) => { e.preventDefault(); this.end(new Error(reason(e, `${this.file} cannot be loaded`))); });
      worker.postMessage({file: this.file, module: this.module});
      return;
    }
    if (!this.ready || !this.next) return;
    [this.now, this.next] = [this.next, null];
    this.since = performance.now();
    this.timer = setTimeout(() => this.end(new Error(`No answer within ${deadline / 1000} seconds.`)), deadline);
    this.worker.postMessage(this.now.question);
  }

  hear(data) {
    if (data.module) this.module = data.module;
    else if (data.all) this.loading(data.have, data.all);
    else if (data.ready) {
      this.ready = true;
      this.send();
    } else this.done(data);
  }

  done(data) {
    clearTimeout(this.timer);
    const asked = this.now;
    this.now = null;
    if (data.error) asked.reject(new Error(data.error));
    else {
      const answer = JSON.parse(data.answer);
      if (answer?.needs) {
        this.next ??= asked;
        if (this.next !== asked) asked.reject(new Superseded());
        this.another(`explorer-${answer.needs}.wasm.gz`);
        return;
      }
      asked.resolve(answer);
    }
    this.send();
  }

  // another takes the build that a text needs in place of this one.
  another(file) {
    this.worker.terminate();
    this.file = file;
    this.worker = this.module = null;
    this.ready = false;
    this.send();
  }

  // end ends the worker. The question that it failed on fails; one that waits
  // behind that gets another worker. Where none was begun, no worker can be.
  end(why) {
    clearTimeout(this.timer);
    this.worker.terminate();
    if (!this.module) this.loading(0, 0, why.message);
    const failed = this.now ?? this.next;
    if (!this.now) this.next = null;
    this.worker = this.now = null;
    this.ready = false;
    failed?.reject(why);
    if (this.next) this.send();
  }
}
