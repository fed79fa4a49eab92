// Runs a build of the explorer: the first message names its file, and has what was
// compiled of it if it was. It defines ptxabiAnswer and then calls ptxabiReady.
importScripts('wasm_exec.js');

self.ptxabiReady = () => postMessage({ready: true});

onmessage = (e) => {
  onmessage = (question) => postMessage(self.ptxabiAnswer(JSON.stringify(question.data)));
  begin(e.data).catch((failure) => setTimeout(() => { throw failure; }));
};

async function begin({file, module}) {
  if (!self.WebAssembly) throw new Error('this browser has no WebAssembly');
  const go = new Go();
  if (!module) {
    const {bytes, all} = await load(file);
    module = await WebAssembly.compile(bytes);
    postMessage({module});
    postMessage({have: all, all});
  }
  await go.run(await WebAssembly.instantiate(module, go.importObject));
}

// load fetches a file that is compressed, whatever the server knows of that, and
// says how far it is.
async function load(file) {
  const res = await fetch(file);
  if (!res.ok) throw new Error(`${file}: ${res.status} ${res.statusText}`);
  const parts = [];
  const all = Number(res.headers.get('Content-Length'));
  const unpacked = res.headers.get('Content-Encoding'); // by the browser, as the server asked
  let have = 0, told = 0;
  const count = new TransformStream({transform(chunk, to) {
    have += chunk.length;
    if (all && have < all && have - told > 1e5) postMessage({have: told = have, all});
    to.enqueue(chunk);
  }});
  let stream = res.body.pipeThrough(count);
  if (!unpacked) stream = stream.pipeThrough(new DecompressionStream('gzip'));
  const bytes = await new Response(stream).arrayBuffer();
  return {bytes, all: all || 1};
}
