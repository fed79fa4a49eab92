/** Where the parameters of PTX functions and kernels live: registers, stack, constant bank. */

/** What a run printed, and its exit status: 0, 1 for findings, 2 for usage or input. */
export interface Completed {
  status: number;
  stdout: string;
  stderr: string;
}

/** There was no result. The diagnostics say why, and the message is their text. */
export class PtxabiError extends Error {
  readonly status: number;
  readonly diagnostics: Diagnostic[];
}

/**
 * Runs the command with arguments, as `run(["stack", "-"], bytes)`. There are no files: what a command reads is
 * standard input, `-`.
 */
export function run(args: readonly string[], stdin?: string | Uint8Array): Promise<Completed>;

/** Where a value lives. Offsets are in bytes: from the stack pointer, or in the bank. */
export type Location =
  | { kind: "register"; register: number }
  | { kind: "stack"; offset: number }
  | { kind: "constant"; bank: number; offset: number }
  /** Of results alone: the register has the address in local memory that the callee writes the result to. */
  | { kind: "indirect"; register: number }
  /** Of device functions of compiled files, whose alignments nothing gives. */
  | { kind: "unknown" }
  | { kind: "none" };

/**
 * A parameter or a result. Size and alignment are in bytes. Of compiled files: name and type are empty and align
 * is 0 where nothing gives them.
 */
export interface Param {
  name: string;
  space: string;
  type: string;
  size: number;
  align: number;
  location: Location;
  /** Of kernels: bytes from the beginning of the block. */
  offset?: number;
  /** Of compiled files: where name and type come from. */
  source?: "record" | "ptx" | "dwarf" | "symbol";
  /** Of compiled files: the declaration in C++, if it is known. */
  declared?: string;
}

export interface AssignedFunction {
  name: string;
  kind: string;
  /** Not there of compiled functions. */
  line?: number;
  params: Param[];
  returns: Param[];
  /** Not there where it is not known. */
  stackBytes?: number;
  /** Of kernels: the first byte of the parameter block in the bank, and its size in bytes. */
  block?: { base: number; size: number };
  /** Of compiled files: where the places come from. */
  source?: "record" | "ptx" | "dwarf" | "symbol";
  /** Of compiled files: the target of the PTX that names come from, if the code was made of other PTX. */
  ptx?: string;
}

/** One of the images of a compiled file. */
export interface Image {
  image: string;
  kind: "cubin" | "ptx";
  target: string;
  functions: AssignedFunction[];
}

/** What docs/schemas/assign.schema.json describes. */
export interface Assignment {
  format: string;
  target: string;
  functions: AssignedFunction[];
  image?: string;
  kind?: "cubin" | "ptx";
  /** Of a compiled file with several images, in place of target and functions. */
  images?: Image[];
}

export interface AssignOptions {
  target?: string;
  func?: string;
  kernel?: string;
  assume?: boolean;
  producer?: string;
  lang?: string;
}

/**
 * Where every parameter and result lives: of a module's text, of the bytes of a compiled file, or with a target of a
 * signature or a prototype.
 */
export function assign(source: string | Uint8Array | { sig: string } | { proto: string }, options?: AssignOptions): Promise<Assignment>;

/** What docs/schemas/check.schema.json describes. Lines and columns begin with 1; both are 0 without a place. */
export interface Diagnostic {
  file: string;
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
  severity: "error" | "warning" | "note";
  code: string;
  message: string;
  related: { file: string; line: number; column: number; endLine?: number; endColumn?: number; message: string }[];
  /** Ways to fix it, each sufficient by itself, the best one first. */
  fixes?: {
    message: string;
    edits: { line: number; column: number; endLine: number; endColumn: number; text: string }[];
  }[];
}

/** Every diagnostic about the parameter passing of a module; `separate` is for one that will be linked. */
export function check(ptx: string, options?: { separate?: boolean; pedantic?: boolean; target?: string }): Promise<Diagnostic[]>;

/** What docs/schemas/layout.schema.json describes. */
export interface Layout {
  format: string;
  types: { name: string; size: number; align: number; [key: string]: unknown }[];
}

export interface LayoutOptions {
  types?: readonly string[];
  lang?: "c" | "c++";
  rules?: "sysv" | "msvc";
  producer?: string;
  target?: string;
}

/** How the records of a text in C or CUDA lie in memory and in .param space. */
export function layout(source: string, options?: LayoutOptions): Promise<Layout>;

/** The calls of a module as pseudo-SASS. */
export function lower(ptx: string, options?: { target?: string; func?: string; assume?: boolean; lines?: boolean }): Promise<string>;
