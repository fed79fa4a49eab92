package adapt_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/internal/lab/witness"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A machine executes modules that were lowered, with the instructions that lowering
// passes through as they stand in PTX. Memory is global, of a few regions, and local
// memory, which is also at generic addresses.
type machine struct {
	t      *abi.Target
	funcs  map[string]*ptx.Func // definitions
	kernel abi.Assignment
	params []byte // of the kernel
	memory []region
	asns   map[string]*abi.Assignment
	called func(m *sim.Machine, name string) error // may be nil
	ran    *witness.Case                           // what run executed
}

// A region is global memory that there is. A byte that nothing wrote is undefined.
type region struct {
	base  uint64
	bytes []sim.Byte
}

const (
	stackTop = 96<<10 + 16
	// localWindow is where local memory is among generic addresses.
	localWindow = 0x7f01 << 32
)

// newRegion returns memory of n bytes that are undefined.
func newRegion(base uint64, n int) region { return region{base, make([]sim.Byte, n)} }

// put writes plain bytes.
func (r *region) put(off int, data []byte) {
	for i, b := range data {
		r.bytes[off+i] = sim.Byte{Val: b, From: sim.Origin{Kind: sim.Plain}}
	}
}

// get returns n bytes, and whether all are defined.
func (r *region) get(off, n int) (data []byte, ok bool) {
	ok = true
	for _, b := range r.bytes[off : off+n] {
		data, ok = append(data, b.Val), ok && b.From.Kind != sim.Undefined
	}
	return data, ok
}

// run lowers modules, each by itself as for separate linking, and executes a kernel.
func (x *machine) run(kernel string, mods ...*ptx.Module) error {
	x.funcs, x.asns = map[string]*ptx.Func{}, map[string]*abi.Assignment{}
	all := &sass.Program{}
	for _, mod := range mods {
		prog, err := lower.Module(mod, x.t, lower.Options{})
		if err != nil {
			return err
		}
		all.Funcs = append(all.Funcs, prog.Funcs...)
		for _, it := range mod.Items {
			if f, ok := it.(*ptx.Func); ok && f.HasBody {
				x.funcs[f.Name] = f
			}
		}
	}
	if x.funcs[kernel] == nil {
		return fmt.Errorf("no kernel %s", kernel)
	}
	var err error
	if x.kernel, err = abi.Assign(resolve.NewFunction(nil, x.funcs[kernel]).Signature(), x.t); err != nil {
		return err
	}
	conf := sim.Around(x.t, stackTop)
	conf.Bank, conf.Callee, conf.Text, conf.Called = x.bank, x.contract, x.text, x.called
	m, err := sim.New(all, conf)
	if err != nil {
		return err
	}
	x.ran = witness.Of(x.t, mods, all, kernel, stackTop, x.kernel.Block.Base, x.params)
	x.ran.Classes = [][2]any{{"rs", 2}, {"rd", 8}, {"fd", 8}, {"SP", 8}, {"", 4}}
	for _, r := range x.memory {
		x.ran.Owns(r.base, r.bytes)
	}
	err = m.Run(kernel)
	for _, r := range x.memory {
		x.ran.Left = append(x.ran.Left, witness.Store{At: int64(r.base), Bytes: r.bytes})
	}
	return err
}

// bank is the constant bank: the stack pointer and the kernel's parameters.
func (x *machine) bank(bank uint8, off int64) sim.Byte {
	k, at := &x.t.Kernel, int(off)
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], stackTop)
	if bank == k.SP.Bank && at >= k.SP.Off && at < k.SP.Off+4 {
		return sim.Byte{Val: b[at-k.SP.Off], From: sim.Origin{Kind: sim.Address}}
	}
	if at -= x.kernel.Block.Base; bank == k.ParamBank && at >= 0 && at < len(x.params) {
		return sim.Byte{Val: x.params[at], From: sim.Origin{Kind: sim.Plain}}
	}
	return sim.Byte{}
}

