package follow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
)

// This file carries out the instructions of PTX that move values: in the text of a listing, and in the source.

// An operandSide reads and writes operands of one side.
type operandSide struct {
	// vector returns how many elements a register has that is named whole; nil for none.
	vector func(n operandName) int
	// value returns word k of an operand of size bytes.
	value func(o *ptx.Operand, k, size int) (symexec.Word, bool)
	set   func(n operandName, k, words int, w symexec.Word) bool
}

// sourceSide is the source before statement i.
func (a *allocation) sourceSide(s *source, i int) operandSide {
	one := func(n operandName) *sourceReg {
		if list := a.registers(i, n); len(list) == 1 {
			return &list[0]
		}
		return nil
	}
	return operandSide{
		vector: func(n operandName) int { return len(a.registers(i, n)) },
		value: a.moved(func(n operandName, k, _ int) (symexec.Word, bool) {
			if r := one(n); r != nil {
				return s.word(r, k), true
			}
			return symexec.Word{}, false
		}),
		set: func(n operandName, k, _ int, w symexec.Word) bool {
			r := one(n)
			if r != nil {
				s.set(r, k, w)
			}
			return r != nil
		},
	}
}

// machineSide is the machine of an allocation.
func (a *allocation) machineSide(m *symexec.Machine) operandSide {
	return operandSide{
		vector: func(n operandName) int {
			if n.Elem != 0 {
				return 1
			}
			return a.vectors[n.Text]
		},
		value: a.moved(func(n operandName, k, words int) (symexec.Word, bool) {
			return a.machineWord(m, textOf(n), k, words), a.isRegister(n.Text)
		}),
		set: func(n operandName, k, words int, w symexec.Word) bool {
			if !a.isRegister(n.Text) {
				return false
			}
			m.SetName(textOf(n), k, words, w)
			return true
		},
	}
}

// textSide is the machine of a listing that is compared with another one. Packed says that what is moved is taken apart.
func (p *path) textSide(m *symexec.Machine, packed bool) operandSide {
	return operandSide{
		value: func(o *ptx.Operand, k, size int) (symexec.Word, bool) {
			if n, err := strconv.ParseInt(o.Text, 0, 64); err == nil {
				return symexec.ConstWord(uint32(n >> (32 * k))), true
			}
			if symbol, ok := p.functionAddress(o.Text); ok && !packed {
				return m.SymbolWord(symexec.Symbol{Name: symbol}, uint8(4*k)), true
			}
			w := m.Named(o.Text, k, (size+3)/4)
			if packed && w.Base != symexec.NoBase {
				w = m.Made()
			}
			return w, isRegister(o.Text)
		},
		set: func(n operandName, k, words int, w symexec.Word) bool {
			m.SetName(textOf(n), k, words, w)
			return true
		},
	}
}

// textOf returns a name as the text has it.
func textOf(n operandName) string {
	if n.Elem != 0 {
		return n.Text + "." + string(n.Elem)
	}
	return n.Text
}

// move carries out a mov of registers, numbers, special registers and addresses, and those
// that pack and unpack. It reports false for another instruction, or other operands.
func (s *operandSide) move(op string, list []dataflow.Operand) bool {
	size := ptx.TypeOf(op[max(strings.LastIndexByte(op, '.'), 0):]).Size()
	if len(list) != 2 || size == 0 {
		return false
	}
	dst, src := s.elements(list[0].Operand), s.elements(list[1].Operand)
	switch {
	case strings.Contains(op, ".v2."):
		size *= 2
	case strings.Contains(op, ".v4."):
		size *= 4
	}
	if len(dst) == 0 || len(src) == 0 || size%len(dst) != 0 || size%len(src) != 0 {
		return false
	}
	var words []symexec.Word // of each element of src
	each := size / len(src)
	for i := range src {
		for k := range (each + 3) / 4 {
			w, ok := s.value(&src[i], k, each)
			if !ok {
				return false
			}
			words = append(words, w)
		}
	}
	if len(dst) != len(src) { // bytes of one are those of the other
		var bytes []symexec.Byte
		for element := range slices.Chunk(words, (each+3)/4) {
			for k := range each {
				bytes = append(bytes, symexec.Effective(element[k/4], k%4))
			}
		}
		each, words = size/len(dst), nil
		for element := range slices.Chunk(bytes, each) {
			for part := range slices.Chunk(element, 4) {
				var w symexec.Word
				copy(w.B[:], part)
				words = append(words, w)
			}
		}
	}
	each = (each + 3) / 4
	for i := range dst {
		names := namesOf(dst[i : i+1])
		if len(names) != 1 && dst[i].Kind != ptx.KindSink {
			return false
		}
		for k := range each {
			if len(names) == 1 && !s.set(names[0], k, each, words[each*i+k]) {
				return false
			}
		}
	}
	return true
}

