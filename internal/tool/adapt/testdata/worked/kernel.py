from numba import cuda, types

f32 = types.float32
v3 = types.UniTuple(f32, 3)
scale = cuda.declare_device("scale_for_numba", v3(v3, types.int8))

def kernel(out, x, y, z):
    r = scale((x, y, z), types.int8(-3))
    out[0] = r[0]
    out[1] = r[1]
    out[2] = r[2]

ptx, _ = cuda.compile_ptx(kernel, (f32[::1], f32, f32, f32), cc=(7, 5))
print(ptx, end="")
