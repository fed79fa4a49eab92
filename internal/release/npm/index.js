// For browsers: ptxabi.wasm is fetched from where this file lies, with the first call.
import { make } from "./core.js";

async function load() {
  const answer = await fetch(new URL("./ptxabi.wasm", import.meta.url));
  if (!answer.ok) {
    throw new Error(`ptxabi: ${answer.url}: ${answer.status} ${answer.statusText}`);
  }
  if (answer.headers.get("Content-Type") === "application/wasm") {
    return WebAssembly.compileStreaming(answer);
  }
  return WebAssembly.compile(await answer.arrayBuffer());
}

export const { run, assign, check, layout, lower } = make(load);
export { PtxabiError } from "./core.js";