// contract is what the convention says of a function.
func (x *machine) contract(name string) (sim.Contract, error) {
	a := x.asns[name]
	if a == nil {
		f := x.funcs[name]
		if f == nil {
			return sim.Contract{}, fmt.Errorf("no function %s", name)
		}
		got, err := abi.Assign(resolve.NewFunction(nil, f).Signature(), x.t)
		if err != nil {
			return sim.Contract{}, err
		}
		a = &got
		x.asns[name] = a
	}
	return sim.ContractOf(x.t, a), nil
}

// sizeOfReg is that of a virtual register by the class in its name, in bytes.
func sizeOfReg(name string) int {
	switch s := strings.TrimPrefix(name, "%"); {
	case strings.HasPrefix(s, "rs"):
		return 2
	case strings.HasPrefix(s, "rd"), strings.HasPrefix(s, "fd"), strings.HasPrefix(s, "SP"):
		return 8
	}
	return 4
}

// register returns the bytes of a virtual register.
func register(m *sim.Machine, name string) []sim.Byte {
	if sizeOfReg(name) == 8 {
		lo, hi := m.Virtual(name, sass.Lo), m.Virtual(name, sass.Hi)
		return append(lo[:], hi[:]...)
	}
	w := m.Virtual(name, sass.Whole)
	return w[:]
}

// setRegister sets a virtual register; what it has above the bytes becomes zero.
func setRegister(m *sim.Machine, name string, bytes []sim.Byte) {
	for len(bytes) < sizeOfReg(name) || len(bytes) < 4 {
		bytes = append(bytes, sim.Byte{From: sim.Origin{Kind: sim.Plain}})
	}
	var lo, hi sim.Word
	copy(lo[:], bytes)
	if len(bytes) == 8 {
		copy(hi[:], bytes[4:])
		m.SetVirtual(name, sass.Lo, lo)
		m.SetVirtual(name, sass.Hi, hi)
		return
	}
	m.SetVirtual(name, sass.Whole, lo)
}

// value returns what an operand is as a number: a register or a constant.
func value(m *sim.Machine, operand string) (uint64, error) {
	if !strings.HasPrefix(operand, "%") {
		if s, ok := strings.CutPrefix(operand, "0f"); ok {
			return strconv.ParseUint(s, 16, 32)
		}
		v, err := strconv.ParseInt(operand, 0, 64)
		if err != nil {
			u, err := strconv.ParseUint(operand, 0, 64)
			return u, err
		}
		return uint64(v), nil
	}
	v := uint64(0)
	for i, b := range register(m, operand) {
		if b.From.Kind == sim.Undefined {
			return 0, fmt.Errorf("byte %d of %s is undefined", i, operand)
		}
		v |= uint64(b.Val) << (8 * i)
	}
	return v, nil
}

// plainBytes returns the lowest n bytes of a number.
func plainBytes(v uint64, n int) []sim.Byte {
	out := make([]sim.Byte, n)
	for i := range out {
		out[i] = sim.Byte{Val: byte(v >> (8 * i)), From: sim.Origin{Kind: sim.Plain}}
	}
	return out
}

// text executes an instruction that stands as its PTX text.
func (x *machine) text(m *sim.Machine, text string) (string, error) {
	s := strings.TrimSuffix(strings.TrimSpace(text), ";")
	if strings.HasPrefix(s, "@") {
		guard, rest, _ := strings.Cut(s, " ")
		truth := m.Truth(strings.TrimLeft(guard, "@!"))
		if !truth.Defined {
			return "", fmt.Errorf("%s is undefined", guard)
		}
		if truth.Val == strings.HasPrefix(guard, "@!") {
			return "", nil
		}
		s = rest
	}
	op, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	args := strings.Split(strings.ReplaceAll(strings.ReplaceAll(rest, " ", ""), "\t", ""), ",")
	parts := strings.Split(op, ".")
	bits, _ := strconv.Atoi(strings.TrimLeft(parts[len(parts)-1], "busf"))
	switch parts[0] {
	case "bra":
		return args[0], nil
	case "ld", "st":
		return "", x.access(m, parts, args, bits/8)
	case "mov":
		if !strings.HasPrefix(args[1], "%") {
			v, err := value(m, args[1])
			setRegister(m, args[0], plainBytes(v, bits/8))
			return "", err
		}
		setRegister(m, args[0], register(m, args[1]))
		return "", nil
	}
	return "", x.compute(m, parts, args, bits)
}

