import ctypes, enum
lib = ctypes.CDLL("libcuda.so.1")
CUresult = enum.IntEnum("CUresult", {"CUDA_SUCCESS": 0, "CUDA_ERROR_NOT_FOUND": 500})
def new(name, kind, *args):
    out = kind()
    return CUresult(getattr(lib, name)(ctypes.byref(out), *args)), out
cuInit = lambda flags: (CUresult(lib.cuInit(flags)),)
cuCtxSetCurrent = lambda c: (CUresult(lib.cuCtxSetCurrent(c)),)
cuDeviceGet = lambda n: new("cuDeviceGet", ctypes.c_int, n)
cuDevicePrimaryCtxRetain = lambda d: new("cuDevicePrimaryCtxRetain", ctypes.c_void_p, d)
cuModuleLoadData = lambda image: new("cuModuleLoadData", ctypes.c_void_p, image)
cuModuleGetFunction = lambda m, name: new("cuModuleGetFunction", ctypes.c_void_p, m, name)
def cuLaunchKernel(f, *rest):
    *numbers, stream, (values, types), extra = rest
    cells = [t(v) for v, t in zip(values, types)]
    params = (ctypes.c_void_p * len(cells))(*map(ctypes.addressof, cells))
    return CUresult(lib.cuLaunchKernel(f, *numbers, ctypes.c_void_p(stream), params, None)),
