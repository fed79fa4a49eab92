package follow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
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
func (p *path) passedThrough(m *symexec.Machine, op string, list []dataflow.Operand, known bool) {
	text, ok := p.term(m, op, list, known)
	var followed []symexec.Word // of the first operand, from what the others hold before it is written
	if p.alloc == nil {
		if followed = p.widened(m, op, list, known); followed == nil {
			followed = p.constantSum(m, op, list, known)
		}
	}
	kind := symexec.MadeByte
	if p.alloc == nil && p.written == nil && !p.defined(m, op, list, known) {
		kind = symexec.LostByte
	}
	for i := range list {
		if !list[i].Written {
			continue
		}
		for _, n := range namesOf([]ptx.Operand{*list[i].Operand}) {
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
				w := symexec.WordFrom(symexec.Byte{Kind: kind, Reg: uint8(4*i + k), Off: m.PC})
				if ok {
					w = termWord(n, k)
				}
				m.SetName(name, k, words, w)
			}
		}
	}
	for k, w := range followed {
		m.SetName(list[0].Text, k, wordsOf(op, 0), w)
	}
}

// either returns the values that a comparison of integers depends on if it may be true and false: two that are passed, or that
// calls or memory have given, or one of them and a number.
func either(m *symexec.Machine, op string, list []dataflow.Operand) (values []symexec.Byte) {
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
			w := m.Named(o.Text, k, wordsOf(op, 1))
			if !isGiven(w) || slices.Contains(values, w.B[0]) {
				return nil
			}
			values = append(values, w.B[0])
		}
	}
	return values
}

// isGiven reports whether a word is passed, or comes from a call or from memory.
func isGiven(w symexec.Word) bool {
	switch b := w.B[0]; b.Kind {
	case symexec.LabelByte, symexec.TermByte:
		return false
	case symexec.LocalByte:
		return w.Base == symexec.NoBase && w.Whole() && b.Base == symexec.SPBase && b.Off >= 0
	}
	return w.Base == symexec.NoBase && w.Whole()
}

