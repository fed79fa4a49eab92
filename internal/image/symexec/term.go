package symexec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/sass"
)

// terms give the values that instructions of PTX compute numbers: the same instruction of
// the same values has the same number, in all listings that share them.
type terms struct{ of map[string]int }

func (t *terms) number(text string) int {
	if t.of == nil {
		t.of = make(map[string]int)
	}
	n, ok := t.of[text]
	if !ok {
		n = len(t.of)
		t.of[text] = n
	}
	return n
}

// passedThrough executes an instruction of PTX that only computes. What it writes has
// the number of its term if all that it reads is known, and is not known otherwise.
func (p *path) passedThrough(m *machine, op, args string) {
	list, known := dataflow.Operands(op, ptx.ParseOperands(args))
	text, ok := p.term(m, op, list, known)
	kind := madeByte
	if p.alloc == nil && p.written == nil && !p.defined(m, op, list, known) {
		kind = lostByte
	}
	for i := range list {
		if !list[i].Written {
			continue
		}
		for _, n := range list[i].Names() {
			name := n.Text
			words := writtenWords(op, i)
			if len(name) == 2 && name[0] == 'P' {
				words = 1
			}
			if words == 0 || !known {
				p.lose(m, name)
				continue
			}
			n := int64(0)
			if ok {
				n = int64(p.terms.number(text + " → " + strconv.Itoa(i)))
				if _, have := p.computed[n]; !have {
					p.computed[n] = p.index
				}
				if strings.HasPrefix(op, "setp") {
					p.tests[n] = either(m, op, list)
				}
			}
			for k := range words {
				var w word
				for b := range w.b {
					w.b[b] = byteValue{kind: kind, n: uint8(b), reg: uint8(4*i + k), off: m.pc}
					if ok {
						w.b[b] = byteValue{kind: termByte, n: uint8(b), reg: uint8(k), off: n}
					}
				}
				m.setName(name, k, words, w)
			}
		}
	}
	if p.alloc != nil {
		return
	}
	if sum, dst, words, isSum := p.constantSum(m, op, list, known); isSum {
		m.setName(dst, 0, words, sum)
	}
	p.widened(m, op, list, known)
}

// either returns the values that a comparison of integers depends on if it may be true and false: two that are passed, or that
// calls or memory have given, or one of them and a number.
func either(m *machine, op string, list []dataflow.Operand) (values []byteValue) {
	parts := strings.Split(op, ".")
	if len(parts) != 3 || len(list) != 3 || len(parts[2]) != 3 || parts[2][0] == 'f' || parts[2][1:] == "16" {
		return nil
	}
	unsigned := parts[2][0] == 'u' || slices.Contains([]string{"lo", "ls", "hi", "hs"}, parts[1])
	for _, o := range list[1:] {
		if n, err := strconv.ParseInt(o.Text, 0, 64); err == nil {
			if n < 0 && unsigned || n > 1<<30 || n < -1<<30 || n == 0 && unsigned && parts[1] != "eq" && parts[1] != "ne" {
				return nil
			}
			continue
		}
		for k := range wordsOf(op, 1) {
			w := m.named(o.Text, k, wordsOf(op, 1))
			if w.base != noBase || !w.whole() || w.b[0].kind == labelByte || w.b[0].kind == termByte || w.b[0].kind == localByte && (w.b[0].base != spBase || w.b[0].off < 0) || slices.Contains(values, w.b[0]) {
				return nil
			}
			values = append(values, w.b[0])
		}
	}
	return values
}

// defined reports whether what an instruction reads is surely defined: an assembler may leave what is not wherever it is.
func (p *path) defined(m *machine, op string, list []dataflow.Operand, known bool) bool {
	name, space, _ := strings.Cut(op, ".")
	if !known || name == "ld" && (strings.Contains(space, "local") || strings.Contains(space, "param") || p.sites.locals) {
		return false
	}
	is := func(w word) bool {
		return w.base != noBase || !slices.ContainsFunc(w.b[:], func(b byteValue) bool { return b.kind == nothing || b.kind == joinByte || b.kind == lostByte })
	}
	for i := range list {
		for _, n := range list[i].Names() {
			if r, ok := machineRegister(n.Text); ok && !is(m.regs[r]) {
				return false
			}
			have := !isRegister(n.Text)
			for _, suffix := range []string{"", ".lo", ".hi", ".0", ".1", ".2", ".3"} {
				w, ok := m.virt[n.Text+suffix]
				if have = have || ok; ok && !is(w) {
					return false
				}
			}
			if !have && !list[i].Written {
				return false
			}
		}
	}
	return true
}