// elements returns the elements of a list in braces, those of a vector register, or the operand.
func (s *operandSide) elements(o *ptx.Operand) []ptx.Operand {
	if o.Kind == ptx.KindVector {
		return o.Elems
	}
	list := []ptx.Operand{*o}
	if names := namesOf(list); s.vector != nil && len(names) == 1 && isName(o.Text) {
		if n := s.vector(names[0]); n > 1 {
			list = nil
			for _, elem := range []byte("xyzw"[:n]) {
				list = append(list, ptx.Operand{Kind: ptx.KindName, Text: o.Text + "." + string(elem), Elem: elem})
			}
		}
	}
	return list
}

// moved returns a function for word k of the value that a mov of an allocation moves, where get has those of registers.
func (a *allocation) moved(get func(n operandName, k, words int) (symexec.Word, bool)) func(o *ptx.Operand, k, size int) (symexec.Word, bool) {
	return func(o *ptx.Operand, k, size int) (symexec.Word, bool) {
		if c, ok := ptx.ParseConstant(o.Text); ok {
			v := c.Bits
			if c.Kind == ptx.KindFloat && int(c.FloatSize) != size {
				if c.FloatSize != 0 || size != 4 && size != 8 {
					return symexec.Word{}, false
				}
				if size == 4 {
					v = uint64(math.Float32bits(float32(math.Float64frombits(v))))
				}
			}
			if k > 1 {
				v = 0
			}
			w := symexec.ConstWord(uint32(v >> (32 * min(k, 1))))
			for b := max(size-4*k, 0); b < 4; b++ {
				w.B[b] = symexec.Byte{}
			}
			return w, true
		}
		if names := namesOf([]ptx.Operand{*o}); len(names) == 1 && isName(o.Text) {
			if w, ok := get(names[0], k, (size+3)/4); ok {
				return w, true
			}
		}
		if strings.ContainsAny(o.Text, "{}|!") || o.Text == "" {
			return symexec.Word{}, false
		}
		n := int64(a.p.terms.number(fmt.Sprintf("value %d %s", size, o.Text)))
		if _, declared := a.names[o.Text]; declared || o.Text[0] != '%' {
			a.address[n] = o.Text
		}
		return termWord(n, k), true
	}
}

// moves executes an instruction of PTX in a listing: a volatile access to global memory at a register plus a number, an access
// beyond a parameter, or a mov of a number, of registers or of the address of a function. It is false for another
// one.
func (p *path) moves(m *symexec.Machine, op string, list []dataflow.Operand) bool {
	at := strings.LastIndexByte(op, '.')
	if len(list) < 2 || at < 0 {
		return false
	}
	stem, class := op[:at], op[at+1:]
	bits, err := strconv.Atoi(strings.TrimLeft(class, "bsuf"))
	if err != nil {
		return false
	}
	dst, src := list[0], list[1]
	parts := strings.Split(op, ".")
	switch {
	case stem == "mov":
		side := p.textSide(m, dst.Kind == ptx.KindVector || src.Kind == ptx.KindVector)
		return side.move(op, list)
	case stem == "cvta.to.global", stem == "cvta.global": // one address in both
		side := p.textSide(m, false)
		return isRegister(src.Text) && isRegister(dst.Text) && side.move(op, list)
	case stem == "ld.volatile.global":
		place, ok := p.place(m, src.Text)
		if ok = ok && place.Base == symexec.NoBase; ok {
			p.load(m, dst.Text, bits, class, symexec.Byte{Kind: symexec.GlobalByte, Off: place.Add})
		}
		return ok
	case slices.ContainsFunc(parts, ownSpace):
	case parts[0] == "ld":
		place, ok := p.place(m, src.Text)
		if !ok || place.Base == symexec.NoBase {
			return false
		}
		for _, d := range new(operandSide).elements(dst.Operand) {
			p.load(m, d.Text, bits, class, symexec.Byte{Kind: symexec.PointedByte, Base: place.Base, Off: place.Add})
			place.Add += int64(bits / 8)
		}
		return true
	case parts[0] == "st" && !strings.Contains(op, "::") && !slices.Contains(parts, "async"):
		return len(list) == 2 && p.store(m, parts, dst.Text, new(operandSide).elements(src.Operand), bits)
	}
	return false
}

