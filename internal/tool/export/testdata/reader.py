"""Reads cubins, each after a line with its size, and prints what their kernels take."""

import sys
from typing import Optional

from ptxabi_cubin import CubinError, architecture, kernel, kernels


def number(n: Optional[int]) -> int:
    return -1 if n is None else n


def print_one(data: bytes) -> None:
    print("sm", architecture(data))
    for k in kernels(data):
        print(k.name, number(k.bank), number(k.base), k.size, *("%d,%d,%d,%d" % (number(p.offset), *p[1:]) for p in k.params))
    try:
        kernel(data, "no such kernel")
    except CubinError as e:
        assert "no kernel" in str(e)


sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
for line in sys.stdin.buffer:
    contents = sys.stdin.buffer.read(int(line))
    try:
        print_one(contents)
    except CubinError as e:
        print("error", e)
    print(".")
