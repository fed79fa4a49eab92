package ptx

import (
	"math/bits"
	"strings"
)

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

// A reading says what reads the statements that begin with a word.
type reading uint8

const (
	byTokens  reading = iota // quick does not
	asInstr                  // an instruction with operands
	asBare                   // one without, whose semicolon ends the word
	asAccess                 // ld.param or st.param
	asCall                   // call
	asDecl                   // .reg, .param and .local
	asOpen                   // {
	asClose                  // }
	asComment                // //
)

// An opcode is what is known of the word that a statement begins with. The zero opcode is
// that of no text.
type opcode struct {
	word  [2]uint64 // its bytes; of a long one, the first ones and a hash of the others
	text  string    // without the semicolon of asBare
	as    reading
	kind  OpKind
	space Space  // of asDecl
	store bool   // of asAccess
	memOp *memOp // of asAccess
}

// opcodes holds opcodes by a hash of all their bytes, or in a place behind it. A module has
// a few dozen of them, and what one says is found out once.
type opcodes [1 << opcodeBits]opcode

const (
	opcodeBits = 10
	opcodeWays = 8 // places that an opcode may be in
	// A word of fewer bytes than longOpcode stands in two words of the processor.
	longOpcode = 16
	// maxOpcode bounds how far the end of a word is looked for, since a text need not
	// have blanks.
	maxOpcode = 64
)

// quickOpcode returns what is known of the word at offset first, nil if it is none to keep
// in mind, and the offset behind it. It takes eight bytes at a time, and compares them as
// they come.
func (p *parser) quickOpcode(first int) (op *opcode, end int) {
	src := p.src
	if first+longOpcode > len(src) {
		return nil, len(src)
	}
	end = first
	a, b := eight(src, end), uint64(0)
	blank := blanksIn(a)
	if blank != 0 {
		a = bytesBefore(a, blank)
	} else {
		end += 8
		b = eight(src, end)
		if blank = blanksIn(b); blank == 0 {
			return p.longOpcode(first, a, b)
		}
		b = bytesBefore(b, blank)
	}
	end += bits.TrailingZeros64(blank) >> 3
	op = &p.opcodes[opcodePlace(a, b)]
	if op.word[0] != a || op.word[1] != b {
		op = p.otherOpcode(a, b, first, end)
	}
	return op, end
}

// opcodePlace is the index in opcodes of a word.
func opcodePlace(a, b uint64) uint64 {
	return (a ^ b*0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15 >> (64 - opcodeBits)
}

// longOpcode is quickOpcode for a word of sixteen bytes and more, the first of which are
// a and b.
func (p *parser) longOpcode(first int, a, b uint64) (op *opcode, end int) {
	src := p.src
	for end = first + longOpcode; end-first <= maxOpcode && end+8 <= len(src); end += 8 {
		w := eight(src, end)
		blank := blanksIn(w)
		if blank != 0 {
			w = bytesBefore(w, blank)
		}
		b = (b + w) * 0x9E3779B97F4A7C15
		if blank == 0 {
			continue
		}
		end += bits.TrailingZeros64(blank) >> 3
		b |= 1 << 63 // no short word has that
		op = &p.opcodes[opcodePlace(a, b)]
		if op.word[0] != a || op.word[1] != b || op.text != src[first:end] {
			op = p.otherOpcode(a, b, first, end)
		}
		return op, end
	}
	return nil, len(src)
}

// otherOpcode is quickOpcode for the word src[first:end], which is not in its place: it is in
// one of those behind, or new. A new one goes where none is yet; where all are taken, the
// first goes. With two places, three opcodes of one large module pushed each other out, which
// took a twentieth of reading it. Labels and guards are not kept, since there are many, nor are names of
// prototypes.
func (p *parser) otherOpcode(a, b uint64, first, end int) *opcode {
	text := p.src[first:end]
	if text == "" || text[0] == '@' || text[len(text)-1] == ':' || strings.HasPrefix(p.src[end:], " :") {
		return nil
	}
	place := opcodePlace(a, b)
	op := &p.opcodes[place]
	for k := range uint64(opcodeWays) {
		o := &p.opcodes[(place+k)%(1<<opcodeBits)]
		if o.text == "" {
			op = o
			break
		}
		if o.word == [2]uint64{a, b} && (b>>63 == 0 || o.text == text) {
			return o
		}
	}
	*op = opcode{word: [2]uint64{a, b}, text: text}
	op.learn(text)
	return op
}

// learn sets o for a word.
func (o *opcode) learn(name string) {
	switch name {
	case "call", "call.uni":
		o.as = asCall
	case ".reg", ".param", ".local":
		o.as, o.space = asDecl, spaceOf(name)
	case "{":
		o.as = asOpen
	case "}":
		o.as = asClose
	case "//":
		o.as = asComment
	}
	core := strings.TrimSuffix(name, ";")
	if core == "" || class[core[0]] != cIdent || digit(core[0]) || through(core, 0, cDot) < len(core) || isCall(core) {
		return
	}
	switch param := isMemOp(core) && hasParam(core); {
	case !param && len(core) == len(name):
		o.as = asInstr
	case !param && len(name) < longOpcode: // else text would have to be all of it
		o.as, o.text = asBare, core
	case param && len(core) == len(name):
		m := &memOp{op: name, param: true}
		if m.modifiers(); m.bad != "" || m.typ == NoType || max(m.vec, 1) > minBlock {
			return
		}
		o.as, o.memOp, o.store = asAccess, m, name[0] == 's'
	}
	o.kind = kindOf(core)
}
