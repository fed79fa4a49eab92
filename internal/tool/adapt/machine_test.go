package adapt_test

import (
	"encoding/binary"
	"fmt"
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
	conf.Bank, conf.Callee, conf.Called = x.bank, x.contract, x.called
	var text *sim.Text
	conf.Text = func(_ *sim.Machine, line string) (string, error) { return text.Run(line) }
	m, err := sim.New(all, conf)
	if err != nil {
		return err
	}
	text = x.textOf(m)
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
	s, ok := strings.CutPrefix(name, "%")
	switch {
	case !ok:
		return 0
	case strings.HasPrefix(s, "rs"):
		return 2
	case strings.HasPrefix(s, "rd"), strings.HasPrefix(s, "fd"), strings.HasPrefix(s, "SP"):
		return 8
	}
	return 4
}

// textOf executes what stands as its PTX text.
func (x *machine) textOf(m *sim.Machine) *sim.Text {
	t := &sim.Text{Registers: sim.Virtuals{Machine: m, WidthOf: sizeOfReg}, Window: localWindow}
	// at finds memory: of the own frame, local memory by its generic addresses, or global memory.
	at := func(base string, off int64, size int) (at uint64, local bool, err error) {
		at, err = t.Address(base, off)
		if err == nil && at%uint64(size) != 0 {
			err = fmt.Errorf("%d bytes at %#x, which is misaligned", size, at)
		}
		return at, at&^0xffffffff == localWindow, err
	}
	t.Load = func(space, base string, off int64, size int) ([]sim.Byte, error) {
		at, local, err := at(base, off, size)
		switch {
		case err != nil:
			return nil, err
		case space == "local":
			return m.Load(uint32(at), size)
		case local:
			return m.LoadAny(uint32(at), size)
		}
		return x.global(at, size)
	}
	t.Store = func(space, base string, off int64, bytes []sim.Byte) error {
		at, local, err := at(base, off, len(bytes))
		switch {
		case err != nil:
			return err
		case space == "local":
			return m.Store(uint32(at), bytes)
		case local:
			return m.StoreAny(uint32(at), bytes)
		}
		to, err := x.global(at, len(bytes))
		copy(to, bytes)
		return err
	}
	return t
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
