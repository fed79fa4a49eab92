// Runs explorer.wasm, which defines ptxabiAnswer and then calls ptxabiReady.
importScripts('wasm_exec.js');

self.ptxabiReady = () => postMessage({ready: true});
onmessage = (e) => postMessage(self.ptxabiAnswer(e.data));

(async () => {
  const go = new Go();
  const res = await fetch('explorer.wasm');
  if (!res.ok) throw new Error(`explorer.wasm: ${res.status} ${res.statusText}`);
  // Not every file server knows the type that streaming wants.
  const {instance} = await WebAssembly.instantiate(await res.arrayBuffer(), go.importObject);
  await go.run(instance);
})().catch((e) => setTimeout(() => { throw e; }));
