# Compiles functions that are not inlined, and kernels, with Triton. Arguments: level, file of the questions, output. A question
# is a line: name, tab, type. Modules are written one behind the other, each begun by a form feed; so is what was
# refused, as "name: error: what Triton says".
import importlib.util
import os
import sys

import triton

if len(sys.argv) == 1:
    print(triton.__version__)
    sys.exit()
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

_, questions, out = sys.argv[1:]
TEXT = """import triton, triton.language as tl
@triton.jit(noinline=True)
def ai_{0}_Z(p, x):
    tl.store(p, x)
@triton.jit(noinline=True)
def ri_{0}_Z(p):
    return tl.load(p)
@triton.jit
def k_{0}_Z(p, x):
    ai_{0}_Z(p, x)
    tl.store(p, ri_{0}_Z(p))
"""
POINTER = TEXT.replace("tl.store(p, x)", "tl.store(p, tl.load(x))").replace("return tl.load(p)", "return p + 1").replace("tl.store(p, ri", "tl.store(p + 1, tl.load(ri").replace("_Z(p))", "_Z(p)))")
with open(questions) as f, open(out, "w") as o:
    for line in f:
        name, typ = line.rstrip("\n").split("\t")
        path = os.path.join(os.path.dirname(out), f"m_{name}.py")
        with open(path, "w") as m:
            m.write((POINTER if typ.startswith("*") else TEXT).format(name))
        spec = importlib.util.spec_from_file_location(f"m_{name}", path)
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            source = ASTSource(fn=getattr(module, f"k_{name}_Z"), signature={"p": "*" + typ.lstrip("*"), "x": typ}, constexprs={})
            ptx = triton.compile(source, target=GPUTarget("cuda", 75, 32)).asm["ptx"]
            o.write("\f" + ptx)
        except Exception as e:
            o.write(f"\f{name}: error: {type(e).__name__}: {str(e).strip().splitlines()[0]}\n")
