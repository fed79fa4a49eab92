import { goIn } from "./go.js";

export class PtxabiError extends Error {
  constructor(status, diagnostics) {
    super(diagnostics.map(describe).join("\n") || `ptxabi: exit status ${status}`);
    this.name = "PtxabiError";
    this.status = status;
    this.diagnostics = diagnostics;
  }
}

const describe = (d) => d.line
  ? `${d.file}:${d.line}:${d.column}: ${d.severity}: ${d.message} [${d.code}]`
  : `${d.file || "ptxabi"}: ${d.message}`;

const values = (text) => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

function failure(code) {
  const err = new Error(code);
  err.code = code;
  return err;
}

// A system without files, for one run: standard input is a text, what is printed is kept.
function system(input) {
  let at = 0;
  const printed = { 1: [], 2: [] };
  const print = (fd, bytes) => {
    if (!printed[fd]) {
      throw failure("EBADF");
    }
    printed[fd].push(bytes.slice());
    return bytes.length;
  };
  const none = (code) => (...args) => args.at(-1)(failure(code));
  const fs = {
    constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_TRUNC: 512, O_APPEND: 1024, O_EXCL: 128, O_DIRECTORY: 65536 },
    writeSync: print,
    write(fd, bytes, offset, length, position, done) {
      try {
        done(null, print(fd, bytes.subarray(offset, offset + length)));
      } catch (err) {
        done(err);
      }
    },
    read(fd, bytes, offset, length, position, done) {
      if (fd !== 0) {
        return done(failure("EBADF"));
      }
      const part = input.subarray(at, at + length);
      bytes.set(part, offset);
      at += part.length;
      done(null, part.length);
    },
    fsync: (fd, done) => done(null),
    close: (fd, done) => done(null),
  };
  for (const name of ["open", "stat", "lstat", "readdir", "readlink", "unlink"]) {
    fs[name] = none("ENOENT");
  }
  for (const name of ["chmod", "chown", "fchmod", "fchown", "fstat", "ftruncate", "lchown", "link", "mkdir", "rename", "rmdir",
    "symlink", "truncate", "utimes"]) {
    fs[name] = none("ENOSYS");
  }
  const process = {
    pid: -1, ppid: -1, getuid: () => -1, getgid: () => -1, geteuid: () => -1, getegid: () => -1,
    getgroups() { throw failure("ENOSYS"); },
    umask() { throw failure("ENOSYS"); },
    cwd: () => "/",
    chdir() { throw failure("ENOSYS"); },
  };
  const text = (fd) => {
    const all = new Uint8Array(printed[fd].reduce((n, part) => n + part.length, 0));
    let end = 0;
    for (const part of printed[fd]) {
      all.set(part, end);
      end += part.length;
    }
    return new TextDecoder().decode(all);
  };
  // The world of the program is this object, and nothing of the page or of the process.
  const world = {
    Object, Array, Uint8Array, Uint8ClampedArray, Date, Error, TextEncoder, TextDecoder,
    performance, crypto, fs, process, path: { resolve: (...parts) => parts.join("/") },
  };
  return { world, text };
}

const flags = (values) => Object.entries(values)
  .filter(([, value]) => value !== undefined && value !== false)
  .flatMap(([name, value]) => (value === true ? [`-${name}`] : [`-${name}`, String(value)]));

// text is a source as it is. A path is refused: there are no files here.
function text(source) {
  if (typeof source === "string" && /^[^\n{};]+\.(ptx|cuh?|h|hpp|c|cc|cpp|go|cubin)$/.test(source.trim())) {
    throw new TypeError(`${source} is the path of a file, and a text is wanted: read the file first`);
  }
  return source;
}

export function make(load) {
  let compiled;

  async function run(args, stdin = "") {
    compiled ??= load();
    let module;
    try {
      module = await compiled;
    } catch (err) {
      compiled = undefined; // the next call tries again
      throw err;
    }
    const { world, text } = system(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin);
    const go = new (goIn(world))();
    let status = 0;
    go.argv = ["ptxabi", ...args];
    go.exit = (code) => {
      status = code;
    };
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    return { status, stdout: text(1), stderr: text(2) };
  }

  // What a command prints; with a status above the worst that is a result it throws.
  async function printed(args, stdin, worst = 0) {
    const done = await run(["-errors", "json", ...args], stdin);
    if (done.status > worst) {
      throw new PtxabiError(done.status, values(done.stderr));
    }
    return done.stdout;
  }

  const result = async (args, stdin) => JSON.parse(await printed(args, stdin));

  return {
    run,

    async assign(source, options = {}) {
      const { target, func, kernel, assume, producer, lang } = options;
      const args = ["assign", "-format", "json", ...flags({ target, func, kernel, assume, producer, lang })];
      if (typeof source === "string" || source instanceof Uint8Array) {
        return result([...args, "-"], text(source));
      }
      return result([...args, ...flags({ sig: source.sig, proto: source.proto })]);
    },

    async check(ptx, options = {}) {
      const { separate, pedantic, target } = options;
      return values(await printed(["check", "-format", "json", ...flags({ c: separate, pedantic, target }), "-"], text(ptx), 1));
    },

    async layout(source, options = {}) {
      const { types = [], lang, rules, producer, target } = options;
      const args = ["layout", "-format", "json", ...flags({ lang, rules, producer, target })];
      return result([...args, ...types.flatMap((name) => ["-type", name]), "-"], text(source));
    },

    async lower(ptx, options = {}) {
      const { target, func, assume, lines } = options;
      return printed(["lower", ...flags({ target, func, assume, lines }), "-"], text(ptx));
    },
  };
}
