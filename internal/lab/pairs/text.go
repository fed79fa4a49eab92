package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// errUnknown is an instruction that the interpreter does not have.
type errUnknown string

func (e errUnknown) Error() string { return fmt.Sprintf("no meaning is known for %q", string(e)) }

// A world is what instructions that lowering leaves as they are work on.
type world struct {
	m      *sim.Machine
	memory map[uint64]sim.Byte       // global memory
	widths map[string]map[string]int // bytes of registers, by function
	stack  []string                  // functions that run
	top    uint64                    // end of local memory
}

// widthsOf are the sizes of the registers that a function declares.
func widthsOf(f *ptx.Func) map[string]int {
	all := map[string]int{}
	for _, s := range f.Body {
		d, ok := s.(*ptx.Decl)
		if !ok || d.Space != ptx.RegSpace {
			continue
		}
		for _, v := range d.Vars {
			all[v.Name] = d.Type.Size()
			for i := range v.Count {
				all[fmt.Sprintf("%s%d", v.Name, i)] = d.Type.Size()
			}
		}
	}
	return all
}

func (w *world) width(reg string) int { return w.widths[w.stack[len(w.stack)-1]][reg] }

var partsOf = map[int][]sass.Part{8: {sass.Lo, sass.Hi}, 16: {sass.W0, sass.W1, sass.W2, sass.W3}}

func (w *world) parts(reg string) []sass.Part {
	if p := partsOf[w.width(reg)]; p != nil {
		return p
	}
	return []sass.Part{sass.Whole}
}

// get reads an operand of some bytes: a register or a number.
func (w *world) get(arg string, size int) ([]sim.Byte, error) {
	if v, err := strconv.ParseInt(arg, 0, 64); err == nil {
		return plain(uint64(v), size), nil
	}
	var out []sim.Byte
	if r, ok := physical(arg); ok {
		for k := range (size + 3) / 4 {
			word := w.m.Reg(r + sass.Reg(k))
			out = append(out, word[:]...)
		}
		return out[:size], nil
	}
	if w.width(arg) == 0 {
		return nil, errUnknown(arg)
	}
	for _, p := range w.parts(arg) {
		word := w.m.Virtual(arg, p)
		out = append(out, word[:]...)
	}
	if len(out) < size {
		return nil, errUnknown(arg)
	}
	return out[:size], nil
}

func (w *world) set(reg string, bytes []sim.Byte) {
	if r, ok := physical(reg); ok {
		for k := range (len(bytes) + 3) / 4 {
			var word sim.Word
			copy(word[:], bytes[4*k:])
			w.m.SetReg(r+sass.Reg(k), word)
		}
		return
	}
	for i, p := range w.parts(reg) {
		var word sim.Word
		if 4*i < len(bytes) {
			copy(word[:], bytes[4*i:])
		}
		w.m.SetVirtual(reg, p, word)
	}
}

func physical(name string) (sass.Reg, bool) {
	if len(name) < 2 || name[0] != 'R' {
		return 0, false
	}
	n, err := strconv.ParseUint(name[1:], 10, 8)
	return sass.Reg(n), err == nil
}

func plain(v uint64, n int) []sim.Byte {
	out := make([]sim.Byte, n)
	for i := range out {
		out[i].From.Kind = sim.Plain
		if i < 8 {
			out[i].Val = byte(v >> (8 * i))
		}
	}
	return out
}

// number is the value of bytes; false where one is undefined.
func number(bytes []sim.Byte) (v uint64, ok bool) {
	for i, b := range bytes {
		if b.From.Kind == sim.Undefined {
			return 0, false
		}
		if i < 8 {
			v |= uint64(b.Val) << (8 * i)
		}
	}
	return v, true
}

// run executes one instruction.
func (w *world) run(text string) (string, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	whole := text
	if strings.HasPrefix(text, "@") {
		guard, rest, _ := strings.Cut(text[1:], " ")
		name := strings.TrimPrefix(guard, "!")
		t := w.m.Truth(name)
		if !t.Defined {
			return "", fmt.Errorf("%q: the guard is undefined", text)
		}
		if t.Val == (name != guard) {
			return "", nil
		}
		text = strings.TrimSpace(rest)
	}
	op, rest, _ := strings.Cut(text, " ")
	if op == "bra" || op == "bra.uni" {
		return strings.TrimSpace(rest), nil
	}
	names := strings.Split(op, ".")
	size, vector := 0, 1
	for _, n := range names[1:] {
		switch t := ptx.TypeOf("." + n); {
		case n == "v2", n == "v4":
			vector = int(n[1] - '0')
		case t != ptx.NoType:
			size = t.Size()
		}
	}
	if size == 0 {
		return "", errUnknown(whole)
	}
	args := split(rest)
	switch names[0] {
	case "ld", "ldu", "st":
		if len(args) == 2 {
			return "", w.access(names[0] == "st", args, size, vector, text)
		}
	case "setp":
		return "", w.compare(names, args, size, text)
	case "mov", "cvta":
		return "", w.move(args, size, text)
	case "cvt":
		return "", w.convert(names, args, text)
	case "and", "or", "xor", "shl", "shr", "add", "sub", "bfi", "bfe", "prmt":
		return "", w.compute(names[0], strings.HasPrefix(names[len(names)-1], "s"), args, size, text)
	}
	return "", errUnknown(text)
}

