
class _Bits:
    """A bit-field, by its first bit from the start and its width."""

    def __init__(self, start, width, kind):
        self.start, self.width, self.kind = start, width, kind
        self.shift, self.mask = start % 8, (1 << width) - 1

    def _bytes(self, obj):
        count = (self.shift + self.width + 7) // 8
        return (ctypes.c_uint8 * count).from_buffer(obj, self.start // 8)

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        x = int.from_bytes(bytes(self._bytes(obj)), "little") >> self.shift & self.mask
        if self.kind == "signed" and x >> self.width - 1:
            x -= 1 << self.width
        return bool(x) if self.kind == "bool" else x

    def __set__(self, obj, value):
        value = bool(value) if self.kind == "bool" else value
        stored = self._bytes(obj)
        rest = int.from_bytes(bytes(stored), "little") & ~(self.mask << self.shift)
        stored[:] = (rest | (value & self.mask) << self.shift).to_bytes(len(stored), "little")

