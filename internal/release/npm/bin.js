#!/usr/bin/env node
// The command itself, with the files of this machine.
import * as fs from "node:fs";
import * as path from "node:path";
import { webcrypto } from "node:crypto";
import { goIn } from "./go.js";

const module = await WebAssembly.compile(fs.readFileSync(new URL("./ptxabi.wasm", import.meta.url)));
const world = {
  Object, Array, Uint8Array, Uint8ClampedArray, Date, Error, TextEncoder, TextDecoder, performance, crypto: webcrypto,
  fs, path, process,
};
const go = new (goIn(world))();
go.argv = ["ptxabi", ...process.argv.slice(2)];
go.env = { ...process.env };
go.exit = (status) => {
  process.exitCode = status;
};
await go.run(await WebAssembly.instantiate(module, go.importObject));
