// For node: ptxabi.wasm is read from where this file lies, with the first call.
import { readFile } from "node:fs/promises";
import { make } from "./core.js";

const load = async () => WebAssembly.compile(await readFile(new URL("./ptxabi.wasm", import.meta.url)));

export const { run, assign, check, layout, lower } = make(load);
export { PtxabiError } from "./core.js";
