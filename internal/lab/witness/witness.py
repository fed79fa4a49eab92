"""A second interpreter of pseudo-SASS, which shares nothing with the simulator of the project.

It reads cases from standard input, a JSON object a line (witness.go has the fields), executes each
twice with different garbage in all that nothing has written, and prints a JSON object a line: what
was stored where, or the reason why it stopped. What differs between the two runs has no value.
"""

import json
import re
import struct
import sys

MASK = 0xFFFFFFFF
PARTS = {1: [""], 2: [".lo", ".hi"], 4: [".0", ".1", ".2", ".3"]}
LOCAL = 0x7F01 << 32  # where local memory is among generic addresses
ARRAYS = {"in": 0x510000000, "cond": 0x520000000, "out": 0x530000000}  # where machine code has them


class Stop(Exception):
    """What makes a program wrong, or is unknown here."""


def mix(a, b):
    """The input number a, byte b: what the arrays "in" and "cond" hold."""
    v = (a * 0x9E3779B1 ^ (b + 0x7F4A7C15) * 0x85EBCA6B) & MASK
    v ^= v >> 15
    v = v * 0x2C1B3C6D & MASK
    v ^= v >> 12
    v = v * 0x297A2D39 & MASK
    return v ^ v >> 15


def signed(v, bits):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def split(text):
    """The operands of an instruction: commas inside of brackets do not count."""
    out, depth, last = [], 0, 0
    for i, c in enumerate(text):
        if c in "[({":
            depth += 1
        elif c in "])}":
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[last:i].strip())
            last = i + 1
    rest = text[last:].strip()
    return out + [rest] if rest else out


class Function:
    def __init__(self, name, number):
        self.name, self.code, self.labels = name, [], {}
        self.base, self.high = 0x10000 * (number + 1), 0x5A00 + number


class Frame:
    """One activation: its virtual registers, and what it owes its caller."""

    def __init__(self, function, number):
        self.function, self.number, self.regs, self.preds = function, number, {}, {}
        self.pc = 0


class Program:
    def __init__(self, text):
        self.functions, f = {}, None
        for line in text.splitlines():
            line = re.sub(r"/\*[0-9a-f]{4,}\*/", "", line.split("//", 1)[0]).replace(".reuse", "").strip()
            if not line or re.match(r"\.\w+\s", line) or line.startswith(".text."):
                continue  # nothing, or a directive of nvdisasm
            if line.endswith(":"):
                name = line[:-1]
                if re.search(r"^//-+ \.text\." + re.escape(name) + r" ", text, re.M) and name not in self.functions:
                    f = self.functions[name] = Function(name, len(self.functions))
                else:
                    f.labels[name] = len(f.code)
                continue
            f.code.append(line.rstrip(";").strip())


