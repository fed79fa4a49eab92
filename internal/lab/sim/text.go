package sim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Unknown is an instruction that has no meaning here.
type Unknown string

func (e Unknown) Error() string { return fmt.Sprintf("no meaning is known for %q", string(e)) }

// Registers are those of a function in PTX.
type Registers interface {
	// Width is that of a register in bytes; 0 for one that is not known.
	Width(reg string) int
	Get(reg string, size int) []Byte
	Set(reg string, bytes []Byte)
	Truth(predicate string) Truth
	SetTruth(predicate string, t Truth)
}

// Virtuals are the registers of the function that a machine executes: virtual ones, whose widths
// WidthOf knows, and homes.
type Virtuals struct {
	*Machine
	WidthOf func(reg string) int
}

var partsOf = map[int][]sass.Part{8: {sass.Lo, sass.Hi}, 16: {sass.W0, sass.W1, sass.W2, sass.W3}}

func (v Virtuals) parts(reg string) []sass.Part {
	if p := partsOf[v.WidthOf(reg)]; p != nil {
		return p
	}
	return []sass.Part{sass.Whole}
}

// Width implements [Registers].
func (v Virtuals) Width(reg string) int { return v.WidthOf(reg) }

// Get implements [Registers].
func (v Virtuals) Get(reg string, size int) []Byte {
	var out []Byte
	r, homed := home(reg)
	for k := range (size + 3) / 4 {
		w := v.Reg(r + sass.Reg(k))
		if !homed {
			w = v.Virtual(reg, v.parts(reg)[k])
		}
		out = append(out, w[:]...)
	}
	return out[:size]
}

// Set implements [Registers].
func (v Virtuals) Set(reg string, bytes []Byte) {
	r, homed := home(reg)
	words := (len(bytes) + 3) / 4
	if !homed {
		words = len(v.parts(reg))
	}
	for k := range words {
		var w Word
		copy(w[:], bytes[min(4*k, len(bytes)):])
		if homed {
			v.SetReg(r+sass.Reg(k), w)
		} else {
			v.SetVirtual(reg, v.parts(reg)[k], w)
		}
	}
}

// home returns the register of a name such as R12.
func home(name string) (sass.Reg, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(name, "R"), 10, 8)
	return sass.Reg(n), err == nil && name[0] == 'R'
}

// Bytes are the lowest n bytes of a number.
func Bytes(v uint64, n int) []Byte {
	out := make([]Byte, n)
	for i := range out {
		out[i].From.Kind = Plain
		if i < 8 {
			out[i].Val = byte(v >> (8 * i))
		}
	}
	return out
}

// Uint is the number in bytes; false where one is undefined.
func Uint(bytes []Byte) (v uint64, ok bool) {
	ok = true
	for i, b := range bytes {
		ok = ok && b.From.Kind != Undefined
		if i < 8 {
			v |= uint64(b.Val) << (8 * i)
		}
	}
	return v, ok
}

// A Text executes instructions that lowering leaves as they stand in PTX.
type Text struct {
	Registers
	// Load and Store access bytes in a state space, "" for generic addresses, at a register or a name and an offset.
	Load  func(space, base string, off int64, size int) ([]Byte, error)
	Store func(space, base string, off int64, bytes []Byte) error
	// Symbol is the address of a name; nil where none is taken.
	Symbol func(name string) ([]Byte, error)
	// Window is where local memory is among generic addresses.
	Window uint64

	read map[string]*Instruction
}

// An Instruction is what a text says.
type Instruction struct {
	Guard string
	Names []string   // of the operation: its name and its modifiers
	Args  [][]string // without the address, which is Base with an offset; of a group, its elements
	Base  string

	text string
	not  bool
	off  int64
	typ  ptx.Type // the last one
	size int      // of a value, or of an element of a vector
}

func (in *Instruction) signed() bool { return in.typ.Signed() }

