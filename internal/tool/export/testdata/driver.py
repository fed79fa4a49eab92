# Reads requests, one a line, and answers each in a line: see export_test.go.
import sys
from dataclasses import replace
from typing import FrozenSet, Iterator, List, Optional, Sequence

import ptxabi
from ptxabi import Kind, Place, Signature, Target, Value


def values(words: Iterator[int]) -> List[Value]:
    out = []
    for _ in range(next(words)):
        kind, size, align = Kind(next(words)), next(words), next(words)
        out.append(Value(size, align, kind))
    return out


def places(what: str, of: Sequence[Place]) -> str:
    s = " " + what
    for p in of:
        at = p.loc
        s += " %d,%d,%d,%d,%d,%d,%d" % (at.where.value, at.reg, at.bank, at.off, p.size, p.align, p.words)
    return s


def regs(s: FrozenSet[int]) -> str:
    return " %064x" % sum(1 << r for r in s)


def row(t: Target) -> str:
    return "%s %d %s|%s|%s|%s %d %d %d %d %s|%s|%s|%d" % (
        t.name, t.sm, t.suffix, t.generation, t.toolkits, t.assumed_from, t.multi.per_block,
        t.passing.first, t.kernel.large_since.major, t.spelling.align_sp_table,
        t.spelling.call, t.spelling.load_const.b64, t.kernel.dispute, t.multi.blocks,
    ) + regs(t.regs.callee_saved) + regs(t.regs.uniform_disputed) + regs(t.regs.barrier_callee_saved)


def given(n: int) -> Optional[int]:
    return None if n == -1 else n


def answer(what: str, name: str, words: Iterator[int]) -> str:
    if what == "row":
        status = 0
        try:
            ptxabi.lookup(name)
        except ptxabi.UnmeasuredError:
            status = 1
        except ptxabi.NoConventionError:
            status = 2
        except ptxabi.UnknownTargetError:
            status = 3
        try:
            return "%d %s" % (status, row(ptxabi.assume(name)))
        except ptxabi.TargetError:
            return "none %d" % status
    t = ptxabi.lookup(name)
    if what == "flawed":  # an empty signature on a row that is none
        t = replace(t, passing=replace(t.passing, count=next(words)))
        try:
            ptxabi.assign(ptxabi.func(), t)
            return "0"
        except ptxabi.AssignError as err:
            return "%d" % err.errors[0].code.value
    if what == "regs":
        f = t.regs_with(given(next(words)))
        return "%d%s%s" % (f.ret_addr, regs(f.callee_saved), regs(f.caller_saved))
    if what == "limits":
        threads, blocks, major, minor = words
        return "%d %d %d" % (t.block_limit(threads), t.resident_limit(threads, blocks), t.max_kernel_params(major, minor))
    entry, preserve = next(words) == 1, given(next(words))
    params, results = values(words), values(words)
    try:
        a = ptxabi.assign(Signature(entry, params, results, preserve), t)
    except ptxabi.AssignError as err:
        return "".join("error %d,%d,%d,%s " % (e.param, e.is_result, e.code.value, e.reason) for e in err.errors)
    sret = ptxabi.RZ if a.sret is None else a.sret
    return "%d %d %d,%d,%d" % (sret, a.stack_bytes, a.block_bank, a.block_base, a.block_size) + places(
        "params", a.params) + places("results", a.results)


for line in sys.stdin:
    what, name, *rest = line.split()
    print(answer(what, name, iter([int(w) for w in rest])))