// ownSpace reports whether a part of an opcode is a space of addresses of its own.
func ownSpace(part string) bool {
	space, _, _ := strings.Cut(part, "::")
	return space == "const" || space == "shared" || space == "local" || space == "param"
}

// place returns the address [g+16], where g holds a number, or one beyond a parameter.
func (p *path) place(m *symexec.Machine, text string) (symexec.Addr, bool) {
	name, offset, _ := strings.Cut(strings.Trim(text, "[]"), "+")
	off, err := strconv.ParseInt(cmp.Or(offset, "0"), 0, 64)
	lo, hi := m.Named(name, 0, 2), m.Named(name, 1, 2)
	if m.Narrow {
		lo, hi = m.Named(name, 0, 1), symexec.ConstWord(0)
	}
	at, ok := m.Place(lo, hi)
	return at.Plus(off), ok && err == nil
}

// load gives a register the bytes of memory from the first on, as a number of some bits.
func (p *path) load(m *symexec.Machine, dst string, bits int, class string, first symexec.Byte) {
	for k := range (bits + 31) / 32 {
		w := symexec.ConstWord(0)
		for i := range min(4, bits/8) {
			w.B[i] = first.Next(4*k + i)
		}
		if bits < 32 && class[0] == 's' {
			w = m.Low(w, bits, true)
		}
		m.SetName(dst, k, (bits+31)/32, w)
	}
}

// store executes a store of a vector or a register.
func (p *path) store(m *symexec.Machine, parts []string, dst string, src []ptx.Operand, bits int) bool {
	count := 1
	for _, part := range parts {
		switch part {
		case "v2", "v4", "v8":
			count = int(part[1] - '0')
		}
	}
	at, ok := p.place(m, dst)
	if !ok || len(src) != count {
		return false
	}
	for _, s := range src {
		for k := range (bits + 31) / 32 {
			w := storedWord(m, s.Text, k, (bits+31)/32)
			for i := range min(4, bits/8) {
				m.Store(at, symexec.Effective(w, i))
				at.Add++
			}
		}
	}
	return true
}

// storedWord returns word k of the operand, of some words, of a store.
func storedWord(m *symexec.Machine, text string, k, words int) symexec.Word {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return symexec.ConstWord(uint32(n >> (32 * k)))
	}
	if !isName(text) { // a number in floating point
		return m.Made()
	}
	w := m.Named(text, k, words)
	if words == 1 && w == (symexec.Word{}) { // of a wider register
		w = m.Named(text, 0, 2)
	}
	return w
}

// isName reports whether the text of an operand of PTX is one name, or an element of a
// vector register.
func isName(text string) bool {
	return text != "" && !strings.ContainsAny(text, "[]{}(), +-|!") && (text[0] < '0' || text[0] > '9')
}

// isRegister reports whether the text of an operand is a register: special registers and
// the names of variables are not.
func isRegister(text string) bool {
	if _, ok := symexec.MachineRegister(text); ok {
		return true
	}
	stem, elem, vector := strings.Cut(text, ".")
	last := stem[max(len(stem)-1, 0):]
	return isName(text) && strings.HasPrefix(text, "%") && !isSpecial(stem) && (!vector || len(elem) == 1 && last >= "0" && last <= "9")
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