// ReadInstruction reads one.
func ReadInstruction(text string) *Instruction {
	rest := strings.TrimSuffix(strings.TrimSpace(text), ";")
	in := &Instruction{text: rest}
	if strings.HasPrefix(rest, "@") {
		in.Guard, rest, _ = strings.Cut(rest[1:], " ")
		in.Guard, in.not = strings.TrimPrefix(in.Guard, "!"), in.Guard[0] == '!'
	}
	op, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	in.Names = strings.Split(op, ".")
	for _, name := range in.Names[1:] {
		if typ := ptx.TypeOf("." + name); typ != ptx.NoType {
			in.typ, in.size = typ, typ.Size()
		}
	}
	for rest = strings.ReplaceAll(rest, " ", ""); rest != ""; rest = strings.TrimPrefix(rest, ",") {
		var arg string
		switch rest[0] {
		case '{':
			arg, rest, _ = strings.Cut(rest[1:], "}")
			in.Args = append(in.Args, strings.Split(arg, ","))
		case '[':
			arg, rest, _ = strings.Cut(rest[1:], "]")
			var off string
			in.Base, off, _ = strings.Cut(arg, "+")
			in.off, _ = strconv.ParseInt(off, 0, 64)
		default:
			if arg, _, _ = strings.Cut(rest, ","); arg != "" {
				in.Args = append(in.Args, []string{arg})
			}
			rest = rest[len(arg):]
		}
	}
	return in
}

// Run executes an instruction and returns the label that it branches to, if it does.
func (x *Text) Run(text string) (label string, err error) {
	in := x.read[text]
	if in == nil {
		if x.read == nil {
			x.read = make(map[string]*Instruction)
		}
		in = ReadInstruction(text)
		x.read[text] = in
	}
	if in.Guard != "" {
		t := x.Truth(in.Guard)
		if !t.Defined {
			return "", fmt.Errorf("%q: the guard is undefined", in.text)
		}
		if t.Val == in.not {
			return "", nil
		}
	}
	op := in.Names[0]
	if op == "bra" {
		return in.Args[0][0], nil
	}
	if in.size == 0 || len(in.Args) == 0 {
		return "", Unknown(in.text)
	}
	switch op {
	case "ld", "ldu":
		return "", x.load(in)
	case "st":
		return "", x.store(in)
	case "setp":
		return "", x.compare(in)
	case "selp":
		return "", x.choose(in)
	case "mov", "cvta":
		return "", x.move(in)
	case "cvt":
		return "", x.convert(in)
	case "and", "or", "xor", "shl", "shr", "add", "sub", "mul", "fma", "bfi", "bfe", "prmt":
		return "", x.compute(in)
	}
	return "", Unknown(in.text)
}

// get reads an operand of some bytes: a register, a number or the address of a name.
func (x *Text) get(arg string, size int) ([]Byte, error) {
	if v, err := strconv.ParseInt(arg, 0, 64); err == nil {
		return Bytes(uint64(v), size), nil
	}
	if v, err := strconv.ParseUint(arg, 0, 64); err == nil {
		return Bytes(v, size), nil
	}
	if s, ok := strings.CutPrefix(arg, "0f"); ok {
		v, err := strconv.ParseUint(s, 16, 32)
		return Bytes(v, size), err
	}
	_, homed := home(arg)
	switch {
	case homed || arg[0] == '%' && x.Width(arg) >= size:
		return x.Get(arg, size), nil
	case arg[0] != '%' && x.Symbol != nil:
		bytes, err := x.Symbol(arg)
		if err != nil {
			return nil, err
		}
		return bytes[:size], nil
	}
	return nil, Unknown(arg)
}

// operand reads a register, or a group of them.
func (x *Text) operand(list []string, size int) ([]Byte, error) {
	var out []Byte
	for _, arg := range list {
		bytes, err := x.get(arg, size/len(list))
		if err != nil {
			return nil, err
		}
		out = append(out, bytes...)
	}
	return out, nil
}

// space is the state space of an access; "" for generic addresses.
func (in *Instruction) space() string {
	for _, name := range in.Names[1:] {
		switch name {
		case "local", "global", "shared", "const":
			return name
		}
	}
	return ""
}

