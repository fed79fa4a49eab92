
class _Part:
    """A value at an offset, among others there."""

    def __init__(self, kind, offset):
        class _Value(ctypes.Structure):
            _layout_ = "ms"
            _pack_ = 1
            _fields_ = [("value", kind)]

        self.kind, self.offset, self.size = _Value, offset, ctypes.sizeof(kind)

    def __get__(self, obj, owner=None):
        return self if obj is None else self.kind.from_buffer(obj, self.offset).value

    def __set__(self, obj, value):
        self.kind.from_buffer(obj, self.offset).value = value