// compute executes what has numbers for its operands.
func (x *machine) compute(m *sim.Machine, parts, args []string, bits int) error {
	var v [3]uint64
	for i, a := range args[1:] {
		var err error
		if v[i], err = value(m, a); err != nil {
			return err
		}
	}
	f := func(i int) float32 { return math.Float32frombits(uint32(v[i])) }
	result := uint64(0)
	switch strings.Join(parts, ".") {
	case "cvta.local.u64":
		result = v[0] | localWindow
	case "cvta.to.global.u64":
		result = v[0]
	case "add.u64", "add.s64":
		result = v[0] + v[1]
	case "cvt.rn.f32.s32":
		result = uint64(math.Float32bits(float32(int32(v[0]))))
	case "cvt.rn.f32.s16":
		result = uint64(math.Float32bits(float32(int16(v[0]))))
	case "mul.rn.f32", "mul.f32":
		result = uint64(math.Float32bits(f(0) * f(1)))
	case "add.rn.f32", "add.f32":
		result = uint64(math.Float32bits(f(0) + f(1)))
	case "fma.rn.f32":
		result = uint64(math.Float32bits(float32(float64(f(0))*float64(f(1)) + float64(f(2)))))
	case "setp.eq.s32", "setp.eq.u32":
		m.SetTruth(args[0], sim.Truth{Val: uint32(v[0]) == uint32(v[1]), Defined: true})
		return nil
	case "setp.ne.s32", "setp.ne.u32":
		m.SetTruth(args[0], sim.Truth{Val: uint32(v[0]) != uint32(v[1]), Defined: true})
		return nil
	default:
		return fmt.Errorf("no meaning is known for %q", strings.Join(parts, "."))
	}
	setRegister(m, args[0], plainBytes(result, max(bits/8, 4)))
	return nil
}

// access executes a load or a store.
func (x *machine) access(m *sim.Machine, parts, args []string, size int) error {
	addr, data := args[1], args[0]
	if parts[0] == "st" {
		addr, data = args[0], args[1]
	}
	base, offset, _ := strings.Cut(strings.Trim(addr, "[]"), "+")
	at, err := value(m, base)
	if err != nil {
		return err
	}
	off, _ := strconv.ParseInt(offset, 0, 64)
	at += uint64(off)
	if at%uint64(size) != 0 {
		return fmt.Errorf("%d bytes at %#x, which is misaligned", size, at)
	}
	load, store, local := m.Load, m.Store, parts[1] == "local" // of its own frame
	if !local && at&^0xffffffff == localWindow {
		load, store, local, at = m.LoadAny, m.StoreAny, true, at&0xffffffff
	}
	if parts[0] == "st" {
		bytes := plainBytes(0, size)
		if strings.HasPrefix(data, "%") {
			copy(bytes, register(m, data))
		} else if v, err := value(m, data); err == nil {
			bytes = plainBytes(v, size)
		} else {
			return err
		}
		if local {
			return store(uint32(at), bytes)
		}
		to, err := x.global(at, size)
		copy(to, bytes)
		return err
	}
	var bytes []sim.Byte
	if local {
		bytes, err = load(uint32(at), size)
	} else {
		bytes, err = x.global(at, size)
	}
	if err != nil {
		return err
	}
	bytes = append([]sim.Byte(nil), bytes...)
	if strings.HasPrefix(parts[len(parts)-1], "s") {
		for len(bytes) < 8 {
			bytes = append(bytes, bytes[size-1].Sign())
		}
		bytes = bytes[:max(sizeOfReg(data), 4)]
	}
	setRegister(m, data, bytes)
	return nil
}

// global returns global memory.
func (x *machine) global(at uint64, size int) ([]sim.Byte, error) {
	for i := range x.memory {
		r := &x.memory[i]
		if at >= r.base && at+uint64(size) <= r.base+uint64(len(r.bytes)) {
			return r.bytes[at-r.base:][:size], nil
		}
	}
	return nil, fmt.Errorf("%d bytes at %#x are nobody's", size, at)
}
