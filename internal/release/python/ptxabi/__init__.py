"""Where the parameters of PTX functions and kernels live: registers, stack, constant bank.

The module runs the command ``ptxabi``, which the wheel installs, and returns its JSON as typed
dictionaries. Every function may be called from several
threads; one process of the command answers all.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import threading
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Literal, Optional, Sequence, TypedDict, Union, cast

__all__ = [
    "Assignment", "Block", "Completed", "Diagnostic", "Error", "Function", "Image", "Layout", "Location", "Param",
    "__version__", "assign", "check", "command", "fits", "kernel", "layout", "layout_of", "lower", "run", "verify",
]

try:
    __version__ = importlib.metadata.version("ptxabi")
except importlib.metadata.PackageNotFoundError:  # the module without its wheel
    __version__ = "0"


@dataclass(frozen=True)
class Completed:
    """What a run of the command printed, and its exit status: 0, 1 for findings, 2 for usage or input."""

    status: int
    stdout: str
    stderr: str


class Location(TypedDict, total=False):
    """Where a value lives. Which keys there are depends on the kind."""

    kind: Literal["register", "stack", "constant", "indirect", "unknown", "none"]
    register: int  # the first one of the value; of an indirect result, the one with its address
    bank: int
    offset: int  # in bytes: from the stack pointer, or in the bank


class Param(TypedDict, total=False):
    """A parameter or a result. Size, alignment and offset are in bytes.

    Of compiled files: name and type are empty and align is 0 where nothing gives them.
    """

    name: str
    space: str
    type: str
    size: int
    align: int
    location: Location
    offset: int  # of kernels: from the beginning of the block
    source: str  # of compiled files: "record", "ptx", "dwarf" or "symbol"
    declared: str  # of compiled files: the declaration in C++, if it is known


class Block(TypedDict):
    """The parameter block of a kernel: its first byte in the bank, and its size in bytes."""

    base: int
    size: int


class Function(TypedDict, total=False):
    """A function, kernel or prototype. A kernel has a block."""

    name: str
    kind: str  # "func", "entry" or "prototype"
    line: int
    params: List[Param]
    returns: List[Param]
    stackBytes: int
    block: Block
    source: str  # of compiled files: where the places come from
    ptx: str  # of compiled files: the target of the PTX that names come from, if the code was made of other PTX


class Image(TypedDict):
    """One of the images of a compiled file."""

    image: str
    kind: str  # "cubin" or "ptx"
    target: str
    functions: List[Function]


class Assignment(TypedDict, total=False):
    """What docs/schemas/assign.schema.json describes. A file with several images has images in place of functions."""

    format: str
    target: str
    functions: List[Function]
    image: str
    kind: str
    images: List[Image]


class Layout(TypedDict):
    """What docs/schemas/layout.schema.json describes."""

    format: str
    types: List[Dict[str, Any]]


class Diagnostic(TypedDict, total=False):
    """What docs/schemas/check.schema.json describes. Lines and columns begin with 1."""

    file: str
    line: int
    column: int
    endLine: int
    endColumn: int
    severity: str  # "error", "warning" or "note"
    code: str
    message: str
    related: List[Dict[str, Any]]
    fixes: List[Dict[str, Any]]


class Error(Exception):
    """The command had no result. The diagnostics say why, and the message is their text."""

    def __init__(self, status: int, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(map(_text, diagnostics)) or f"ptxabi: exit status {status}")
        self.status = status
        self.diagnostics = list(diagnostics)


def _text(d: Diagnostic) -> str:
    if d.get("line"):
        return f"{d['file']}:{d['line']}:{d['column']}: {d['severity']}: {d['message']} [{d['code']}]"
    return f"{d.get('file') or 'ptxabi'}: {d['message']}"


def command() -> str:
    """The path of the command: the one that was installed with this module, or else the first in PATH."""
    name = "ptxabi.exe" if os.name == "nt" else "ptxabi"
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    bin = "Scripts" if os.name == "nt" else "bin"
    dirs = [
        os.path.join(packages, "bin"),  # pip install --target
        os.path.join(packages, *[os.pardir] * (2 if os.name == "nt" else 3), bin),  # --prefix, --user, virtual environments
        sysconfig.get_path("scripts"),
    ]
    for dir in dirs:
        path = os.path.normpath(os.path.join(dir, name))
        if os.path.isfile(path):
            return path
    path_found = shutil.which("ptxabi")
    if path_found is None:
        raise FileNotFoundError(f"no {name} in {', '.join(map(os.path.normpath, dirs))} or PATH: the wheel ptxabi installs it")
    return path_found


class _Batch:
    """One process of ``ptxabi batch``, which is started when it is first asked, and again where it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._owner = 0  # the process that started it; a fork has its own
        atexit.register(self.close)

    def ask(self, args: Sequence[str], stdin: str, values: bool = False) -> Dict[str, Any]:
        request = json.dumps({"args": list(args), "stdin": stdin, "json": values}).encode() + b"\n"
        with self._lock:
            for _ in range(2):
                process = self._started()
                assert process.stdin is not None and process.stdout is not None
                try:
                    process.stdin.write(request)
                    process.stdin.flush()
                    line = process.stdout.readline()
                except OSError:
                    line = b""
                except BaseException:  # such as an interrupt: the next request would read this one's answer
                    self._drop()
                    raise
                if line.endswith(b"\n"):
                    return cast(Dict[str, Any], json.loads(line))
                self._drop()
            raise RuntimeError("ptxabi batch has ended without an answer, twice")

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                [command(), "batch", "-max-request", str(1 << 30)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )
        return self._process

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # what was not sent is of no use any more
                    if stream is not None:
                        stream.close()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._drop()


