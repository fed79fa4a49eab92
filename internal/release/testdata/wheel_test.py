"""Runs in a fresh environment with the wheel, in the root of the repository."""

import concurrent.futures
import ctypes
import struct
from pathlib import Path

import ptxabi

assert Path(ptxabi.__file__).with_name("py.typed").exists()
bar = Path("docs/images/bar.ptx").read_text()
out = ptxabi.assign(bar)
assert out["target"] == "sm_80"
assert [p["location"] for p in out["functions"][0]["params"]][:2] == [
    {"kind": "register", "register": 4}, {"kind": "register", "register": 6}], out
assert ptxabi.assign(bar, target="sm_90", func="bar")["target"] == "sm_90"

call = ptxabi.assign(sig="func(4@4, 12@8) -> 4@4", target="sm_90")["functions"][0]
assert [p["location"]["register"] for p in call["params"]] == [4, 6]

kernel = ptxabi.assign(proto="__global__ void k(float *x, int n, double a)", target="sm_90")["functions"][0]
buffer = bytearray(kernel["block"]["size"])
for p, (code, value) in zip(kernel["params"], [("<Q", 0x1000), ("<i", 7), ("<d", 0.5)]):
    struct.pack_into(code, buffer, p["location"]["offset"] - kernel["block"]["base"], value)
assert buffer.hex() == "001000000000000007000000" + "00000000" + "000000000000e03f", buffer.hex()

compiled = Path("examples/drift/step.cubin")
for file in (compiled, str(compiled), compiled.read_bytes()):
    step = ptxabi.assign(file)["functions"][0]
    assert [(p["offset"], p["size"]) for p in step["params"]] == [(0, 8), (8, 4), (12, 4)], step
    assert ptxabi.kernel(file, "step") == step
try:
    ptxabi.kernel(compiled, "stop")
except ptxabi.Error as e:
    assert "did you mean step" in str(e), e
else:
    raise AssertionError("stop")
several = ptxabi.assign("internal/image/cubin/testdata/fatbins/plain-12.4.fatbin", kernel="wide")["images"]
assert [(m["kind"], m["target"]) for m in several] == [("ptx", "sm_90a"), ("cubin", "sm_80"), ("cubin", "sm_90")], several


class OnDevice:
    __cuda_array_interface__: dict = {}


ptxabi.fits(step, (OnDevice(), ctypes.c_float(0.5), ctypes.c_int))
for args, said in (
    ((OnDevice(), 0.5, ctypes.c_int), "argument 1, float, has 8 bytes, and parameter 1 takes 4 at 8"),
    ((ctypes.c_void_p, ctypes.c_float), "3 arguments are wanted, and there are 2"),
    ((ctypes.c_void_p, "0.5", ctypes.c_int), "'0.5' has no size of its own"),
):
    try:
        ptxabi.fits(step, args)
    except TypeError as e:
        assert said in str(e), e
    else:
        raise AssertionError(said)


class Vector(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("y", ctypes.c_float)]


class Args(ctypes.Structure):
    _fields_ = [("x", ctypes.c_void_p), ("dt", ctypes.c_float), ("n", ctypes.c_int)]


class Old(ctypes.Structure):
    _fields_ = [("dt", ctypes.c_float), ("n", ctypes.c_int), ("x", ctypes.POINTER(ctypes.c_double))]


class Many(ctypes.Structure):
    _fields_ = [("v", Vector * 2), ("flags", ctypes.c_uint, 3), ("more", ctypes.c_uint, 5), ("a", ctypes.c_double * 3)]


assert ptxabi.verify(compiled, "step", Args) == []
assert ptxabi.verify(compiled, "step", Old)[0]["message"] == "parameter 0 (dt) has 8 bytes, 4 in Old"
try:
    ptxabi.assign(b"garbage")
except ptxabi.Error as e:
    assert str(e).startswith("<bytes>:1:1: error: the file is not PTX"), e
assert [d["param"] for d in ptxabi.verify(compiled.read_bytes(), "step", Old)] != []
many = ptxabi.layout_of(Many)["types"][0]
assert [(f["path"], f["offset"]) for f in many["fields"]] == [
    ("v[0].x", 0), ("v[0].y", 4), ("v[1].x", 8), ("v[1].y", 12), ("flags", 16), ("more", 16), ("a", 24)], many