// defined reports whether what an instruction reads is surely defined: an assembler may leave what is not wherever it is.
func (p *path) defined(m *symexec.Machine, op string, list []dataflow.Operand, known bool) bool {
	name, space, _ := strings.Cut(op, ".")
	if !known || name == "ld" && (strings.Contains(space, "local") || strings.Contains(space, "param") || p.sites.locals) {
		return false
	}
	is := func(w symexec.Word) bool {
		return w.Base != symexec.NoBase || !slices.ContainsFunc(w.B[:], func(b symexec.Byte) bool {
			return b.Kind == symexec.Nothing || b.Kind == symexec.JoinByte || b.Kind == symexec.LostByte
		})
	}
	for i := range list {
		for _, n := range namesOf([]ptx.Operand{*list[i].Operand}) {
			if r, ok := symexec.MachineRegister(n.Text); ok && !is(m.Regs[r]) {
				return false
			}
			have := !isRegister(n.Text)
			for _, suffix := range wordSuffixes {
				w, ok := m.Virt[n.Text+suffix]
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

// widened returns the words of the value that a conversion of integers computes, as the machine follows it: the bytes of the value, and
// zeros or copies of its sign above it. There are none of other instructions, and where the term says more.
func (p *path) widened(m *symexec.Machine, op string, list []dataflow.Operand, known bool) []symexec.Word {
	parts := strings.Split(op, ".")
	if !known || len(parts) != 3 || parts[0] != "cvt" || len(list) != 2 || !isRegister(list[0].Text) || !isRegister(list[1].Text) {
		return nil
	}
	to, from := ptx.TypeOf("."+parts[1]), ptx.TypeOf("."+parts[2])
	if to.Class() != ptx.Integer || from.Class() != ptx.Integer || to.Size() < 4 || to.Size() > 8 || from.Size() > to.Size() || from.Size() == 0 {
		return nil
	}
	words, signed := to.Size()/4, from.Signed()
	values := make([]symexec.Word, words)
	for k := range min(words, (from.Size()+3)/4) {
		values[k] = m.Low(m.Named(list[1].Text, k, (from.Size()+3)/4), min(8*from.Size(), 32), signed)
	}
	if words == 2 && from.Size() <= 4 {
		values[1] = symexec.ConstWord(0)
		if signed {
			values[1] = m.ShiftSigned(values[0], 31)
		}
	}
	if n := slices.IndexFunc(values, func(w symexec.Word) bool { return w.Base == symexec.NoBase && w.B[0].Kind == symexec.MadeByte }); n >= 0 {
		return values[:n]
	}
	return values
}

// constantSum returns the low word of the sum or difference of a value and a number, as the machine
// follows it in code: an address, or what a place held, and a number. There is none of other instructions, and
// where the other operand is not known.
func (p *path) constantSum(m *symexec.Machine, op string, list []dataflow.Operand, known bool) []symexec.Word {
	name, typ, _ := strings.Cut(op, ".")
	words := wordsOf(op, 0)
	if !known || len(list) != 3 || name != "add" && name != "sub" || len(typ) != 3 || words == 0 || typ[0] != 's' && typ[0] != 'u' && typ[0] != 'b' {
		return nil
	}
	from, n := list[1].Text, list[2].Text
	number, err := strconv.ParseInt(n, 0, 64)
	if err != nil && name == "add" {
		from, n = n, from
		number, err = strconv.ParseInt(n, 0, 64)
	}
	if err != nil || !isName(from) || !isName(list[0].Text) {
		return nil
	}
	if name == "sub" {
		number = -number
	}
	was := m.Named(from, 0, words)
	if _, linear := m.Linear(was); !linear {
		return nil
	}
	return []symexec.Word{m.Add(was, symexec.ConstWord(uint32(number)))}
}

// wordSuffixes are what may stand after the name of a virtual register, whole or a word of it.
var wordSuffixes = []string{"", ".lo", ".hi", ".0", ".1", ".2", ".3"}

// lose makes nothing be known of a register whose size is not known either.
func (p *path) lose(m *symexec.Machine, name string) {
	w := lostWord(m.PC)
	if r, ok := symexec.MachineRegister(name); ok {
		for k := sass.Reg(0); k < most && int(r+k) < int(sass.RZ) && r+k >= r; k++ {
			m.Regs[r+k] = w
			p.note(r+k, w)
		}
		return
	}
	for _, suffix := range wordSuffixes {
		m.Virt[name+suffix] = w
	}
}

// term returns the text of the value that an instruction computes; ok is false where that depends
// on what is not known.
func (p *path) term(m *symexec.Machine, op string, list []dataflow.Operand, known bool) (text string, ok bool) {
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
			w, size := m.Named(o.Text, k, words), readBytes(op, i)
			if w.Base != symexec.NoBase || slices.ContainsFunc(w.B[:size], func(b symexec.Byte) bool { return !b.Known() }) {
				return "", false
			}
			for _, one := range w.B[:size] {
				b.WriteString(" " + p.origin(one))
			}
		}
	}
	return b.String(), true
}

// origin returns the text of where a byte is from, which is the same in all listings: what machines number for themselves has its name.
func (p *path) origin(b symexec.Byte) string {
	name := ""
	switch b.Kind {
	case symexec.LocalByte:
		name = p.origin(p.m.Bases[b.Base])
		b.Base = symexec.NoBase
	case symexec.LabelByte:
		s := p.m.Symbols[b.Off]
		if name = s.Name; s.Label != "" {
			name = "a label" // which the backend names
		}
		b.Off = 0
	}
	return fmt.Sprint(name, b)
}

func isFloat(text string) bool {
	text = strings.ToLower(text)
	return strings.HasPrefix(text, "0f") || strings.HasPrefix(text, "0d")
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

// The operands of an opcode are of the last of its types (l), of twice that with .wide (w), of the first or the second (f, s), one
// register of 32 bits or a predicate (1), or not known (0). The last letter is that of all operands after it. Those of other
// opcodes are of the last type. What is not among writtenWidths is written as it is read.
var readWidths = map[string]string{
	"cvt": "fs", "set": "fs", "setp": "1ll1l", "selp": "lll1l", "slct": "lll1l", "shl": "ll1l", "shr": "ll1l", "mul": "wllwl", "mad": "wllwl",
	"popc": "1l", "clz": "1l", "bfind": "1l", "bfe": "ll1", "bfi": "lll1",
	"cvta": "0", "ld": "0", "ldu": "0", "atom": "0", "isspacep": "0", "tex": "0", "mma": "0", "wmma": "0", "ldmatrix": "0", "shfl": "0", "vote": "0",
	"match": "0", "elect": "0", "mbarrier": "0", "mapa": "0", "createpolicy": "0", "tcgen05": "0",
}

// Of tex the last type is that of coordinates.
var writtenWidths = map[string]string{
	"vote": "1", "elect": "1", "match": "1", "activemask": "1", "ldmatrix": "1", "movmatrix": "1", "isspacep": "1", "istypep": "1", "redux": "1",
	"getctarank": "1", "bar": "1", "barrier": "1", "multimem": "1", "txq": "1", "suq": "1", "tex": "1", "tld4": "1", "mma": "1", "wmma": "1", "wgmma": "1",
	"ld": "l", "ldu": "l", "atom": "l", "shfl": "l", "cvta": "l", "suld": "l", "alloca": "l", "stacksave": "l",
}

// widthOf returns the letter of operand i of an opcode: l for that of the last type.
func widthOf(widths map[string]string, op string, i int) (letter byte, ok bool) {
	name, _, _ := strings.Cut(op, ".")
	list, ok := widths[name]
	list = cmp.Or(list, "l")
	letter = list[min(i, len(list)-1)]
	if letter == 'w' && !strings.Contains(op, ".wide") {
		letter = 'l'
	}
	return letter, ok
}

// writtenWords returns how many registers each register takes that an instruction writes
// as operand i; 0 where that is not known.
func writtenWords(op string, i int) int {
	letter, ok := widthOf(writtenWidths, op, i)
	types := typesOf(op)
	switch {
	case !ok:
		return wordsOf(op, i)
	case letter == '1' && strings.Contains(op, "mma.") && strings.Contains(op, ".f64"):
		return 2
	case letter == '1':
		return 1
	case len(types) == 0:
		return 0
	}
	return types[len(types)-1]
}

// wordsOf returns how many registers operand i of an instruction takes, by its types; 1
// for a predicate, 0 where that is not known.
func wordsOf(op string, i int) int {
	letter, _ := widthOf(readWidths, op, i)
	types := typesOf(op)
	switch {
	case len(types) == 0 || letter == '0':
		return 0
	case letter == '1':
		return 1
	case letter == 'f':
		return types[0]
	case letter == 's':
		return types[1%len(types)]
	case letter == 'w':
		return 2 * types[len(types)-1]
	}
	return types[len(types)-1]
}

// readBytes returns how many bytes of a register of 32 bits an instruction reads as operand i: what is above the 8 or 16 bits
// of its last type does not count.
func readBytes(op string, i int) int {
	if letter, _ := widthOf(readWidths, op, i); letter == '1' || letter == 'w' {
		return 4
	}
	switch last := op[strings.LastIndexByte(op, '.')+1:]; last {
	case "b8", "s8", "u8":
		return 1
	case "b16", "s16", "u16", "f16", "bf16":
		return 2
	}
	return 4
}

// termWord returns word k of the value of an instruction whose term has a number.
func termWord(n int64, k int) symexec.Word {
	return symexec.WordFrom(symexec.Byte{Kind: symexec.TermByte, Reg: uint8(k), Off: n})
}
