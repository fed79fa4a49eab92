# A backend for examples/corpus/run.py.
import json
import sys

import ptxabi
from ptxabi import Kind, Signature, Value, Where

NAMES = {Where.NOWHERE: "none", Where.REG: "register", Where.STACK: "stack", Where.CONST: "constant", Where.INDIRECT: "indirect"}


def places(of):
    out = []
    for p in of:
        j = {"where": NAMES[p.loc.where]}
        if p.loc.where is Where.REG:
            j.update(reg=p.loc.reg, words=p.words)
        elif p.loc.where is Where.STACK:
            j.update(off=p.loc.off)
        elif p.loc.where is Where.CONST:
            j.update(bank=p.loc.bank, off=p.loc.off)
        elif p.loc.where is Where.INDIRECT:
            j.update(reg=p.loc.reg, off=p.loc.off)
        out.append(j)
    return out


def answer(case):
    values = lambda of: [Value(v["size"], v["align"], Kind[v["kind"].upper()]) for v in of]
    sig = Signature(case["kind"] == "entry", values(case["params"]), values(case["results"]), case.get("preserve"))
    try:
        a = ptxabi.assign(sig, ptxabi.lookup(case["target"]))
    except ptxabi.AssignError as err:
        return {"refused": [e.code.name for e in err.errors]}
    j = {"params": places(a.params), "results": places(a.results), "hidden": a.sret, "stack": a.stack_bytes}
    if sig.entry:
        j["block"] = {"bank": a.block_bank, "base": a.block_base, "size": a.block_size}
    return j


wrong = sys.argv[1:] == ["wrong"]
for line in sys.stdin:
    got = answer(json.loads(line))
    if wrong and got.get("stack"):
        got["stack"] += 4
    print(json.dumps(got))