_batch = _Batch()


def run(args: Sequence[str], stdin: str = "") -> Completed:
    """Run the command with arguments, as ``run(["lower", "-target", "sm_90", "-"], text)``.

    All runs are answered by one process, which ends with this one. It has the folder and the environment that
    the first of them had.
    """
    answer = _batch.ask(args, stdin)
    return Completed(answer["status"], answer["stdout"], answer["stderr"])


def assign(
    ptx: Union[str, bytes, "os.PathLike[str]", None] = None, *, sig: Optional[str] = None, proto: Optional[str] = None,
    target: Optional[str] = None, func: Optional[str] = None, kernel: Optional[str] = None, assume: bool = False,
    producer: Optional[str] = None, lang: Optional[str] = None,
) -> Assignment:
    """Where every parameter and result lives.

    Of a module's text, or of a file: a path, as a path object or a text of one line, or its bytes. A file is PTX
    or compiled: a cubin, a fatbin, or a program or library with device code. With a target also of a signature such
    as ``func(4@4, 12@8) -> 4@4`` or of a prototype in C or CUDA. Raises Error where there is no result,
    ValueError unless exactly one of the three is given.
    """
    if [ptx, sig, proto].count(None) != 2:
        raise ValueError("exactly one of ptx, sig and proto is needed")
    args = ["assign", "-format", "json"]
    args += _flags(target=target, func=func, kernel=kernel, sig=sig, proto=proto, producer=producer, lang=lang)
    if assume:
        args.append("-assume")
    if isinstance(ptx, bytes):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "image")
            with open(path, "wb") as f:
                f.write(ptx)
            return cast(Assignment, _document([*args, "--", path], "", {path: "<bytes>"}))
    if isinstance(ptx, str) and (ptx == "" or "\n" in ptx):
        return cast(Assignment, _document([*args, "-"], ptx))
    if ptx is not None:
        args += ["--", os.path.abspath(ptx)]
    return cast(Assignment, _document(args, ""))


def kernel(path: Union[str, bytes, "os.PathLike[str]"], name: str, *, target: Optional[str] = None) -> Function:
    """What a compiled kernel takes: of a file, or of its bytes, as ``assign`` reads them.

    The name is the symbol, or that in C++. Raises Error where there is none, ValueError where several kernels of the name
    take different parameters.
    """
    out = assign(path, kernel=name, target=target)
    found = [f for image in out.get("images", [cast(Image, out)]) for f in image["functions"]]
    if any(_taken(f) != _taken(found[0]) for f in found):
        raise ValueError(f"{len(found)} kernels are called {name} and do not take the same: {', '.join(sorted({f['name'] for f in found}))}")
    return found[0]


def fits(kernel: Function, args: Sequence[Any]) -> None:
    """Raise TypeError unless the arguments of a launch have the sizes that a compiled kernel takes.

    An argument is a type or a value of ctypes, a scalar or a dtype of NumPy, an array of a device, which is passed as its
    address, or a number of Python, which CuPy passes in 8 bytes. Sizes are compared, not the order of two of one size.
    """
    params, wrong = kernel["params"], []
    if len(args) != len(params):
        wrong.append(f"{len(params)} arguments are wanted, and there are {len(args)}")
    for i, (arg, p) in enumerate(zip(args, params)):
        size = _size_of(arg)
        if size != p["size"]:
            at = f" at {p['offset']}" if "offset" in p else ""  # of handles it is not known
            what = arg.__name__ if isinstance(arg, type) else type(arg).__name__
            wrong.append(f"argument {i}, {what}, has {size} bytes, and parameter {_called(kernel, i)} takes {p['size']}{at}")
    if wrong:
        raise TypeError(f"{kernel['name']}: " + "; ".join(wrong))