class Machine:
    def __init__(self, case, program, salt):
        self.case, self.program, self.salt = case, program, salt
        self.regs, self.preds, self.uniform, self.local = {}, {}, {2: 0}, {}
        self.memory, self.stores, self.stack, self.frames = {}, [], [], []
        self.activations = self.steps = 0
        self.seen = {}
        self.bank = {}
        for base, data in case["bank"]:
            for i, b in enumerate(bytes.fromhex(data)):
                self.bank[base + i] = b
        self.owned = []
        for base, data, written in case.get("memory") or []:
            data = bytes.fromhex(data)
            self.owned.append((base, base + len(data)))
            for i, (b, w) in enumerate(zip(data, bytes.fromhex(written))):
                if w:
                    self.memory[base + i] = b

    def garbage(self, *key):
        h = self.salt
        for c in repr(key):
            h = (h * 0x01000193 ^ ord(c)) & MASK
        return mix(h, 1)

    # Registers.

    @property
    def frame(self):
        return self.frames[-1]

    def reg(self, name):
        if name == "RZ" or name == "URZ":
            return 0
        if re.fullmatch(r"R\d+", name):
            return self.regs.setdefault(name, self.garbage(name))
        if re.fullmatch(r"UR\d+", name):
            return self.uniform.get(int(name[2:]), self.garbage(name))
        f = self.frame
        return f.regs.setdefault(name, self.garbage(name, f.number))

    def set(self, name, v):
        v &= MASK
        if name == "RZ":
            return
        if re.fullmatch(r"R\d+", name):
            if int(name[1:]) > self.case["last"]:
                raise Stop("no register " + name)
            self.regs[name] = v
        elif re.fullmatch(r"UR\d+", name):
            self.uniform[int(name[2:])] = v
        else:
            self.frame.regs[name] = v

    def pred(self, name):
        neg = name.startswith("!")
        name = name.lstrip("!")
        if name == "PT":
            v = True
        else:
            at = self.preds if re.fullmatch(r"P\d", name) else self.frame.preds
            v = at.setdefault(name, bool(self.garbage(name, self.frame.number) & 1))
        return v != neg

    def setpred(self, name, v):
        if name != "PT":
            (self.preds if re.fullmatch(r"P\d", name) else self.frame.preds)[name] = bool(v)

    def group(self, name, words):
        """The names of the words of a wide operand."""
        m = re.fullmatch(r"(U?R)(\d+)", name)
        if name == "RZ":
            return ["RZ"] * words
        if m:
            if words > 1 and int(m[2]) % words:
                raise Stop("%s does not begin %d registers" % (name, words))
            return [m[1] + str(int(m[2]) + i) for i in range(words)]
        m = re.fullmatch(r"(.*\$x4|%rq\d+)\.([02])", name)
        if m and words == 2:  # half of four words
            return ["%s.%d" % (m[1], int(m[2]) + i) for i in range(2)]
        return [name + part for part in PARTS[words]]

    # Operands.

    def symbol(self, text):
        m = re.fullmatch(r"32@(lo|hi)\(\(?(?:fun@unified\()?([^ ()]+?)(?: \+ ([^ ()]+)@srel)?\)*", text)
        if not m:
            raise Stop("no meaning is known for " + text)
        if m[2] in ARRAYS:
            return ARRAYS[m[2]] & MASK if m[1] == "lo" else ARRAYS[m[2]] >> 32
        f = self.program.functions.get(m[2])
        if f is None:
            raise Stop("no function " + m[2])
        at = f.base + (f.labels[m[3]] if m[3] else 0)
        return at if m[1] == "lo" else f.high

    def constant(self, text, size):
        m = re.fullmatch(r"c\[0x0\]\[(?:([^0][^\]]*?)(?:\+(?=-?0x))?)?(-?0x[0-9a-f]+)?\]", text)
        if not m:
            raise Stop("no meaning is known for " + text)
        at = int(m[2] or "0", 0) + (signed(self.reg(m[1]), 32) if m[1] else 0)
        if at % min(size, 4) or size == 8 and at % 8:
            raise Stop("misaligned " + text)
        return bytes(self.bank.get(at + i, self.garbage("bank", at + i) & 0xFF) for i in range(size))

    def value(self, text):
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
            return int(text, 0) & MASK
        if text.startswith("c["):
            return int.from_bytes(self.constant(text, 4), "little")
        if text.startswith("32@"):
            return self.symbol(text)
        if text.startswith("-"):
            return -self.reg(text[1:]) & MASK
        return self.reg(text)

    def address(self, text):
        m = re.fullmatch(r"\[(.+?)(?:\+(-?0x[0-9a-f]+|-?\d+))?\]", text)
        return (self.reg(m[1]) + int(m[2] or "0", 0)) & MASK

    def array(self, text):
        """The array, and the offset in it, of a global address of machine code."""
        m = re.fullmatch(r"(?:desc\[UR(?:\d+|Z)\])?\[(U?R\d+)(?:\.U?64)?(?:\+(-?0x[0-9a-f]+))?\]", text)
        if not m:
            raise Stop("no meaning is known for " + text)
        low, high = self.group(m[1], 2)
        at = (self.reg(high) << 32 | self.reg(low)) + int(m[2] or "0", 0)
        for name, base in ARRAYS.items():
            if base <= at < base + (1 << 24):
                return name, at - base
        raise Stop("%#x is in no array" % at)

    def injected(self, array, off, n):
        """What the next load of this place of an array finds."""
        self.seen[array, off] = self.seen.get((array, off), 0) + 1
        seed = (self.case["seed"] ^ off << 8 ^ self.seen[array, off]) & MASK
        if array == "cond":
            return bytes([mix(seed, 77) & 1]) + bytes(n - 1)
        return bytes(mix(seed, i) & 0xFF for i in range(n))

    # Local memory.

    def load(self, at, n):
        if at % n:
            raise Stop("%d bytes at %#x, which is misaligned" % (n, at))
        return bytes(self.local.setdefault(at + i, self.garbage("local", at + i) & 0xFF) for i in range(n))

    def store(self, at, data):
        if at % len(data):
            raise Stop("%d bytes at %#x, which is misaligned" % (len(data), at))
        for i, b in enumerate(data):
            self.local[at + i] = b

    # Control.

    def run(self):
        self.enter(self.program.functions[self.case["kernel"]])
        while self.frames:
            f = self.frame
            if f.pc >= len(f.function.code):
                raise Stop("control runs over the end of " + f.function.name)
            self.steps += 1
            if self.steps > 100_000:
                raise Stop("too many instructions")
            line = f.function.code[f.pc]
            f.pc += 1
            try:
                self.execute(line)
            except Stop as err:
                raise Stop("%s: %s: %s" % (f.function.name, line, err)) from None

    def enter(self, function):
        self.activations += 1
        f = Frame(function, self.activations)
        if self.frames:
            # Arguments arrive in R4 to R15, the stack pointer and the return address as they are.
            self.scramble("entry", 16)
            f.kept = {r: self.reg("R%d" % r) for r in self.case["preserved"]}
        f.sp, f.depth = self.reg("R1"), len(self.stack)
        self.frames.append(f)

    def scramble(self, why, end):
        """A call keeps nothing of what is caller-saved, but what it carries in R4 and up."""
        for r in self.case["scratch"]:
            if not 4 <= r < end:
                self.regs["R%d" % r] = self.garbage(why, r, self.activations, self.steps)
        for p in range(7):
            self.preds["P%d" % p] = bool(self.garbage(why, p, self.steps) & 1)

    def leave(self, at):
        f = self.frames.pop()
        if self.reg("R1") != f.sp:
            raise Stop("%s returns with another stack pointer" % f.function.name)
        for r, v in f.kept.items():
            if self.reg("R%d" % r) != v:
                raise Stop("%s has not kept R%d" % (f.function.name, r))
        caller = self.frame
        if not caller.function.base <= at <= caller.function.base + len(caller.function.code):
            raise Stop("it returns to another function")
        caller.pc = at - caller.function.base
        size = self.case["results"].get(f.function.name, 0)
        self.scramble("return", 4 + ((size + 3) // 4 if size <= 48 else 0))

    def call(self, name):
        f = self.program.functions.get(name)
        if f is None:
            raise Stop("no function " + name)
        self.enter(f)

    def jump(self, label):
        f = self.frame
        if label not in f.function.labels:
            raise Stop("no label " + label)
        f.pc = f.function.labels[label]

    def at(self, low, high):
        for f in self.program.functions.values():
            if f.base == low:
                if high not in (f.high, 0 if self.case["narrow"] else f.high):
                    raise Stop("the high word of the address of %s is wrong" % f.name)
                return f.name
        raise Stop("no function begins at %#x" % low)

    # Instructions.

    def execute(self, line):
        if line.startswith("@"):
            guard, line = line[1:].split(None, 1)
            if not self.pred(guard):
                return
        op, _, rest = line.partition(" ")
        if op == op.lower():
            self.ptx(op.split("."), split(rest))
            return
        args = split(rest)
        head, *mods = op.split(".")
        method = getattr(self, "sass_" + head, None)
        if method is None:
            raise Stop("unknown instruction")
        method(mods, args)

    def wide(self, text):
        """The value of an operand of 64 bits."""
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
            return int(text, 0)
        low, high = (self.reg(name) for name in self.group(text.lstrip("-"), 2))
        return (high << 32 | low) * (-1 if text.startswith("-") else 1)

    def setwide(self, name, v):
        for i, word in enumerate(self.group(name, 2)):
            self.set(word, v >> 32 * i)

    def sass_MOV(self, mods, a):
        if mods == ["64"]:
            self.setwide(a[0], self.wide(a[1]))
        else:
            self.set(a[0], self.value(a[1]))

    sass_MOV32I = sass_UMOV = sass_R2UR = sass_MOV

    def sass_PRMT(self, mods, a):
        pool = struct.pack("<II", self.value(a[1]), self.value(a[3]))
        selector, out = self.value(a[2]), 0
        for i in range(4):
            pick = selector >> (4 * i) & 15
            b = pool[pick & 7]
            if pick & 8:
                b = 0xFF if b & 0x80 else 0
            out |= b << (8 * i)
        self.set(a[0], out)

    def sass_IADD3(self, mods, a):
        dst, a = a[0], a[1:]
        outs = []
        while re.fullmatch(r"P(\d|T)", a[0]):
            outs.append(a.pop(0))
        total = sum(self.value(x) for x in a[:3]) + sum(self.pred(p) for p in a[3:])
        self.set(dst, total)
        for i, p in enumerate(outs):
            self.setpred(p, total >> 32 > i)

    def sass_IADD(self, mods, a):
        if mods == ["64"]:
            self.setwide(a[0], self.wide(a[1]) + self.wide(a[2]))
        else:
            self.set(a[0], self.value(a[1]) + self.value(a[2]))

    sass_IADD32I = sass_IADD
    sass_UPRMT, sass_UIADD3 = sass_PRMT, sass_IADD3

    def sass_LOP3(self, mods, a):
        x, y, z, table = (self.value(v) for v in a[1:5])
        out = 0
        for i in range(8):
            if table >> i & 1:
                out |= (x if i & 4 else ~x) & (y if i & 2 else ~y) & (z if i & 1 else ~z)
        self.set(a[0], out)

    def sass_LOP32I(self, mods, a):
        x, y = self.value(a[1]), self.value(a[2])
        self.set(a[0], {"AND": x & y, "OR": x | y, "XOR": x ^ y}[mods[0]])

    sass_LOP = sass_LOP32I
    sass_ULOP3 = sass_LOP3

    def sass_SHF(self, mods, a):
        wide = self.value(a[3]) << 32 | self.value(a[1])
        n = self.value(a[2]) & 31
        if mods[0] == "L":
            wide <<= n
        else:
            wide = (signed(wide, 64) if "S32" in mods else wide) >> n
        self.set(a[0], wide >> 32 if "HI" in mods else wide)

    sass_USHF = sass_SHF

    def sass_SHL(self, mods, a):
        self.set(a[0], self.value(a[1]) << self.value(a[2]))

    def sass_SHR(self, mods, a):
        v = self.value(a[1])
        self.set(a[0], (v if "U32" in mods else signed(v, 32)) >> self.value(a[2]))

    def sass_SEL(self, mods, a):
        self.set(a[0], self.value(a[1] if self.pred(a[3]) else a[2]))

    def sass_ISETP(self, mods, a):
        x, y = self.value(a[2]), self.value(a[3])
        if "U32" not in mods:
            x, y = signed(x, 32), signed(y, 32)
        how = {"NE": x != y, "EQ": x == y, "GE": x >= y, "GT": x > y, "LE": x <= y, "LT": x < y}
        self.setpred(a[0], how[mods[0]] and self.pred(a[4]))

    def width(self, mods):
        for m in mods:
            if m in ("64", "128"):
                return int(m) // 8, False
            if m in ("U8", "S8", "U16", "S16"):
                return int(m[1:]) // 8, m[0] == "S"
        return 4, False

    def fill(self, name, data, sign):
        if len(data) < 4:
            v = int.from_bytes(data, "little")
            data = struct.pack("<I", (signed(v, 8 * len(data)) if sign else v) & MASK)
        for i, word in enumerate(self.group(name, len(data) // 4)):
            self.set(word, struct.unpack_from("<I", data, 4 * i)[0])

    def sass_LDL(self, mods, a):
        n, sign = self.width(mods)
        self.fill(a[0], self.load(self.address(a[1]), n), sign)

    def sass_LDC(self, mods, a):
        n, sign = self.width(mods)
        self.fill(a[0], self.constant(a[1], n), sign)

    sass_ULDC = sass_LDC

    def sass_STL(self, mods, a):
        n, _ = self.width(mods)
        data = b"".join(struct.pack("<I", self.reg(w)) for w in self.group(a[1], max(n // 4, 1)))
        self.store(self.address(a[0]), data[:n])

    def sass_BMOV(self, mods, a):
        pass  # barriers hold no value of a program, and nothing runs beside it

    sass_NOP = sass_YIELD = sass_DEPBAR = sass_BSSY = sass_BSYNC = sass_WARPSYNC = sass_BMOV

    # What only the vendor's assembler writes.

    def sass_IMAD(self, mods, a):
        self.set(a[0], self.value(a[1]) * self.value(a[2]) + self.value(a[3]))

    def sass_HFMA2(self, mods, a):
        if a[1:3] != ["-RZ", "RZ"]:
            raise Stop("arithmetic of halves")
        high, low = (struct.unpack("<H", struct.pack("<e", float(v.replace("QNAN", "nan"))))[0] for v in a[3:5])
        if "NAN" in a[3] + a[4]:
            raise Stop("a constant that is no number")
        self.set(a[0], high << 16 | low)

    def sass_SGXT(self, mods, a):
        n, v = self.value(a[2]), self.value(a[1])
        self.set(a[0], v & (1 << n) - 1 if "U32" in mods else signed(v, n))

    def sass_VIADD(self, mods, a):
        self.set(a[0], self.value(a[1]) + self.value(a[2]))

    def sass_S2R(self, mods, a):
        if a[1] != "SR_LMEMHIOFF":  # where the stack ends, for a check that it has not
            raise Stop("unknown instruction")
        self.set(a[0], 0)

    def sass_CS2R(self, mods, a):
        if a[1] != "SRZ":
            raise Stop("unknown instruction")
        for word in self.group(a[0], 1 if "32" in mods else 2):
            self.set(word, 0)

    def sass_PLOP3(self, mods, a):
        x, y, z = (self.pred(p) for p in a[2:5])
        for p, table in zip(a[:2], a[5:7]):
            self.setpred(p, self.value(table) >> (4 * x + 2 * y + z) & 1)

    def sass_P2R(self, mods, a):
        mask = self.value(a[3])
        bits = sum(self.pred("P%d" % i) << i for i in range(7))
        self.set(a[0], bits & mask | self.value(a[2]) & ~mask)

    def sass_R2P(self, mods, a):
        for i in range(7):
            if self.value(a[2]) >> i & 1:
                self.setpred("P%d" % i, self.value(a[1]) >> i & 1)

    def sass_LDG(self, mods, a):
        n, sign = self.width(mods)
        self.fill(a[0], self.injected(*self.array(a[1]), n), sign)

    def sass_STG(self, mods, a):
        n, _ = self.width(mods)
        array, off = self.array(a[0])
        data = b"".join(struct.pack("<I", self.reg(w)) for w in self.group(a[1], max(n // 4, 1)))
        self.stores.append([off, data[:n].hex()])

    def sass_BRA(self, mods, a):
        self.jump(a[0].strip("`()"))

    def sass_CALL(self, mods, a):
        f = self.frame
        back, low = f.function.base + f.pc, self.case["retaddr"]
        if (self.reg("R%d" % low), self.reg("R%d" % (low + 1))) != (back, f.function.high):
            raise Stop("the return address is not the next instruction")
        if a[0].startswith("`"):
            self.call(a[0].strip("`()"))
            return
        name = a[0].split()[0]
        words = self.group(name, 2) if name.startswith("R") else [name + ".lo", name + ".hi"]
        self.call(self.at(self.reg(words[0]), self.reg(words[1])))

    def sass_JCAL(self, mods, a):
        self.stack.append(self.frame.function.base + self.frame.pc)
        self.call(a[0].strip("`()"))

    sass_CAL = sass_JCAL

    def sass_PRET(self, mods, a):
        self.stack.append(self.frame.function.base + self.frame.function.labels[a[0].strip("`()")])

    def sass_JMX(self, mods, a):
        low = self.reg(a[0].split()[0])
        for f in self.program.functions.values():
            if f.base == low:
                self.call(f.name)
                return
        raise Stop("no function begins at %#x" % low)

    def sass_RET(self, mods, a):
        if not a:
            if not self.stack:
                raise Stop("the hardware's stack is empty")
            self.leave(self.stack.pop())
            return
        low = int(a[0].split()[0][1:])
        at, high = self.reg("R%d" % low), self.reg("R%d" % (low + 1))
        if high != self.frames[-2].function.high:
            raise Stop("the high word of the return address is wrong")
        self.leave(at)

    def sass_EXIT(self, mods, a):
        if len(self.frames) != 1:
            raise Stop("a function exits")
        self.frames.pop()

    # PTX that passes through lowering.

    def bytes_of(self, name):
        """The size of a virtual register by the class in its name."""
        s = re.sub(r"^%(v\d)?", "", name)
        for prefix, n in self.case["classes"]:
            if s.startswith(prefix):
                return n
        raise Stop("a register of no class: " + name)

    def names(self, name, size):
        if re.fullmatch(r"R\d+", name):
            return ["R%d" % (int(name[1:]) + i) for i in range((size + 3) // 4)]
        return [name + part for part in PARTS[max(self.bytes_of(name) // 4, 1)]]

    def get(self, operand, size):
        """The bytes of an operand of PTX: a register, a list of them, a number or a function."""
        if operand.startswith("{"):
            list_ = split(operand[1:-1])
            return b"".join(self.get(o, size // len(list_)) for o in list_)
        if operand.startswith("%") or re.fullmatch(r"R\d+", operand):
            return b"".join(struct.pack("<I", self.reg(n)) for n in self.names(operand, size))[:size]
        if operand in self.program.functions:
            f = self.program.functions[operand]
            return struct.pack("<II", f.base, f.high)[:size]
        if operand.startswith("0f"):
            return struct.pack("<I", int(operand[2:], 16))
        return (int(operand, 0) & (1 << 8 * size) - 1).to_bytes(size, "little")

    def put(self, operand, data):
        if operand.startswith("{"):
            list_ = split(operand[1:-1])
            n = len(data) // len(list_)
            for i, o in enumerate(list_):
                self.put(o, data[n * i : n * (i + 1)])
            return
        names = self.names(operand, len(data))
        data = data.ljust(4 * len(names), b"\0")
        for i, n in enumerate(names):
            self.set(n, struct.unpack_from("<I", data, 4 * i)[0])

    def number(self, operand, bits, sign=False):
        v = int.from_bytes(self.get(operand, max(bits // 8, 1)), "little")
        return signed(v, bits) if sign else v

    def ptx(self, op, a):
        kind = op[-1]
        bits = int(kind[1:]) if re.fullmatch(r"[busf]\d+", kind) else 32
        name = op[0]
        if name == "bra":
            self.jump(a[0])
        elif name in ("ld", "st"):
            self.access(op, a, bits // 8)
        elif name == "mov":
            self.put(a[0], self.get(a[1], bits // 8))
        elif name == "setp":
            x, y = self.number(a[1], bits), self.number(a[2], bits)
            self.setpred(a[0], {"eq": x == y, "ne": x != y}[op[1]])
        elif name == "selp":
            self.put(a[0], self.get(a[1] if self.pred(a[3]) else a[2], bits // 8))
        elif ".".join(op[:2]) == "cvta.local":
            self.put(a[0], (self.number(a[1], bits) | LOCAL).to_bytes(8, "little"))
        elif ".".join(op[:3]) == "cvta.to.global":
            self.put(a[0], self.get(a[1], bits // 8))
        elif name == "cvt" and op[2] == "f32":
            self.put(a[0], struct.pack("<f", float(self.number(a[1], bits, True))))
        elif kind == "f32":
            x = [struct.unpack("<f", self.get(o, 4))[0] for o in a[1:]]
            out = {"mul": lambda: x[0] * x[1], "add": lambda: x[0] + x[1], "fma": lambda: x[0] * x[1] + x[2]}
            if name not in out:
                raise Stop("no meaning is known for " + ".".join(op))
            self.put(a[0], struct.pack("<f", out[name]()))
        elif name == "add":
            self.put(a[0], (self.number(a[1], bits) + self.number(a[2], bits) & (1 << bits) - 1).to_bytes(bits // 8, "little"))
        else:
            raise Stop("no meaning is known for " + ".".join(op))

    def access(self, op, a, size):
        is_store = op[0] == "st"
        place, data = (a[0], a[1]) if is_store else (a[1], a[0])
        n = size * (len(split(data[1:-1])) if data.startswith("{") else 1)
        base, _, off = place[1:-1].partition("+")
        off = int(off.strip() or "0", 0)
        base = base.strip()
        if base in ("in", "cond"):
            self.put(data, self.injected(base, off, n))
            return
        if base == "out":
            self.stores.append([off, self.get(data, n).hex()])
            return
        if base.startswith("%") or re.fullmatch(r"R\d+", base):
            at = self.number(base, 8 * self.case["pointer"])
        else:
            at = int(base, 0)
        at += off
        if op[1] == "local" or at >> 32 == LOCAL >> 32:
            at &= MASK
            if is_store:
                self.store(at, self.get(data, n))
                return
            got = self.load(at, n)
        else:
            if not any(low <= at and at + n <= high for low, high in self.owned):
                raise Stop("%d bytes at %#x are nobody's" % (n, at))
            if is_store:
                for i, b in enumerate(self.get(data, n)):
                    self.memory[at + i] = b
                return
            got = bytes(self.memory.setdefault(at + i, self.garbage("memory", at + i) & 0xFF) for i in range(n))
        if op[-1][0] == "s" and not data.startswith("{"):
            got = signed(int.from_bytes(got, "little"), 8 * n).to_bytes(max(self.bytes_of(data), 4), "little", signed=True)
        self.put(data, got)

    def left(self):
        """The memory that the case gave, at the end."""
        return [[low, bytes(self.memory.get(i, self.garbage("memory", i) & 0xFF) for i in range(low, high)).hex()] for low, high in self.owned]


def run(case):
    program = Program(case["text"])
    other = Program(case.get("other") or "")
    for i, name in enumerate(case.get("from") or []):
        program.functions[name] = f = other.functions[name]
        f.base, f.high = 0x10000 * (i + 1) + (1 << 28), 0x5B00 + i
    runs = []
    for salt in (1, 2):
        m = Machine(case, program, salt)
        try:
            m.run()
        except Stop as err:
            return {"name": case["name"], "error": str(err)}
        m.stores.sort(key=lambda s: s[0])  # the order of stores to other places is not observed
        runs.append((m.stores, m.left()))
    (stores, memory), (others, others_memory) = runs
    if [s[0] for s in stores] != [s[0] for s in others]:
        return {"name": case["name"], "error": "what is stored depends on what has no value"}

    def both(x, y):
        return [[at, data, bytes(0xFF if p == q else 0 for p, q in zip(bytes.fromhex(data), bytes.fromhex(o[1]))).hex()] for (at, data), o in zip(x, y)]

    return {"name": case["name"], "stores": both(stores, others), "memory": both(memory, others_memory), "steps": m.steps}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
