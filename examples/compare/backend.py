"""A toy backend for run.py: it writes code for sm_80 of functions that pass words of .param space in registers.

    backend.py FILE.ptx

It knows where values are from "ptxabi assign". Exit status 3 says that it does not compile the module.
"""
import json
import os
import re
import subprocess
import sys

CALL = """\tMOV R20, 32@lo(({0} + .L_x_0@srel)) ;
\tMOV R21, 32@hi(({0} + .L_x_0@srel)) ;
\tCALL.ABS.NOINC `({1}) ;
.L_x_0:"""
SAVE = "\tIADD3 R1, R1, -0x8, RZ ;\n\tSTL [R1], R20 ;\n\tSTL [R1+0x4], R21 ;"
RESTORE = "\tLDL R20, [R1] ;\n\tLDL R21, [R1+0x4] ;\n\tIADD3 R1, R1, 0x8, RZ ;"


def unsupported():
    sys.exit(3)


def registers(functions, name):
    """The first register of each formal of a function."""
    f = next(f for f in functions if f["name"] == name)
    values = f["params"] + f["returns"]
    if f["kind"] != "func" or any(v["space"] != "param" or v["location"]["kind"] != "register" for v in values):
        unsupported()
    return {v["name"]: v["location"]["register"] for v in values}


def main(file):
    text = open(file).read()
    if ".target sm_80\n" not in text or ".abi_preserve" in text or "program_" in text:
        unsupported()
    run = [os.environ.get("PTXABI", "ptxabi"), "assign", "-format", "json", file]
    functions = json.loads(subprocess.run(run, stdout=subprocess.PIPE, check=True).stdout)["functions"]
    for head, body in re.findall(r"^\.visible \.(.*?)\n\{\n(.*?)^\}", text, re.M | re.S):
        name = re.search(r"(\w+) \([^()]*\)[^()]*$", head).group(1)
        call = re.search(r"(extern_\d+)", body)
        places = registers(functions, call.group(1) if call else name)
        print("//--------------------- .text.%s --------------------------\n%s:" % (name, name))
        if call:
            print(SAVE)
        for line in body.splitlines():
            passed = re.fullmatch(r"\t(ld|st)\.param\.(\w+) (.*);", line)
            if passed:
                if passed[2] != "b32":
                    unsupported()
                var, off = re.search(r"\[(\w+)\+(\d+)\]", passed[3]).groups()
                reg = "R%d" % (places[var] + int(off) // 4)
                print("\tMOV w, %s ;" % reg if passed[1] == "ld" else "\tMOV %s, w ;" % reg)
            elif line.startswith("\tcall"):
                print(CALL.format(name, call.group(1)))
            elif line == "\tret;":
                print(RESTORE + "\n" if call else "", end="")
                print("\tRET.ABS.NODEC R20 0x0 ;\n")
            elif not line.startswith("\t."):
                print(line.replace(";", " ;"))


if __name__ == "__main__":
    main(sys.argv[1])