// split cuts operands at commas outside of brackets.
func split(rest string) []string {
	var all []string
	depth, from := 0, 0
	rest = strings.ReplaceAll(rest, " ", "")
	for i, c := range rest {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				all, from = append(all, rest[from:i]), i+1
			}
		}
	}
	return append(all, rest[from:])
}

func group(arg string) []string { return strings.Split(strings.Trim(arg, "{}"), ",") }

func (w *world) access(store bool, args []string, size, vector int, text string) error {
	address, values := args[1], args[0]
	if store {
		address, values = args[0], args[1]
	}
	base, offset, _ := strings.Cut(strings.Trim(address, "[]"), "+")
	off, _ := strconv.ParseInt(offset, 0, 64)
	bytes, err := w.get(base, 8)
	if err != nil {
		return errUnknown(text)
	}
	at, ok := number(bytes)
	if !ok {
		return fmt.Errorf("%q: the address is undefined", text)
	}
	at += uint64(off)
	for i, reg := range group(values) {
		if i == vector {
			break
		}
		from := at + uint64(i*size)
		if store {
			value, err := w.get(reg, size)
			if err != nil {
				return errUnknown(text)
			}
			if from < w.top {
				if err := w.m.StoreAny(uint32(from), value); err != nil {
					return err
				}
				continue
			}
			for k, b := range value {
				w.memory[from+uint64(k)] = b
			}
			continue
		}
		value := make([]sim.Byte, size)
		if from < w.top {
			if value, err = w.m.LoadAny(uint32(from), size); err != nil {
				return err
			}
		} else {
			for k := range value {
				b, ok := w.memory[from+uint64(k)]
				if !ok {
					return fmt.Errorf("%q: nothing is at this address: it is taken of a value", text)
				}
				value[k] = b
			}
		}
		w.set(reg, extended(value, max(4, w.width(reg)), strings.Contains(text, ".s")))
	}
	return nil
}

// extended makes bytes more by zeros or copies of the sign.
func extended(bytes []sim.Byte, size int, signed bool) []sim.Byte {
	out := slices.Clone(bytes)
	for len(out) < size {
		b := plain(0, 1)[0]
		if last := bytes[len(bytes)-1]; last.From.Kind == sim.Undefined {
			b = sim.Byte{}
		} else if signed && last.Val > 127 {
			b.Val = 255
		}
		out = append(out, b)
	}
	return out
}

func (w *world) move(args []string, size int, text string) error {
	if len(args) != 2 {
		return errUnknown(text)
	}
	var bytes []sim.Byte
	from := group(args[1])
	for _, reg := range from {
		b, err := w.get(reg, size/len(from))
		if err != nil {
			return errUnknown(text)
		}
		bytes = append(bytes, b...)
	}
	to := group(args[0])
	for i, reg := range to {
		n := size / len(to)
		w.set(reg, bytes[i*n:(i+1)*n])
	}
	return nil
}

// convert is cvt between integers.
func (w *world) convert(names, args []string, text string) error {
	to, from := ptx.TypeOf("."+names[len(names)-2]), ptx.TypeOf("."+names[len(names)-1])
	if len(args) != 2 || to.Class() != from.Class() && (to.Size() == 0 || from.Size() == 0) || strings.Contains(names[len(names)-1], "f") || strings.Contains(names[len(names)-2], "f") {
		return errUnknown(text)
	}
	bytes, err := w.get(args[1], from.Size())
	if err != nil {
		return errUnknown(text)
	}
	bytes = extended(bytes, to.Size(), from.Signed())[:to.Size()]
	w.set(args[0], extended(bytes, max(4, w.width(args[0])), to.Signed()))
	return nil
}

