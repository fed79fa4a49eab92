# Compiles kernels of Warp, and functions that are not inlined, ahead of time. Arguments: compiler ("nvrtc" or "llvm"), level
# ("debug" or "release"), file of the questions, output. A question is a line: name, tab, type, tab, a class that it needs, its lines
# separated by form feeds.
import glob
import importlib.util
import os
import sys

import warp as wp

if len(sys.argv) == 1:
    print("warp", wp.__version__)
    sys.exit()
compiler, level, questions, out = sys.argv[1:]
wp.config.log_level = wp.LOG_ERROR
wp.config.kernel_cache_dir = os.path.join(os.path.dirname(out), "cache")
wp.config.mode = level
wp.config.llvm_cuda = compiler == "llvm"
TEXT = """
{2}
@wp.func(inline=False)
def ai_{0}_Z(p: wp.array(dtype={1}), x: {1}):
    p[0] = x
@wp.func(inline=False)
def ri_{0}_Z(p: wp.array(dtype={1})) -> {1}:
    return p[0]
@wp.kernel(enable_backward=False)
def k_{0}_Z(p: wp.array(dtype={1}), x: {1}):
    ai_{0}_Z(p, x)
    p[1] = ri_{0}_Z(p)
@wp.kernel
def kb_{0}_Z(p: wp.array(dtype={1}), x: {1}):
    p[0] = x
"""
GRID = """
@wp.kernel
def k_{0}_Z(p: wp.array(dtype=wp.int32), x: wp.int32):
    {1} = wp.tid()
    p[0] = x + {2}
"""
ARRAY = """
@wp.func(inline=False)
def ai_{0}_Z(p: {1}, x: {1}):
    p[0] = x[0]
@wp.kernel(enable_backward=False)
def k_{0}_Z(p: {1}, x: {1}):
    ai_{0}_Z(p, x)
@wp.kernel
def kb_{0}_Z(p: {1}, x: {1}):
    p[0] = x[0]
"""
path = os.path.join(os.path.dirname(out), "questions.py")
with open(questions) as f, open(path, "w") as m:
    m.write("import warp as wp\n")
    for line in f:
        name, typ, needs = line.rstrip("\n").split("\t")
        if typ.startswith("tid "):
            names = [f"i{i}" for i in range(int(typ[4:]))]
            m.write(GRID.format(name, ", ".join(names), " + ".join(names)))
        elif typ.startswith("wp.array("):
            m.write(ARRAY.format(name, typ))
        else:
            m.write(TEXT.format(name, typ, needs.replace("\f", "\n")))
spec = importlib.util.spec_from_file_location("questions", path)
module = importlib.util.module_from_spec(spec)
sys.modules["questions"] = module
try:
    spec.loader.exec_module(module)
    wp.compile_aot_module(module, arch=75, module_dir=os.path.dirname(out), use_ptx=True, strip_hash=True)
    with open(glob.glob(os.path.join(os.path.dirname(out), "*.ptx"))[0]) as f, open(out, "w") as o:
        o.write(f.read())
except Exception as e:
    sys.exit(f"error: {type(e).__name__}: {str(e).strip().splitlines()[0]}")
