"""What the kernels of a compiled cubin take.

Written by ``ptxabi export -lang python -reader``. No dependency; Python 3.8 or later.

The offsets and sizes of all parameters of a cubin in memory:

    for kernel in kernels(data):
        for p in kernel.params:
            print(kernel.name, p.offset, p.size)

What cannot be read raises CubinError. The time is in proportion to the size of the cubin.
"""

from struct import unpack_from
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

__all__ = ["CubinError", "Kernel", "Param", "architecture", "kernel", "kernels"]

_Bytes = Union[bytes, bytearray, memoryview]


class CubinError(ValueError):
    """What cannot be read, and why."""


class Param(NamedTuple):
    """A parameter."""

    #: from the base of the block, as in the buffer of a launch; None of an opaque handle
    offset: Optional[int]
    #: bytes; 0 of an opaque handle
    size: int
    #: of .ptr .align; 1: nothing is recorded
    pointee_align: int
    #: of .ptr: 1 local, 2 shared, 3 const, 4 global; 6 texref, 7 surfref, 8 samplerref; 0: none
    space: int


class Kernel(NamedTuple):
    """A kernel. Bank and base are None if it has no parameters that have a place."""

    #: its symbol
    name: str
    #: the constant bank of the parameters
    bank: Optional[int]
    #: where they begin in it
    base: Optional[int]
    #: bytes from there to the end of the last one
    size: int
    params: Tuple[Param, ...]


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


def _damaged(at: int) -> CubinError:
    return CubinError("the cubin is damaged at 0x%x" % at)


def _name(strings: bytes, at: int) -> bytes:
    end = strings.find(b"\0", at)
    if at >= len(strings) or end < 0:
        raise CubinError("the cubin is damaged: a name has no end")
    return strings[at:end]


class _Cubin:
    def __init__(self, data: _Bytes) -> None:
        self.data = data = memoryview(data).cast("B")
        if len(data) < 20 or bytes(data[:4]) != b"\x7fELF" or unpack_from("<H", data, 18)[0] != 190:
            raise CubinError("not a cubin")
        self.wide = data[4] == 2
        if len(data) < (64 if self.wide else 52):
            raise _damaged(len(data))
        flags, _, _, _, size, count, names = unpack_from("<I6H", data, 48 if self.wide else 36)
        if data[4] not in (1, 2) or data[5] != 1 or (data[7], data[8]) not in ((0x33, 7), (0x41, 8)):
            raise CubinError("a cubin of an unknown layout")
        self.sm = int(flags) >> (0 if data[8] == 7 else 8) & 0xFF
        self.sections: List[_Section] = []
        self.symbols: List[Tuple[int, int, int, int]] = []  # name, type, other, section
        self.strings = self.names = b""
        (table,) = unpack_from("<Q", data, 40) if self.wide else unpack_from("<I", data, 32)
        if table == 0:
            return
        form, entry = ("<IIQQQQIIQQ", 64) if self.wide else ("<10I", 40)
        if size != entry or table > len(data) - entry:
            raise _damaged(table)
        first = _Section(*unpack_from(form, data, table))  # which has what does not fit into the header
        count = count or first.size
        names = first.link if names == 0xFFFF else names
        if count > (len(data) - table) // entry or names >= count:
            raise _damaged(table)
        self.sections = [_Section(*unpack_from(form, data, table + i * entry)) for i in range(count)]
        self.names = bytes(self.contents(self.sections[names]))
        tables = [s for s in self.sections if s.type == 2]
        if len(tables) > 1:
            raise _damaged(tables[1].offset)
        for s in tables:
            self.symtab(s)

    def symtab(self, s: _Section) -> None:
        b, entry = self.contents(s), 24 if self.wide else 16
        if len(b) % entry != 0 or s.link >= len(self.sections):
            raise _damaged(s.offset)
        self.strings = bytes(self.contents(self.sections[s.link]))
        for at in range(0, len(b), entry):
            info, other, section = unpack_from("<BBH", b, at + (4 if self.wide else 12))
            self.symbols.append((unpack_from("<I", b, at)[0], info & 15, other, section))

    def contents(self, s: _Section) -> memoryview:
        if s.offset > len(self.data) or s.size > len(self.data) - s.offset:
            raise _damaged(s.offset)
        return self.data[s.offset : s.offset + s.size]

    def kernels(self) -> Iterator[Kernel]:
        records: Dict[bytes, _Section] = {}
        for s in self.sections:
            if s.type == 0x70000000:
                name = _name(self.names, s.name)
                if name.startswith(b".nv.info."):
                    records[name[9:]] = s
        for at, kind, other, section in self.symbols:
            if kind == 2 and other & 0x10 and 0 < section < len(self.sections) and self.sections[section].flags & 4:
                name = _name(self.strings, at)
                if name not in records:
                    raise CubinError("the cubin is damaged: it has no records of the kernel %s" % name.decode(errors="replace"))
                yield self.kernel(name, records[name])

    def kernel(self, name: bytes, s: _Section) -> Kernel:
        b, at = self.contents(s), 0
        bank = base = None
        size = 0
        params: Dict[int, Param] = {}
        count = 0
        while at < len(b):
            if len(b) - at < 4 or not 1 <= b[at] <= 4:
                raise _damaged(s.offset + at)
            attribute = b[at + 1]
            n = unpack_from("<H", b, at + 2)[0] if b[at] == 4 else 0
            if n > len(b) - at - 4 or n != {0x0A: 8, 0x17: 12, 0x45: 12}.get(attribute, n):
                raise _damaged(s.offset + at)
            if attribute == 0x0A:
                symbol, base, size = unpack_from("<IHH", b, at + 4)
                bank = self.bank(symbol, s.offset + at)
            elif attribute in (0x17, 0x45):
                _, ordinal, offset, word = unpack_from("<IHHI", b, at + 4)
                log, space, length = word & 0xFF, word >> 8 & 0xF, word >> 18
                if attribute == 0x45:
                    log, space, length = word >> 16 & 0xFF, word >> 24, word & 0xFFFF
                if log > 30:
                    raise _damaged(s.offset + at)
                params[ordinal] = Param(None if offset == 0xFFFF and length == 0 else offset, length, 1 << log, space)
                count += 1
            at += 4 + n
        if count != len(params) or sorted(params) != list(range(count)):
            raise _damaged(s.offset)
        return Kernel(name.decode("utf-8", "surrogateescape"), bank, base, size, tuple(params[i] for i in range(count)))

    def bank(self, symbol: int, at: int) -> int:
        name = _name(self.strings, self.symbols[symbol][0]) if symbol < len(self.symbols) else b""
        number = name[12:].split(b".")[0]
        if not name.startswith(b".nv.constant") or not number.isdigit():
            raise _damaged(at)
        return int(number)


def kernels(data: _Bytes) -> List[Kernel]:
    """Returns the kernels of a cubin."""
    return list(_Cubin(data).kernels())


def kernel(data: _Bytes, name: str) -> Kernel:
    """Returns the kernel of that symbol."""
    for k in _Cubin(data).kernels():
        if k.name == name:
            return k
    raise CubinError("no kernel %s in the cubin" % name)


def architecture(data: _Bytes) -> int:
    """Returns what a cubin is for, 90 of sm_90 and sm_90a."""
    return _Cubin(data).sm
