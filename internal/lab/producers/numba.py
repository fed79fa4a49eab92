# Compiles the functions of a file for numba's own convention or for abi="c", by numba-cuda or, where that is not installed, by
# numba-cuda-mlir, which asks the driver for the architecture if it is not told. Arguments: convention, level, file of the
# questions, output. A question is a line: name, tab, the type, tab, a value of it made of p. Modules are written one behind
# the other, each begun by a form feed; so is what was refused, as "name: error: what numba says".
import sys

try:
    import numba_cuda as package
    from numba import cuda, types
    from numba.cuda.types import bfloat16
    from numba.cuda.vector_types import vector_types
except ImportError:
    import numba_cuda_mlir as package
    from numba_cuda_mlir import cuda, tools, types
    from numba_cuda_mlir.cuda import bfloat16
    from numba_cuda_mlir.cuda import vector_types as module
    vector_types = vars(module)
    tools._cached_cc = (7, 5)

if len(sys.argv) == 1:
    print(package.__version__)
    sys.exit()
abi, level, questions, out = sys.argv[1:]
P = types.CPointer(types.int64)


def compiled(text, name, sig, kernel=False, **names):
    names.update(types=types, cuda=cuda)
    exec(text, names)
    info = {"abi_info": {"abi_name": name}} if abi == "c" and not kernel else {}
    ptx, _ = cuda.compile(names[name], sig, device=not kernel, abi="numba" if kernel else abi, cc=(7, 5), output="ptx", opt=level != "opt=False", **info)
    return "\f" + ptx


with open(questions) as f, open(out, "w") as o:
    for line in f:
        name, typ, value, use = line.rstrip("\n").split("\t")
        t = eval(typ, vars(types) | {"P": P, "types": types, "bfloat16": bfloat16, "vector_types": vector_types})
        ae = cuda.declare_device(f"ae_{name}_Z", types.void(P, t), abi=abi)
        re = cuda.declare_device(f"re_{name}_Z", t(P), abi=abi)
        wrong = None
        for role, body, sig, names in (
            ("ad", "(p, x):\n p[0] = p[0]", types.void(P, t), {}),
            ("ac", f"(p):\n ae(p, {value})", types.void(P), {"ae": ae}),
            ("rd", f"(p):\n return {value}", t(P), {}),
            ("rc", f"(p):\n v = re(p)\n {use}", types.void(P), {"re": re}),
            ("k", "(p, x):\n p[0] = p[0]", types.void(P, t), {"kernel": True}),
        ):
            try:
                o.write(compiled(f"def {role}_{name}_Z{body}", f"{role}_{name}_Z", sig, **names))
            except Exception as e:
                wrong = wrong or e
        if wrong:
            o.write(f"\f{name}: error: {type(wrong).__name__}: {str(wrong).strip().splitlines()[0]}\n")
