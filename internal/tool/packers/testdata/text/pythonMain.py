import structs

try:
    import numpy
except ImportError:
    numpy = None

reads = []


def same(read, value):
    reads.append((read, value))


def show(v, packed=None, size=None):
    b = bytes(v)
    assert packed is None or packed == b and len(b) == size
    print(b.hex())
    if numpy is not None:
        n = numpy.frombuffer(b, v.dtype)[0]
        for read, value in reads:
            assert read(n) == value, (type(v), read(n), value)
    reads.clear()