assert (many["size"], many["fields"][5]["bitOffset"], many["fields"][6]["type"]) == (48, 3, "c_double[3]"), many

record = ptxabi.layout("struct P { int a; double b; }; struct Q { char c; };", types=["P"])["types"]
assert [(r["name"], r["size"]) for r in record] == [("P", 16)], record

assert ptxabi.check(bar, separate=True) == []
bad = ".version 7.8\n.target sm_80\n.visible .entry k(.param .u32 n)\n{\n\t.reg .b32 %r<2>;\n\tld.param.u32 %r1, [m];\n\tret;\n}\n"
found = ptxabi.check(bad)
assert [(d["line"], d["severity"], d["code"]) for d in found] == [(6, "error", "UndeclaredName")], found

for wrong in ({}, {"ptx": bar, "sig": "func()"}):
    try:
        ptxabi.assign(**wrong)
    except ValueError:
        pass
    else:
        raise AssertionError(wrong)
try:
    ptxabi.assign(bar, target="sm_1")
except ptxabi.Error as e:
    assert e.status == 2 and "sm_1" in str(e), e
    assert [d["code"] for d in e.diagnostics] == ["Failure"], e.diagnostics
else:
    raise AssertionError("sm_1")
try:
    ptxabi.assign(bar.replace(".param", ".parm"))
except ptxabi.Error as e:
    assert e.status == 1 and str(e).startswith("<stdin>:") and "[UnknownWord]" in str(e), e
    assert e.diagnostics[0]["code"] == "UnknownWord" and e.diagnostics[0]["line"] > 1, e.diagnostics
else:
    raise AssertionError("no syntax error")
for text, code in (("", 2), ("no PTX", 1)):
    try:
        found = ptxabi.check(text)
    except ptxabi.Error as e:
        assert code == 2 and e.diagnostics, e
    else:
        assert code == 1 and found, found

assert ptxabi.__version__ and ptxabi.__version__ != "0", ptxabi.__version__
lowered = ptxabi.lower(".version 7.8\n.target sm_80\n.visible .func f(.param .b32 x) { ret; }\n", target="sm_90")
assert lowered.startswith("// pseudo-SASS for sm_90") and "f:" in lowered, lowered
try:
    ptxabi.lower(".version 7.8\n.target sm_80\n.func f(\n")
except ptxabi.Error as e:
    assert e.status == 1 and any(d["code"] == "BadSyntax" for d in e.diagnostics), e.diagnostics
else:
    raise AssertionError("a broken module is lowered")
for text_only, path in ((ptxabi.lower, __file__), (ptxabi.check, "missing.ptx"), (ptxabi.layout, "x.h")):
    try:
        text_only(path)
    except ValueError as e:
        assert "is the path of a file" in str(e), e
    else:
        raise AssertionError(f"{text_only} takes a path")

done = ptxabi.run(["version"])
assert done.status == 0 and done.stdout.startswith("ptxabi ") and done.stderr == "", done
assert ptxabi.run(["explain", "nothing"]).status == 2

class Interrupted:
    """A stream that is interrupted while it waits for the first line."""

    def __init__(self, stream):
        self.stream, self.wait = stream, True

    def readline(self):
        if self.wait:
            self.wait = False
            raise KeyboardInterrupt
        return self.stream.readline()

    def close(self):
        self.stream.close()


process = ptxabi._batch._process
process.stdout = Interrupted(process.stdout)
try:
    ptxabi.run(["version"])
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("not interrupted")
after = ptxabi.run(["explain", "StaleArgument"])
assert after.stdout.startswith("StaleArgument"), after  # and not the answer that nobody has read

with concurrent.futures.ThreadPoolExecutor(8) as pool:
    want = [4 * n for n in range(1, 33)]
    got = pool.map(lambda n: ptxabi.assign(sig=f"entry({4 * n}@4)", target="sm_90")["functions"][0]["block"]["size"], range(1, 33))
    assert list(got) == want
