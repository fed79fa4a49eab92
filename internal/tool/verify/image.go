package verify

import (
	"debug/elf"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A PTX is PTX that a compiled file carries for the driver to compile, in the
// place of a cubin.
type PTX struct {
	// File has what a cubin of it would record that follows from the text: kernels
	// with their parameters and blocks, functions with the kinds of what they
	// return and take. Registers, frames and code are not known.
	*cubin.File
	kernels map[string]*SourceKernel
	aliases map[string]string // the functions that aliases are other names of
	lines   map[string]int    // where functions stand
	debug   *Debug
}

// PTX places the parameters of the module's kernels on a target, that of its
// .target. Bits are those of its addresses where it has no .address_size. Of bodies that
// are known it has what kernels read of their parameters. Nothing else of the module is kept.
func (m *Module) PTX(t *abi.Target, bits int) *PTX {
	if m.AddressSize != 0 {
		bits = m.AddressSize
	}
	p := &PTX{File: &cubin.File{Arch: t.Name, AddressSize: bits}, kernels: make(map[string]*SourceKernel), aliases: make(map[string]string), lines: make(map[string]int)}
	p.debug = NewModuleDebug(m.Module)
	table := resolve.NewTable(m.Module)
	for one := range table.Functions() {
		f, of := one.Decl, one.Aliasee
		if f == nil {
			continue
		}
		if f.Entry && !f.HasBody {
			continue
		}
		name := strings.Clone(f.Name)
		p.lines[name] = lineOf(f.NamePos)
		fn := cubin.Function{
			Name: name, Kernel: f.Entry, Binding: binding(f), Regs: -1, FrameSize: -1, MinStack: -1, MaxStack: -1,
			ParamBank: -1, ParamBase: -1, ParamSize: -1,
		}
		if f.Entry {
			k := kernelOf(one, t)
			k.Name = name
			k.read(f, m.bodies[f].loads)
			p.kernels[name] = &k
			k.record(&fn)
		} else if text, ok := Recorded(f); ok && (kept(f) || !f.HasBody) { // others no kernel elsewhere has
			p.Prototypes = append(p.Prototypes, cubin.Prototype{Name: name, Text: text})
		}
		if of != nil {
			p.aliases[name] = strings.Clone(of.Name)
			fn.Binding = binding(of)
		}
		if f.HasBody || of != nil {
			p.Functions = append(p.Functions, fn)
		}
	}
	return p
}

// kernel is what the text says of a kernel, nil where it has none of that name
// and for cubins.
func (p *PTX) kernel(name string) *SourceKernel {
	if p == nil {
		return nil
	}
	return p.kernels[name]
}

// binding is the one that a function's symbol would have.
func binding(f *ptx.Func) elf.SymBind {
	switch f.Linkage {
	case ptx.Visible:
		return elf.STB_GLOBAL
	case ptx.Weak:
		return elf.STB_WEAK
	}
	return elf.STB_LOCAL
}

// record has a kernel's parameters and blocks in the form of a cubin, and of
// .maxntid and .reqntid the second alone. Names of parameters are kept out of it.
func (k *SourceKernel) record(fn *cubin.Function) {
	if th := k.Threads; th != nil {
		fn.MaxThreads, fn.ReqThreads = th.Max, th.Req
		if th.Req != nil {
			fn.MaxThreads = nil
		}
	}
	if k.Block == nil || len(k.Block.Params) == 0 {
		return
	}
	fn.ParamBank, fn.ParamBase, fn.ParamSize, fn.Params = k.Block.Bank, k.Block.Base, k.Block.Size, k.Block.recorded()
	k.Block.Params = nil // which hold on to the text
}

// recorded are the parameters as a cubin records them.
func (b *Block) recorded() (all []cubin.Param) {
	for i, p := range b.Params {
		all = append(all, cubin.Param{Ordinal: i, Offset: p.Offset, Size: p.Size, PointeeAlign: 1, PointeeSpace: cubin.HandleSpace(p.Handle)})
	}
	return all
}

// limits finds registers that a source's kernel k may not have and the text
// allows. How many it comes to have is decided when it is compiled.
func (own *SourceKernel) limits(k *SourceKernel, source string, add adder) {
	switch {
	case k.MaxRegs == 0 || own.MaxRegs > 0 && own.MaxRegs <= k.MaxRegs:
	case own.MaxRegs == 0:
		add("registers", -1, k.MaxRegs, 0, "no directive limits its registers, %s of %s:%d allows %d", k.RegsFrom, source, k.Line, k.MaxRegs)
	default:
		add("registers", -1, k.MaxRegs, own.MaxRegs, "%s allows %d registers, %s of %s:%d allows %d",
			own.RegsFrom, own.MaxRegs, k.RegsFrom, source, k.Line, k.MaxRegs)
	}
}
