# Compiles kernels with tilelang, which writes CUDA C++ for its nvcc and has no functions that others call. Arguments: level,
# file of the questions, output. A question is a line: name, tab, type. Modules are written one behind the other, each begun
# by a form feed; so is what was refused, as "name: error: what tilelang says".
import importlib.util
import os
import sys

import tilelang

if len(sys.argv) == 1:
    print(tilelang.__version__)
    sys.exit()
from tilelang.contrib import nvcc
from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH
from tvm.target import Target

_, questions, out = sys.argv[1:]
TEXT = """import tilelang.language as T
@T.prim_func
def k_{0}_Z(p: T.Tensor((64,), "float32"), x: {1}):
    with T.Kernel(1, threads=64) as b:
        for i in T.Parallel(64):
            p[i] = T.cast({2}, "float32")
"""
NAMES = {"i1": "bool", "i": "int", "u": "uint", "fp": "float", "bf": "bfloat"}
OPTIONS = ["-std=c++17", "-I" + TILELANG_TEMPLATE_PATH, "-I" + CUTLASS_INCLUDE_DIR, "-DCCCL_DISABLE_CTK_COMPATIBILITY_CHECK"]
target = Target({"kind": "cuda", "arch": "sm_75"})
with open(questions) as f, open(out, "w") as o:
    for line in f:
        name, typ = line.rstrip("\n").split("\t")
        path = os.path.join(os.path.dirname(out), f"m_{name}.py")
        bits = typ.lstrip("*iufpb")
        full = NAMES.get(typ) or NAMES[typ.strip("*0123456789")] + bits
        with open(path, "w") as m:
            m.write(TEXT.format(name, *((f'T.Tensor((64,), "{full}")', "x[i]") if typ.startswith("*") else (f"T.{full}", "x"))))
        spec = importlib.util.spec_from_file_location(f"m_{name}", path)
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            with target:
                text = tilelang.lower(getattr(module, f"k_{name}_Z"), target=target).kernel_source
            o.write("\f" + bytes(nvcc.compile_cuda(text, target_format="ptx", arch=["-arch=sm_75"], options=OPTIONS)).decode())
        except Exception as e:
            o.write(f"\f{name}: error: {type(e).__name__}: {str(e).strip().splitlines()[0]}\n")
