package follow

import (
	"fmt"
	"math"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
)

// An operandSide reads and writes registers by the names of one side.
type operandSide struct {
	vector func(n dataflow.Name) int // how many elements a register has that is named whole; nil for none
	get    func(n dataflow.Name, k, words int) (symexec.Word, bool)
	set    func(n dataflow.Name, k, words int, w symexec.Word) bool
}

func (a *allocation) sourceSide(s *source, i int) operandSide {
	one := func(n dataflow.Name) *sourceReg {
		if list := a.registers(i, n); len(list) == 1 {
			return &list[0]
		}
		return nil
	}
	return operandSide{
		vector: func(n dataflow.Name) int { return len(a.registers(i, n)) },
		get: func(n dataflow.Name, k, _ int) (symexec.Word, bool) {
			if r := one(n); r != nil {
				return s.word(r, k), true
			}
			return symexec.Word{}, false
		},
		set: func(n dataflow.Name, k, _ int, w symexec.Word) bool {
			r := one(n)
			if r != nil {
				s.set(r, k, w)
			}
			return r != nil
		},
	}
}

func (a *allocation) machineSide(m *symexec.Machine) operandSide {
	name := func(n dataflow.Name) string {
		if n.Elem != 0 {
			return n.Text + "." + string(n.Elem)
		}
		return n.Text
	}
	return operandSide{
		vector: func(n dataflow.Name) int {
			if n.Elem != 0 {
				return 1
			}
			return a.vectors[n.Text]
		},
		get: func(n dataflow.Name, k, words int) (symexec.Word, bool) {
			return a.machineWord(m, name(n), k, words), a.isRegister(n.Text)
		},
		set: func(n dataflow.Name, k, words int, w symexec.Word) bool {
			if !a.isRegister(n.Text) {
				return false
			}
			m.SetName(name(n), k, words, w)
			return true
		},
	}
}

// move carries out a mov of registers, numbers, special registers and addresses, and those
// that pack and unpack. It reports false for what is none, or has other operands.
func (a *allocation) move(op, args string, side operandSide) bool {
	list, _ := dataflow.Operands(op, ptx.ParseOperands(args))
	size := ptx.TypeOf(op[max(strings.LastIndexByte(op, '.'), 0):]).Size()
	if len(list) != 2 || size == 0 {
		return false
	}
	dst, src := side.elements(list[0].Text), side.elements(list[1].Text)
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
	for _, text := range src {
		for k := range (each + 3) / 4 {
			w, ok := a.moved(text, k, each, side)
			if !ok {
				return false
			}
			words = append(words, w)
		}
	}
	if len(dst) != len(src) { // bytes of one are those of the other
		per := (each + 3) / 4
		bytes := make([]symexec.Byte, size)
		for i := range bytes {
			in := i % each
			bytes[i] = symexec.Effective(words[i/each*per+in/4], in%4)
		}
		each = size / len(dst)
		words = nil
		for d := range dst {
			for k := range (each + 3) / 4 {
				var w symexec.Word
				for b := range min(4, each-4*k) {
					w.B[b] = bytes[d*each+4*k+b]
				}
				words = append(words, w)
			}
		}
	}
	for _, text := range dst {
		names := dataflow.NamesOf(ptx.ParseOperands(text))
		if len(names) != 1 {
			return false
		}
		for k := range (each + 3) / 4 {
			if names[0].Text != "_" && !side.set(names[0], k, (each+3)/4, words[0]) {
				return false
			}
			words = words[1:]
		}
	}
	return true
}

// moved returns word k of what a mov moves.
func (a *allocation) moved(text string, k, size int, side operandSide) (symexec.Word, bool) {
	if c, ok := ptx.ParseConstant(text); ok {
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
	if names := dataflow.NamesOf(ptx.ParseOperands(text)); len(names) == 1 && symexec.IsName(text) {
		if w, ok := side.get(names[0], k, (size+3)/4); ok {
			return w, true
		}
	}
	if strings.ContainsAny(text, "{}|!") || text == "" {
		return symexec.Word{}, false
	}
	n := int64(a.p.terms.number(fmt.Sprintf("value %d %s", size, text)))
	if _, declared := a.names[text]; declared || text[0] != '%' {
		a.address[n] = text
	}
	return termWord(n, k), true
}

// elements returns the elements of the text of an operand in braces, those of a vector
// register, or the operand.
func (s *operandSide) elements(text string) []string {
	inner, ok := strings.CutPrefix(text, "{")
	if !ok {
		if names := dataflow.NamesOf(ptx.ParseOperands(text)); s.vector != nil && len(names) == 1 && symexec.IsName(text) {
			if n := s.vector(names[0]); n > 1 {
				return []string{text + ".x", text + ".y", text + ".z", text + ".w"}[:n]
			}
		}
		return []string{text}
	}
	var list []string
	for part := range strings.SplitSeq(strings.TrimSuffix(inner, "}"), ",") {
		list = append(list, strings.TrimSpace(part))
	}
	return list
}
