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

// Virtuals are the registers of the function that a machine executes: homes, and virtual ones, whose widths
// WidthOf returns.
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

// An Instruction is an instruction of PTX in parts.
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
	if in.Names[0] == "bra" {
		return in.Args[0][0], nil
	}
	do := executors[in.Names[0]]
	if do == nil || in.size == 0 || len(in.Args) == 0 {
		return "", Unknown(in.text)
	}
	return "", do(x, in)
}

// executors are the functions for the operations that have a meaning here, but branches.
var executors = map[string]func(*Text, *Instruction) error{
	"ld": (*Text).load, "ldu": (*Text).load, "st": (*Text).store, "setp": (*Text).compare, "selp": (*Text).choose,
	"mov": (*Text).move, "cvta": (*Text).move, "cvt": (*Text).convert,
	"and": (*Text).compute, "or": (*Text).compute, "xor": (*Text).compute, "shl": (*Text).compute, "shr": (*Text).compute,
	"add": (*Text).compute, "sub": (*Text).compute, "mul": (*Text).compute, "fma": (*Text).compute,
	"bfi": (*Text).compute, "bfe": (*Text).compute, "prmt": (*Text).compute,
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

// counts are how many operands of an operation, the last ones, are numbers of bits. They have 32 bits themselves.
var counts = map[string]int{"shl": 1, "shr": 1, "bfi": 2, "bfe": 2}

// sources reads the operands of arithmetic.
func (x *Text) sources(in *Instruction) ([][]Byte, error) {
	var from [][]Byte
	for i, arg := range in.Args[1:] {
		size := in.size
		if i >= len(in.Args)-1-counts[in.Names[0]] {
			size = 4
		}
		bytes, err := x.operand(arg, size)
		if err != nil {
			return nil, err
		}
		from = append(from, bytes)
	}
	if n, want := len(from), map[string]int{"bfi": 4, "fma": 3, "prmt": 3}[in.Names[0]]; n < 2 || want > 0 && n != want {
		return nil, Unknown(in.text)
	}
	return from, nil
}

// compute is arithmetic. Where it only masks bytes or moves whole ones, each byte of the result is defined or not by itself.
// Everywhere else the result is undefined if a byte of an operand is.
func (x *Text) compute(in *Instruction) error {
	from, err := x.sources(in)
	if err != nil {
		return err
	}
	out, ok := in.bytewise(from)
	if !ok {
		if out, err = in.calculate(from); err != nil {
			return err
		}
	}
	x.Set(in.Args[0][0], out)
	return nil
}

// bytewise is the result of an operation that masks bytes or moves whole ones; false for another.
func (in *Instruction) bytewise(from [][]Byte) ([]Byte, bool) {
	switch op := in.Names[0]; op {
	case "and", "or", "xor":
		out := make([]Byte, in.size)
		for i := range out {
			out[i] = combineBytes([3]Byte{from[0][i], from[1][i]}, logic[op])
		}
		return out, true
	case "shl", "shr":
		n, ok := Uint(from[1])
		places := int(n / 8)
		if op == "shr" {
			places = -places
		}
		return moved(from[0], places), ok && n%8 == 0 && !in.signed()
	case "bfi":
		at, ok := Uint(from[2])
		n, has := Uint(from[3])
		if !ok || !has || at%8 != 0 || n%8 != 0 || (at+n)/8 > uint64(in.size) {
			return nil, false
		}
		out := slices.Clone(from[1])
		copy(out[at/8:(at+n)/8], from[0])
		return out, true
	case "prmt": // without copies of signs
		control, ok := Uint(from[2])
		both, out := slices.Concat(from[0], from[1]), make([]Byte, in.size)
		for i := range out {
			out[i] = both[control>>(4*i)&7]
		}
		return out, ok && control&0x8888 == 0
	}
	return nil, false
}

// moved are bytes at places that are higher by n, between zeros.
func moved(bytes []Byte, n int) []Byte {
	out := Bytes(0, len(bytes))
	for i, b := range bytes {
		if k := i + n; 0 <= k && k < len(out) {
			out[k] = b
		}
	}
	return out
}

// calculate is the result of an operation on numbers.
func (in *Instruction) calculate(from [][]Byte) ([]Byte, error) {
	var v []uint64
	for _, b := range from {
		n, ok := Uint(b)
		if !ok {
			return make([]Byte, in.size), nil // undefined
		}
		v = append(v, n)
	}
	number := in.integer
	if in.typ == ptx.F32 {
		number = in.float
	}
	r, ok := number(v)
	if !ok {
		return nil, Unknown(in.text)
	}
	return Bytes(r, in.size), nil
}

// integer is arithmetic with integers; the result may have more bits than the type. It is false for an operation that is not known.
func (in *Instruction) integer(v []uint64) (uint64, bool) {
	switch op, unused := in.Names[0], 64-8*in.size; {
	case op == "add":
		return v[0] + v[1], true
	case op == "sub":
		return v[0] - v[1], true
	case op == "shl":
		return v[0] << v[1], true
	case op == "shr" && in.signed():
		return uint64(int64(v[0]<<unused) >> unused >> v[1]), true
	case op == "shr":
		return v[0] >> v[1], true
	case op == "bfe" && !in.signed() && len(v) == 3 && v[2] < 64:
		return v[0] >> v[1] & (1<<v[2] - 1), true
	case op == "bfi" && v[3] < 64:
		field := uint64(1)<<v[3] - 1
		return v[1]&^(field<<v[2]) | v[0]&field<<v[2], true
	}
	return 0, false
}

// float is arithmetic with floats of 32 bits, given and returned as their bits.
func (in *Instruction) float(v []uint64) (uint64, bool) {
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
		return 0, false
	}
	return uint64(math.Float32bits(r)), true
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