func (x *Text) store(in *Instruction) error {
	bytes, err := x.operand(in.Args[0], in.size*len(in.Args[0]))
	if err != nil {
		return err
	}
	return x.Store(in.space(), in.Base, in.off, bytes)
}

func (x *Text) load(in *Instruction) error {
	bytes, err := x.Load(in.space(), in.Base, in.off, in.size*len(in.Args[0]))
	if err != nil {
		return err
	}
	for i, reg := range in.Args[0] {
		value := bytes[in.size*i : in.size*(i+1)]
		if _, homed := home(reg); !homed && x.Width(reg) < in.size {
			return fmt.Errorf("%q: %s has not %d bytes", in.text, reg, in.size)
		}
		x.Set(reg, widened(value, x.Width(reg), in.signed()))
	}
	return nil
}

// Address is the number in a register, or one that stands for itself, and an offset.
func (x *Text) Address(base string, off int64) (uint64, error) {
	size := 8
	if base[0] == '%' && x.Width(base) == 4 {
		size = 4
	}
	bytes, err := x.get(base, size)
	if err != nil {
		return 0, err
	}
	at, ok := Uint(bytes)
	if !ok {
		return 0, fmt.Errorf("the address in %s is undefined", base)
	}
	return at + uint64(off), nil
}

// widened makes bytes more by zeros or copies of the sign.
func widened(bytes []Byte, size int, signed bool) []Byte {
	out := slices.Clone(bytes)
	for len(out) < size {
		b := Bytes(0, 1)[0]
		if last := bytes[len(bytes)-1]; last.From.Kind == Undefined {
			b = Byte{}
		} else if signed {
			b = last.Sign()
		}
		out = append(out, b)
	}
	return out
}

func (x *Text) move(in *Instruction) error {
	if len(in.Args) != 2 {
		return Unknown(in.text)
	}
	bytes, err := x.operand(in.Args[1], in.size)
	if err != nil {
		return err
	}
	if strings.HasPrefix(in.text, "cvta.local.") {
		at, ok := Uint(bytes)
		if !ok {
			return fmt.Errorf("%q: the address is undefined", in.text)
		}
		bytes = Bytes(at|x.Window, in.size)
	}
	n := in.size / len(in.Args[0])
	for i, reg := range in.Args[0] {
		x.Set(reg, bytes[i*n:(i+1)*n])
	}
	return nil
}

// convert is cvt between integers, and from one of them to a float of 32 bits.
func (x *Text) convert(in *Instruction) error {
	to := ptx.TypeOf("." + in.Names[len(in.Names)-2])
	if len(in.Args) != 2 || to.Size() == 0 || in.typ.Class() == ptx.Float || to.Class() == ptx.Float && to != ptx.F32 {
		return Unknown(in.text)
	}
	bytes, err := x.operand(in.Args[1], in.size)
	if err != nil {
		return err
	}
	if to == ptx.F32 {
		v, ok := Uint(widened(bytes, 8, in.signed()))
		if !ok || !in.signed() {
			return Unknown(in.text)
		}
		x.Set(in.Args[0][0], Bytes(uint64(math.Float32bits(float32(int64(v)))), 4))
		return nil
	}
	bytes = widened(bytes, to.Size(), in.signed())[:to.Size()]
	x.Set(in.Args[0][0], widened(bytes, x.Width(in.Args[0][0]), to.Signed()))
	return nil
}

var logic = map[string]uint8{"and": isa.TableA & isa.TableB, "or": isa.TableA | isa.TableB, "xor": isa.TableA ^ isa.TableB}

