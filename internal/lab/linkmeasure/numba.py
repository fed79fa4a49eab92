# Compiles functions with numba-cuda: each line of the input is a request, and each line
# of the output an answer, empty where it was done.
import json
import sys

from numba import cuda, types
import numba
import numba_cuda

TYPES = {
    "char": types.int8, "short": types.int16, "int": types.int32, "unsigned": types.uint32, "long long": types.int64,
    "float": types.float32, "double": types.float64, "void": types.void,
}


def compile(request):
    params = [TYPES[p] for p in request["params"]]
    result = TYPES[request["result"]]
    names = ["p%d" % i for i in range(len(params))]
    scope = {}
    if request["caller"]:
        # The callee has Numba's convention: the status is the result.
        scope["f"] = cuda.declare_device("f", result(*params))
        call = "f(%s)" % ", ".join(n + "[0]" for n in names)
        if result is types.void:
            out, body = types.CPointer(types.int32), call
        else:
            out, body = types.CPointer(result), "out[0] = " + call
        text = "def function(%s):\n    %s\n" % (", ".join(names + ["out"]), body)
        signature = types.void(*([types.CPointer(p) for p in params] + [out]))
        name = "caller"
    else:
        scope["result"] = result
        body = "pass" if result is types.void else "return result(0)"
        text = "def function(%s):\n    %s\n" % (", ".join(names), body)
        signature, name = result(*params), "f"
    exec(text, scope)
    ptx, _ = cuda.compile_ptx(scope["function"], signature, device=True, cc=(7, 5), abi="c", abi_info={"abi_name": name})
    with open(request["out"], "w") as file:
        file.write(ptx)


print("numba %s, numba-cuda %s" % (numba.__version__, numba_cuda.__version__), flush=True)
for line in sys.stdin:
    try:
        compile(json.loads(line))
        print(flush=True)
    except Exception as error:
        print(" ".join(str(error).split()) or "an error", flush=True)