def _called(kernel: Function, i: int) -> str:
    p = kernel["params"][i]
    name = p["name"]
    if name.startswith(kernel["name"] + "_"):  # as compilers call it in PTX
        name = ""
    known = " ".join(filter(None, [p.get("declared"), name]))
    return f"{i} ({known})" if known else str(i)


def _size_of(arg: Any) -> int:
    if hasattr(arg, "__cuda_array_interface__"):
        return 8
    if isinstance(arg, (bool, int, float, complex)):
        return {bool: 1, complex: 16}.get(type(arg), 8)
    with contextlib.suppress(TypeError):
        return ctypes.sizeof(arg)
    if isinstance(arg, type) and hasattr(arg, "itemsize"):  # float32 of NumPy
        arg = arg()
    if not hasattr(arg, "itemsize"):
        raise TypeError(f"{arg!r} has no size of its own: give a type of ctypes, or a scalar or a dtype of NumPy")
    return int(arg.nbytes if hasattr(arg, "nbytes") else arg.itemsize)


def layout_of(type_: Any, name: Optional[str] = None) -> Layout:
    """How a ctypes.Structure, or a structured dtype of NumPy, lies in memory, in the form of ``layout``."""
    if isinstance(type_, type) and issubclass(type_, (ctypes.Structure, ctypes.Union)):
        size, align, fields = ctypes.sizeof(type_), ctypes.alignment(type_), _ctypes_fields(type_, "", 0)
    elif getattr(type_, "fields", None) is not None and hasattr(type_, "itemsize"):
        size, align = type_.itemsize, type_.alignment if type_.isalignedstruct else 1
        fields = _dtype_fields(type_, "", 0)
    else:
        raise TypeError(f"{type_!r} is neither a ctypes.Structure nor a dtype with fields")
    name = name or getattr(type_, "__name__", None) or "dtype"
    return {"format": "ptxabi.layout/1", "types": [{"name": name, "kind": "struct", "size": size, "align": align, "fields": fields}]}


def verify(path: Union[str, bytes, "os.PathLike[str]"], kernel: str, type_: Any, *, param: Optional[int] = None) -> List[Dict[str, Any]]:
    """What differs between a compiled kernel and a struct of Python, a ctypes.Structure or a dtype of NumPy.

    The struct is all parameters, or the one of that number. Empty if nothing differs. Each difference has a message.
    Raises Error where there is nothing to compare.
    """
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(path, bytes):
            image = os.path.join(folder, "image")
            with open(image, "wb") as f:
                f.write(path)
            path = image
        recorded = os.path.join(folder, "layout.json")
        with open(recorded, "w") as f:
            json.dump(layout_of(type_), f)
        args = ["verify", "-format", "json", "-layout", recorded, "-kernel", kernel]
        if param is not None:
            args += ["-param", str(param)]
        names = {recorded: getattr(type_, "__name__", "the dtype"), os.path.join(folder, "image"): "<bytes>"}
        answer = _values([*args, "--", os.path.abspath(path)], "", names)
    if answer["status"] not in (0, 1) or not answer["results"]:
        raise Error(answer["status"], answer["diagnostics"])
    return [d for r in answer["results"][0]["reports"] for k in r["kernels"] for d in k["differences"]]


