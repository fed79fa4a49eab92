package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// dynamic lowers an access through an address in a register: a load from the
// parameter block in a kernel or with ::entry, local memory otherwise.
func (fn *Selector) dynamic(a *ptx.Access, guard string) {
	base, ok := fn.registerAt(&ptx.Operand{Kind: ptx.KindName, Text: a.Addr.Base, Pos: a.Addr.Pos}, fn.BaseRef())
	if !ok {
		return
	}
	bank := a.Qual == ptx.EntryParam || fn.F.Entry
	if bank && a.Store {
		fn.comment(a.Op + " [" + base.name + "]: constant memory cannot be written")
		return
	}
	// An address in a register is taken to be aligned as the access wants it.
	m := inLocal(fn.part(base, 0), a.Addr.Off, 16, 0)
	if bank {
		blk := fn.Asn.Block
		if !fn.F.Entry { // where the block of a kernel is, unless it is a large one
			blk = abi.Block{Bank: fn.T.Kernel.ParamBank, Base: fn.T.Kernel.ParamBase}
		}
		m = inConst(blk.Bank, fn.part(base, 0), int64(blk.Base)+a.Addr.Off, 16, 0)
	}
	if !a.Store && (fn.loadsOver(a, base, m) || fn.isSpilled(base)) {
		// The address is not to be lost while its words are loaded.
		tmp := fn.scratch()
		fn.move(guard, tmp, fn.part(base, 0), lir.Say("address"))
		if m.base = tmp; bank {
			m.kind = sass.ConstReg
		}
	}
	refs := fn.In.Operands(fn.At)[1:]
	regs, ok := fn.operands(a)
	if !ok {
		return
	}
	if storesAsOne(a) {
		if all, ok := fn.vectorBytes(a, refs, regs, a.Addr.Base); ok {
			fn.storeMem(m, a.Bytes(), &all, a.Addr.Base, int(a.Addr.Off), guard)
		}
		return
	}
	fn.gathers = fn.AllVirtual && !bank && a.Guard == nil && a.Type.Size() >= 4 // as collectable says of those by name
	defer func() { fn.gathers = false }()
	for i := range regs {
		o, at := &regs[i], m.at(i*a.Type.Size())
		text := a.Addr.Base
		if a.Store {
			if bytes, ok := fn.sourceBytes(o, idOf(refs, i), a.Type, text); ok {
				fn.storeMem(at, a.Type.Size(), &bytes, text, int(a.Addr.Off)+i*a.Type.Size(), guard)
			}
			continue
		}
		if o.Kind == ptx.KindSink {
			continue
		}
		r, ok := fn.registerAt(o, idOf(refs, i))
		if !ok {
			continue
		}
		if r.pred || r.size < a.Type.Size() || r.elems > 0 {
			fn.LetThrough(o.Pos)
			continue
		}
		if len(regs) == 1 && fn.loadWhole(at, r, a.Type.Size(), lir.Bytes(text, int(a.Addr.Off), int(a.Addr.Off)+r.size), guard) {
			break
		}
		fn.loadMem(at, r, a.Type, text, int(a.Addr.Off)+i*a.Type.Size(), guard)
	}
	fn.flush(guard)
}

// loadWhole emits the load of a register of several words as one, and reports whether that
// can be. Its first word may be the address.
func (fn *Selector) loadWhole(m memory, r *register, size int, s lir.Note, guard string) bool {
	n := r.words()
	if r.size != size || n != 2 && n != 4 || fn.wideLoad(&m, n) == "" {
		return false
	}
	dst, ok := fn.part(r, 0).Group(n)
	if ok {
		fn.loadWord(guard, fn.wideLoad(&m, n), dst, &m, s)
	}
	return ok
}
