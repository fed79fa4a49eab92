import ctypes
import enum
import importlib
import sys
from typing import Any

numpy: Any = None  # without it there are no dtypes
try:
    numpy = importlib.import_module("numpy")
except ImportError:
    pass

if sys.byteorder != "little":
    raise ImportError("CUDA keeps the lowest byte of a number first, and so must the host")


def _check(cls, size, offsets):
    """Hold the layout of a class and of its dtype against that on the device."""
    found = [("", ctypes.sizeof(cls), {name: getattr(cls, name).offset for name in offsets})]
    if numpy is not None:
        fields = cls.dtype.fields
        found.append((".dtype", cls.dtype.itemsize, {name: fields[name][1] for name in offsets}))
    for kind, its_size, its_offsets in found:
        if (its_size, its_offsets) != (size, offsets):
            raise ImportError(
                f"{cls.__name__}{kind} has {its_size} bytes, and fields at {its_offsets}; "
                f"on the device it has {size}, and they are at {offsets}"
            )