def _ctypes_fields(type_: Any, path: str, at: int) -> List[Dict[str, Any]]:
    out: List[Dict[str, Any]] = []
    for base in reversed(type_.__mro__):
        for name, of, *bits in base.__dict__.get("_fields_", []):
            place = getattr(type_, name)
            if bits:
                width, first = place.size >> 16, place.size & 0xFFFF
                out.append({"path": path + name, "type": of.__name__, "offset": at + place.offset + first // 8, "bitOffset": first % 8, "bitWidth": width})
            else:
                out += _ctypes_type(of, path + name, at + place.offset)
    return out


def _ctypes_type(type_: Any, path: str, at: int) -> List[Dict[str, Any]]:
    if issubclass(type_, (ctypes.Structure, ctypes.Union)):
        return _ctypes_fields(type_, path + ".", at)
    count, of = 1, type_
    while issubclass(of, ctypes.Array):
        count, of = count * of._length_, of._type_
    size = ctypes.sizeof(of)
    if issubclass(of, (ctypes.Structure, ctypes.Union)):
        return [f for i in range(count) for f in _ctypes_fields(of, f"{path}[{i}].", at + i * size)]
    code = getattr(of, "_type_", "P")
    kind = "float" if code in ("f", "d") else "pointer" if not isinstance(code, str) or code in ("P", "z", "Z") else "int"
    return [_field(path, of.__name__, at, size, kind, count if of is not type_ else None, ctypes.alignment(of))]


def _dtype_fields(dtype: Any, path: str, at: int) -> List[Dict[str, Any]]:
    out: List[Dict[str, Any]] = []
    for name, (of, offset, *_) in dtype.fields.items():
        base, shape = of.subdtype or (of, ())
        count = 1
        for n in shape:
            count *= n
        if base.fields is not None:
            for i in range(count):
                out += _dtype_fields(base, f"{path}{name}{f'[{i}]' if shape else ''}.", at + offset + i * base.itemsize)
            continue
        size, kind = base.itemsize, "float" if base.kind in "fc" else "int"
        if base.kind == "c":
            size, count, shape = size // 2, count * 2, (2,)
        out.append(_field(path + name, str(base), at + offset, size, kind, count if shape else None, base.alignment))
    return sorted(out, key=lambda f: f["offset"])


def _field(path: str, type_: str, at: int, size: int, kind: str, count: Optional[int], align: int) -> Dict[str, Any]:
    if count is not None:
        type_, size = f"{type_}[{count}]", size * count
    return {"path": path, "type": type_, "offset": at, "size": size, "align": align, "kind": kind}


def _taken(f: Function) -> List[Any]:
    return [f["name"], *[(p.get("offset"), p["size"]) for p in f["params"]]]


def layout(
    source: str, *, types: Iterable[str] = (), lang: Optional[str] = None, rules: Optional[str] = None,
    producer: Optional[str] = None, target: Optional[str] = None,
) -> Layout:
    """How the records of a text in C or CUDA lie in memory and in .param space. Raises Error where there is no result."""
    args = ["layout", "-format", "json", *_flags(lang=lang, rules=rules, producer=producer, target=target)]
    for name in types:
        args += ["-type", name]
    return cast(Layout, _document([*args, "-"], _source(source)))


def check(ptx: str, *, separate: bool = False, pedantic: bool = False, target: Optional[str] = None) -> List[Diagnostic]:
    """Every diagnostic about the parameter passing of a module; separate is for one that will be linked.

    Raises Error where the text cannot be checked at all.
    """
    args = ["check", "-format", "json", *_flags(target=target)]
    if separate:
        args.append("-c")
    if pedantic:
        args.append("-pedantic")
    answer = _values([*args, "-"], _source(ptx))
    if answer["status"] not in (0, 1):
        raise Error(answer["status"], answer["diagnostics"])
    return cast(List[Diagnostic], answer["results"])


def lower(
    ptx: str, *, target: Optional[str] = None, func: Optional[str] = None, assume: bool = False, lines: bool = False,
) -> str:
    """The calls of a module as pseudo-SASS, with its source lines if wanted. Raises Error where there is no result."""
    args = ["lower", *_flags(target=target, func=func), *["-assume"] * assume, *["-lines"] * lines, "-"]
    done = _batch.ask(["-errors", "json", *args], _source(ptx))
    if done["status"] != 0:
        raise Error(done["status"], [json.loads(line) for line in done["stderr"].splitlines()])
    return cast(str, done["stdout"])


def _source(text: str) -> str:
    """The text itself. Raises ValueError for the path of a file, which no function but assign, kernel and verify reads."""
    if "\n" not in text and (re.fullmatch(r"[^{};]+\.(ptx|cuh?|h|hpp|c|cc|cpp|go|cubin)", text) or len(text) < 4096 and os.path.isfile(text)):
        raise ValueError(f"{text} is the path of a file, and a text is wanted: pathlib.Path({text!r}).read_text()")
    return text


def _flags(**values: Optional[str]) -> List[str]:
    return [word for name, value in values.items() if value is not None for word in ("-" + name, value)]


def _document(args: Sequence[str], stdin: str, names: Optional[Dict[str, str]] = None) -> Any:
    answer = _values(args, stdin, names)
    if answer["status"] != 0:
        raise Error(answer["status"], answer["diagnostics"])
    return answer["results"][0]


def _values(args: Sequence[str], stdin: str, names: Optional[Dict[str, str]] = None) -> Dict[str, Any]:
    answer = _batch.ask(args, stdin, values=True)
    for file, name in (names or {}).items():  # temporary ones
        answer = json.loads(json.dumps(answer).replace(json.dumps(file)[1:-1], json.dumps(name)[1:-1]))
    if "results" not in answer:  # no request
        raise Error(answer["status"], [{"severity": "error", "code": "Failure", "message": answer["stderr"].strip()}])
    return answer