// compute is arithmetic. Bits are followed by bytes: what is moved by whole bytes, or
// masked, stays defined or undefined byte by byte; of all else every byte has to be defined.
func (w *world) compute(op string, signed bool, args []string, size int, text string) error {
	var in [][]sim.Byte
	for i, a := range args[1:] {
		n := size
		if (op == "shl" || op == "shr") && i == 1 || (op == "bfi" || op == "bfe") && i >= len(args)-3 {
			n = 4
		}
		b, err := w.get(a, n)
		if err != nil {
			return errUnknown(text)
		}
		in = append(in, b)
	}
	if len(in) < 2 || op == "bfi" && len(in) != 4 {
		return errUnknown(text)
	}
	out := make([]sim.Byte, size)
	switch op {
	case "and", "or", "xor":
		for i := range out {
			out[i] = bitwise(op, in[0][i], in[1][i])
		}
		w.set(args[0], out)
		return nil
	case "shl", "shr":
		n, ok := number(in[1])
		if ok && n%8 == 0 && !signed {
			for i := range out {
				from := i - int(n/8)
				if op == "shr" {
					from = i + int(n/8)
				}
				out[i] = plain(0, 1)[0]
				if from >= 0 && from < size {
					out[i] = in[0][from]
				}
			}
			w.set(args[0], out)
			return nil
		}
	case "bfi":
		at, ok := number(in[2])
		n, has := number(in[3])
		if ok && has && at%8 == 0 && n%8 == 0 && (at+n)/8 <= uint64(size) {
			copy(out, in[1])
			copy(out[at/8:(at+n)/8], in[0])
			w.set(args[0], out)
			return nil
		}
	case "prmt":
		control, ok := number(in[2])
		if !ok || len(in) != 3 || control&0x8888 != 0 {
			return errUnknown(text)
		}
		both := slices.Concat(in[0], in[1])
		for i := range out {
			out[i] = both[control>>(4*i)&7]
		}
		w.set(args[0], out)
		return nil
	}
	var v []uint64
	for _, b := range in {
		n, ok := number(b)
		if !ok {
			w.set(args[0], out) // undefined
			return nil
		}
		v = append(v, n)
	}
	mask := ^uint64(0) >> (64 - 8*size)
	var r uint64
	switch {
	case op == "add":
		r = v[0] + v[1]
	case op == "sub":
		r = v[0] - v[1]
	case op == "shl":
		r = v[0] << v[1]
	case op == "shr" && signed:
		r = uint64(int64(v[0]<<(64-8*size)) >> (64 - 8*size) >> v[1])
	case op == "shr":
		r = v[0] >> v[1]
	case op == "bfe" && !signed && len(v) == 3 && v[2] < 64:
		r = v[0] >> v[1] & (1<<v[2] - 1)
	case op == "bfi" && len(v) == 4 && v[3] < 64:
		field := uint64(1)<<v[3] - 1
		r = v[1]&^(field<<v[2]) | v[0]&field<<v[2]
	default:
		return errUnknown(text)
	}
	w.set(args[0], plain(r&mask, size))
	return nil
}

func bitwise(op string, a, b sim.Byte) sim.Byte {
	known := func(x sim.Byte, v byte) bool { return x.From.Kind != sim.Undefined && x.Val == v }
	out := plain(0, 1)[0]
	switch {
	case op == "and" && (known(a, 0) || known(b, 0)):
	case op == "or" && known(a, 0), op == "and" && known(a, 255):
		return b
	case op == "or" && known(b, 0), op == "and" && known(b, 255):
		return a
	case a.From.Kind == sim.Undefined || b.From.Kind == sim.Undefined:
		return sim.Byte{}
	case op == "and":
		out.Val = a.Val & b.Val
	case op == "or":
		out.Val = a.Val | b.Val
	default:
		out.Val = a.Val ^ b.Val
	}
	return out
}

// compare is setp between numbers without a sign.
func (w *world) compare(names, args []string, size int, text string) error {
	if len(args) != 3 || !strings.Contains("ub", names[2][:1]) && names[1] != "eq" && names[1] != "ne" || names[2][:1] == "f" {
		return errUnknown(text)
	}
	var v [2]uint64
	defined := true
	for i := range v {
		b, err := w.get(args[1+i], size)
		if err != nil {
			return errUnknown(text)
		}
		n, ok := number(b)
		v[i], defined = n, defined && ok
	}
	t := map[string]bool{"eq": v[0] == v[1], "ne": v[0] != v[1], "lt": v[0] < v[1], "gt": v[0] > v[1], "le": v[0] <= v[1], "ge": v[0] >= v[1]}
	val, ok := t[names[1]]
	if !ok {
		return errUnknown(text)
	}
	w.m.SetTruth(args[0], sim.Truth{Val: val, Defined: defined})
	return nil
}