// widened gives the register that a conversion of integers writes what the machine follows of it: the bytes of the value, and
// zeros or copies of its sign above it.
func (p *path) widened(m *machine, op string, list []dataflow.Operand, known bool) {
	parts := strings.Split(op, ".")
	if !known || len(parts) != 3 || parts[0] != "cvt" || len(list) != 2 || !isRegister(list[0].Text) || !isRegister(list[1].Text) {
		return
	}
	to, from := ptx.TypeOf("."+parts[1]), ptx.TypeOf("."+parts[2])
	if to.Class() != ptx.Integer || from.Class() != ptx.Integer || to.Size() < 4 || from.Size() > to.Size() || from.Size() == 0 {
		return
	}
	words, signed := to.Size()/4, from.Signed()
	values := make([]word, words)
	for k := range min(words, (from.Size()+3)/4) {
		values[k] = m.low(m.named(list[1].Text, k, (from.Size()+3)/4), min(8*from.Size(), 32), signed)
	}
	if words == 2 && from.Size() <= 4 {
		values[1] = constWord(0)
		if signed {
			values[1] = m.shiftSigned(values[0], 31)
		}
	}
	for k, w := range values {
		if words > 2 || w.base == noBase && w.b[0].kind == madeByte { // it has the number of its term
			return
		}
		m.setName(list[0].Text, k, words, w)
	}
}

// constantSum returns the low word of what an addition or subtraction of a number computes, as the machine
// follows it in code: an address, or what a place held, and a number. It is false for other instructions, and
// where the other operand is not known.
func (p *path) constantSum(m *machine, op string, list []dataflow.Operand, known bool) (sum word, dst string, words int, ok bool) {
	name, typ, _ := strings.Cut(op, ".")
	if words = wordsOf(op, 0); !known || len(list) != 3 || name != "add" && name != "sub" || len(typ) != 3 || words == 0 || typ[0] != 's' && typ[0] != 'u' && typ[0] != 'b' {
		return word{}, "", 0, false
	}
	from, n := list[1].Text, list[2].Text
	number, err := strconv.ParseInt(n, 0, 64)
	if err != nil && name == "add" {
		from, n = n, from
		number, err = strconv.ParseInt(n, 0, 64)
	}
	if err != nil || !isName(from) || !isName(list[0].Text) {
		return word{}, "", 0, false
	}
	if name == "sub" {
		number = -number
	}
	was := m.named(from, 0, words)
	if _, linear := m.linear(was); !linear {
		return word{}, "", 0, false
	}
	return m.add2(was, constWord(uint32(number))), list[0].Text, words, true
}

// lose makes nothing be known of a register whose size is not known either.
func (p *path) lose(m *machine, name string) {
	var w word
	for i := range w.b {
		w.b[i] = byteValue{kind: lostByte, n: uint8(i), off: m.pc}
	}
	if r, ok := machineRegister(name); ok {
		for k := sass.Reg(0); k < most && int(r+k) < int(sass.RZ) && r+k >= r; k++ {
			m.regs[r+k] = w
			p.note(r+k, w)
		}
		return
	}
	for _, suffix := range []string{"", ".lo", ".hi", ".0", ".1", ".2", ".3"} {
		m.virt[name+suffix] = w
	}
}

// term returns the text of what an instruction computes; ok is false where that depends
// on what is not known.
func (p *path) term(m *machine, op string, list []dataflow.Operand, known bool) (text string, ok bool) {
	if !known || !computes(op) {
		return "", false
	}
	var b strings.Builder
	b.WriteString(op)
	for i := range list {
		o := &list[i]
		if !o.Read {
			continue
		}
		if _, err := strconv.ParseInt(o.Text, 0, 64); err == nil || isFloat(o.Text) || isSpecial(o.Text) {
			fmt.Fprintf(&b, " %s", o.Text)
			continue
		}
		words := wordsOf(op, i)
		if words == 0 || !isName(o.Text) || o.Written {
			return "", false
		}
		for k := range words {
			w := m.named(o.Text, k, words)
			if w.base != noBase || slices.ContainsFunc(w.b[:], func(b byteValue) bool { return !b.known() }) {
				return "", false
			}
			fmt.Fprintf(&b, " (%s)", m.run(4, localAddr{base: spBase}, func(i int) byteValue { return w.b[i] }))
		}
	}
	return b.String(), true
}

