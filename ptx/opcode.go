package ptx

// An OpKind groups instructions by what their opcodes say about the flow of control
// and about addresses.
type OpKind uint8

const (
	OpOther    OpKind = iota + 1 // nothing of what follows
	OpBranch                     // bra, brx and trap
	OpReturn                     // ret and exit
	OpMove                       // mov
	OpSum                        // add and sub
	OpMemory                     // ld, ldu and st
	OpIndirect                   // cvta, isspacep, atom, red, prefetch and prefetchu
)

// Kind returns the kind of the opcode. That costs nothing where [Reader.Reread] has
// read the instruction, which asks once for each opcode.
func (in *Instr) Kind() OpKind {
	if in.kind == 0 {
		return kindOf(in.Op)
	}
	return in.kind
}

func kindOf(op string) OpKind {
	n := 0
	for n < len(op) && op[n] != '.' {
		n++
	}
	switch op[:n] {
	case "bra", "brx", "trap":
		return OpBranch
	case "ret", "exit":
		return OpReturn
	case "mov":
		return OpMove
	case "add", "sub":
		return OpSum
	case "ld", "ldu", "st":
		return OpMemory
	case "cvta", "isspacep", "atom", "red", "prefetch", "prefetchu":
		return OpIndirect
	}
	return OpOther
}

// An opcode is what is known of one. The zero opcode is that of no text.
type opcode struct {
	text  string
	kind  OpKind // 0 for one of an instruction that quick does not read
	param bool   // ld.param or st.param, as memOp says
	store bool
	memOp *memOp
}

// opcodes holds opcodes by a hash of all their bytes, or in the place next to it. A module has a few dozen of
// them, and what one says is found out once.
type opcodes [1 << opcodeBits]opcode

const opcodeBits = 8

// learn sets o for a name that stands in place of an opcode.
func (o *opcode) learn(name string) {
	*o = opcode{text: name}
	switch {
	case digit(name[0]) || through(name, 0, cDot) < len(name) || isCall(name):
		return
	case isMemOp(name) && hasParam(name):
		m := &memOp{op: name, param: true}
		if m.modifiers(); m.bad != "" || m.typ == NoType || max(m.vec, 1) > minBlock {
			return
		}
		o.param, o.store, o.memOp = true, name[0] == 's', m
	}
	o.kind = kindOf(name)
}