// compute is arithmetic. Bits are followed by bytes: what is moved by whole bytes, or
// masked, stays defined or undefined byte by byte; of all else every byte has to be defined.
func (x *Text) compute(in *Instruction) error {
	op, size, signed := in.Names[0], in.size, in.signed()
	var from [][]Byte
	for i, arg := range in.Args[1:] {
		n := size
		if (op == "shl" || op == "shr") && i == 1 || (op == "bfi" || op == "bfe") && i >= len(in.Args)-3 {
			n = 4
		}
		bytes, err := x.operand(arg, n)
		if err != nil {
			return err
		}
		from = append(from, bytes)
	}
	if len(from) < 2 || op == "bfi" && len(from) != 4 || op == "fma" && len(from) != 3 {
		return Unknown(in.text)
	}
	to := in.Args[0][0]
	out := make([]Byte, size)
	switch op {
	case "and", "or", "xor":
		for i := range out {
			out[i] = combineBytes([3]Byte{from[0][i], from[1][i]}, logic[op])
		}
		x.Set(to, out)
		return nil
	case "shl", "shr":
		n, ok := Uint(from[1])
		if ok && n%8 == 0 && !signed {
			for i := range out {
				k := i - int(n/8)
				if op == "shr" {
					k = i + int(n/8)
				}
				out[i] = Bytes(0, 1)[0]
				if k >= 0 && k < size {
					out[i] = from[0][k]
				}
			}
			x.Set(to, out)
			return nil
		}
	case "bfi":
		at, ok := Uint(from[2])
		n, has := Uint(from[3])
		if ok && has && at%8 == 0 && n%8 == 0 && (at+n)/8 <= uint64(size) {
			copy(out, from[1])
			copy(out[at/8:(at+n)/8], from[0])
			x.Set(to, out)
			return nil
		}
	case "prmt":
		control, ok := Uint(from[2])
		if !ok || len(from) != 3 || control&0x8888 != 0 {
			return Unknown(in.text)
		}
		both := slices.Concat(from[0], from[1])
		for i := range out {
			out[i] = both[control>>(4*i)&7]
		}
		x.Set(to, out)
		return nil
	}
	var v []uint64
	for _, b := range from {
		n, ok := Uint(b)
		if !ok {
			x.Set(to, out) // undefined
			return nil
		}
		v = append(v, n)
	}
	if in.typ == ptx.F32 {
		return x.float(in, v)
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
		return Unknown(in.text)
	}
	x.Set(to, Bytes(r&mask, size))
	return nil
}

// float is arithmetic with floats of 32 bits.
func (x *Text) float(in *Instruction, v []uint64) error {
	f := func(i int) float32 { return math.Float32frombits(uint32(v[i])) }
	var r float32
	switch in.Names[0] {
	case "add":
		r = f(0) + f(1)
	case "mul":
		r = f(0) * f(1)
	case "fma":
		r = float32(float64(f(0))*float64(f(1)) + float64(f(2)))
	default:
		return Unknown(in.text)
	}
	x.Set(in.Args[0][0], Bytes(uint64(math.Float32bits(r)), 4))
	return nil
}

// compare is setp between numbers without a sign.
func (x *Text) compare(in *Instruction) error {
	how := in.Names[1]
	if len(in.Args) != 3 || in.typ.Class() == ptx.Float || in.signed() && how != "eq" && how != "ne" {
		return Unknown(in.text)
	}
	var v [2]uint64
	defined := true
	for i := range v {
		bytes, err := x.operand(in.Args[1+i], in.size)
		if err != nil {
			return err
		}
		n, ok := Uint(bytes)
		v[i], defined = n, defined && ok
	}
	val, ok := map[string]bool{"eq": v[0] == v[1], "ne": v[0] != v[1], "lt": v[0] < v[1], "gt": v[0] > v[1], "le": v[0] <= v[1], "ge": v[0] >= v[1]}[how]
	if !ok {
		return Unknown(in.text)
	}
	x.SetTruth(in.Args[0][0], Truth{Val: val, Defined: defined})
	return nil
}

// choose is selp.
func (x *Text) choose(in *Instruction) error {
	if len(in.Args) != 4 {
		return Unknown(in.text)
	}
	t := x.Truth(in.Args[3][0])
	from := in.Args[2]
	if t.Val {
		from = in.Args[1]
	}
	bytes, err := x.operand(from, in.size)
	if err != nil {
		return err
	}
	if !t.Defined {
		bytes = make([]Byte, in.size)
	}
	x.Set(in.Args[0][0], bytes)
	return nil
}