func isFloat(text string) bool {
	text = strings.ToLower(text)
	return strings.HasPrefix(text, "0f") || strings.HasPrefix(text, "0d")
}

// isSpecial reports whether a name is that of a special register whose value does not
// change while a function runs.
func isSpecial(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	switch stem {
	case "%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "WARP_SZ", "%nwarpid", "%gridid":
		return true
	}
	return false
}

// computes reports whether what an instruction writes depends on nothing but its operands.
func computes(op string) bool {
	name, _, _ := strings.Cut(op, ".")
	switch name {
	case "add", "sub", "mul", "mad", "fma", "div", "rem", "abs", "neg", "min", "max", "and", "or", "xor", "not", "shl", "shr", "setp", "selp",
		"cvt", "bfe", "bfi", "prmt", "mov", "popc", "clz", "sad", "mul24", "mad24", "sqrt", "rcp", "ex2", "lg2", "sin", "cos", "rsqrt":
		return !strings.Contains(op, ".cc")
	}
	return false
}

// typesOf returns the types among the modifiers of an opcode, in registers.
func typesOf(op string) []int {
	var types []int
	for _, p := range strings.Split(op, ".")[1:] {
		if bits, err := strconv.Atoi(strings.TrimLeft(p, "bsuf")); err == nil && strings.ContainsRune("bsuf", rune(p[0])) {
			types = append(types, (bits+31)/32)
		}
		if p == "pred" || p == "f16x2" || p == "bf16x2" || p == "bf16" {
			types = append(types, 1)
		}
	}
	return types
}

// writtenWords returns how many registers each register takes that an instruction writes
// as operand i; 0 where that is not known.
func writtenWords(op string, i int) int {
	name, rest, _ := strings.Cut(op, ".")
	types := typesOf(op)
	switch name {
	case "vote", "elect", "match", "activemask", "ldmatrix", "movmatrix", "isspacep", "istypep", "redux", "getctarank",
		"bar", "barrier", "multimem", "txq", "suq", "tex", "tld4":
		return 1 // of tex the last type is that of coordinates
	case "mma", "wmma", "wgmma":
		if strings.Contains(rest, ".f64") {
			return 2
		}
		return 1
	case "ld", "ldu", "atom", "shfl", "cvta", "suld", "alloca", "stacksave":
		if len(types) == 0 {
			return 0
		}
		return types[len(types)-1]
	}
	return wordsOf(op, i)
}

// wordsOf returns how many registers operand i of an instruction takes, by its types; 1
// for a predicate, 0 where that is not known.
func wordsOf(op string, i int) int {
	name, _, _ := strings.Cut(op, ".")
	types := typesOf(op)
	if len(types) == 0 {
		return 0
	}
	last := types[len(types)-1]
	switch name {
	case "cvt", "set":
		return types[min(i, 1)%len(types)]
	case "setp":
		if i == 0 || i == 3 {
			return 1
		}
	case "selp", "slct":
		if i == 3 {
			return 1
		}
	case "shl", "shr":
		if i == 2 {
			return 1
		}
	case "mul", "mad":
		if strings.Contains(op, ".wide") && (i == 0 || i == 3) {
			return 2 * last
		}
	case "popc", "clz", "bfind":
		if i == 0 {
			return 1
		}
	case "bfe":
		if i >= 2 {
			return 1
		}
	case "bfi":
		if i >= 3 {
			return 1
		}
	case "cvta", "ld", "ldu", "atom", "isspacep", "tex", "mma", "wmma", "ldmatrix", "shfl", "vote", "match", "elect", "mbarrier",
		"mapa", "createpolicy", "tcgen05":
		return 0
	}
	return last
}
