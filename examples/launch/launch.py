"""Launches step of ../drift/step.cubin with cuda-python, after a check of what the cubin takes."""

import ctypes
import sys
from pathlib import Path

import ptxabi
from cuda.bindings import driver as cuda

path = Path(__file__).parent.parent / "drift" / "step.cubin"
step = ptxabi.kernel(path, "step")
print(f"{step['name']} takes", ", ".join(f"{p['size']} bytes at {p['offset']}" for p in step["params"]))

values, types = (0x7000, 0.5, 100), (ctypes.c_void_p, ctypes.c_float, ctypes.c_int)
if "drift" in sys.argv:  # what an older step took
    values, types = (0.5, 100, 0x7000), (ctypes.c_float, ctypes.c_int, ctypes.c_void_p)
ptxabi.fits(step, types)


def done(result):
    status, *values = result
    if status != cuda.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status)
    return values[0] if values else None


done(cuda.cuInit(0))
done(cuda.cuCtxSetCurrent(done(cuda.cuDevicePrimaryCtxRetain(done(cuda.cuDeviceGet(0))))))
function = done(cuda.cuModuleGetFunction(done(cuda.cuModuleLoadData(path.read_bytes())), b"step"))
done(cuda.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, 0, (values, types), 0))
