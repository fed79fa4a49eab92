package sel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A memory is a place in local memory or in a constant bank. It has four fields and is 32
// bytes large, so that the compiler keeps it in registers of the processor: one that is
// written field by field and then copied as a whole waits for the writes each time.
type memory struct {
	space
	base lir.Reg // none in a bank at a fixed offset
	off  int64   // that is accessed
	known
}

// A space is what memory it is.
type space struct {
	kind sass.OperandKind // Mem, Const or ConstReg; None for no memory
	bank uint8
}

// A known is what is known of an address: it is phase more than a multiple of align, a
// power of two that is 4 at least.
type known struct{ align, phase int32 }

// inLocal is the memory at a register plus off bytes, inConst that of a bank.
func inLocal(base lir.Reg, off int64, align, phase int) memory {
	return memory{space{kind: sass.Mem}, base, off, known{int32(align), int32(phase)}}
}

func inConst(bank uint8, base lir.Reg, off int64, align, phase int) memory {
	kind := sass.Const
	if base.Kind() == sass.Register {
		kind = sass.ConstReg
	}
	return memory{space{kind, bank}, base, off, known{int32(align), int32(phase)}}
}

// inBank reports whether m is in a constant bank.
func (m *memory) inBank() bool { return m.kind == sass.Const || m.kind == sass.ConstReg }

// at moves m by n bytes.
func (m memory) at(n int) memory {
	m.off += int64(n)
	m.phase += int32(n)
	return m
}

// aligned reports whether the address is known to be a multiple of n.
func (m *memory) aligned(n int) bool { return int(m.align) >= n && int(m.phase)&(n-1) == 0 }

// inBase is byte off of the frame, from the body's first stack pointer.
func (fn *Selector) inBase(off int) memory {
	return inLocal(lir.Phys(fn.Base()), int64(off), fn.BaseAlign(), off)
}

// memory returns byte off of a variable in memory.
func (fn *Selector) memory(v *place.Var, off int) memory {
	switch v.Place {
	case place.Incoming:
		return fn.incoming(v.Loc.Off).at(off)
	case place.Sret:
		return inLocal(fn.SretAddr, int64(off), max(v.Align, 4), off)
	case place.InBank:
		return inConst(v.Loc.Bank, 0, int64(v.Loc.Off+off), 16, v.Loc.Off+off)
	}
	return fn.inBase(v.Frame + off)
}

// incoming is byte off of the incoming stack area.
func (fn *Selector) incoming(off int) memory {
	base, at := fn.IncomingAt(off)
	return inLocal(base, at, fn.EntryAlign, off)
}

// loads returns the opcodes of loads at m.
func (fn *Selector) loads(m *memory) *abi.Widths {
	sp := &fn.T.Spelling
	switch {
	case m.inBank() && m.base.Kind() != sass.None:
		return &sp.LoadConstIndexed
	case m.inBank():
		return &sp.LoadConst
	}
	return &sp.LoadLocal
}

// loadOp returns the opcode that loads size bytes: 1, 2 or 4.
func (fn *Selector) loadOp(m *memory, size int, signed bool) string {
	w := fn.loads(m)
	switch {
	case size == 1 && signed:
		return w.S8
	case size == 1:
		return w.U8
	case size == 2 && signed:
		return w.S16
	case size == 2:
		return w.U16
	}
	return w.B32
}

func (fn *Selector) storeOp(size int) string {
	w := &fn.T.Spelling.StoreLocal
	switch size {
	case 1:
		return w.U8
	case 2:
		return w.U16
	}
	return w.B32
}

// loadMem loads a value of type t at m into r; name and off are for notes.
// What is not in memory as whole words or as it is wanted is loaded at once, the
// rest with flush.
func (fn *Selector) loadMem(m memory, r *register, t ptx.Type, name string, off int, guard string) {
	size := t.Size()
	for k := range r.words() {
		n := min(4, size-4*k)
		s := lir.Bytes(name, off+4*k, off+4*k+n)
		switch {
		case n <= 0:
			fn.extendWord(r, k, t)
		case n == 4 && m.aligned(4):
			fn.fromMemory(fn.wait(), m.at(4*k), 4, false)
			fn.takenTo(fn.part(r, k), s)
		case n == size && n <= 2 && m.aligned(n):
			fn.fromMemory(fn.wait(), m, n, t.Signed())
			fn.takenTo(fn.part(r, k), s)
		default:
			w := fn.gather(m.at(4*k), n, name, off+4*k, guard)
			if n < 4 && r.size > size {
				w.extend(n, t.Signed())
			}
			fn.toRegister(r, k, &w, s)
			fn.flush(guard)
		}
	}
}

// gather loads the aligned words around n bytes at m into registers of their
// own and takes the bytes.
func (fn *Selector) gather(m memory, n int, name string, off int, guard string) word {
	var w word
	var tmp lir.Reg
	loaded := -1
	for b := range n {
		at := m.at(b)
		lead := int(at.phase & 3)
		if first := at.at(-lead); loaded < 0 || lead == 0 {
			tmp = fn.Virtual(name+"."+strconv.Itoa((off+b)/4)+"$"+hex(int(first.off)), sass.Whole)
			if !fn.AllVirtual {
				tmp = []lir.Reg{fn.scratch(), lir.Phys(fn.T.Frame.OldSP)}[loaded+1]
			}
			loaded++
			fn.loadWord(guard, fn.loadOp(&m, 4, false), tmp, &first, lir.Note{})
		}
		w.take(b, tmp, lead)
	}
	return w
}

// extendWord makes word k of r, which lies beyond the loaded value, its sign
// or zero. The value's last word waits to be loaded.
func (fn *Selector) extendWord(r *register, k int, t ptx.Type) {
	if last := len(fn.group) - 1; t.Signed() && last >= 0 {
		// A load before it may write the same register, and another one word k.
		if l := &fn.group[last]; l.dst == fn.part(r, (t.Size()-1)/4) {
			l.needMore()
			l.more.signs = append(l.more.signs, fn.part(r, k))
			fn.taken()
			return
		}
	}
	var w word
	for b := range 4 {
		if t.Signed() {
			w.sign(b, fn.part(r, (t.Size()-1)/4), 3)
		} else {
			w.set(b, 0)
		}
	}
	fn.toRegister(r, k, &w, lir.Note{})
}

// storeMem stores size bytes at m.
func (fn *Selector) storeMem(m memory, size int, bytes *[4]word, name string, off int, guard string) {
	list := fn.cells[:0]
	for i := 0; i < size; {
		n := min(4, size-i)
		if at := m.at(i); n == 3 || !at.aligned(n) {
			n = 1
		}
		c := cell{off: i, size: n, load: load{s: lir.Bytes(name, off+i, off+i+n)}}
		for b := range n {
			c.w.put(b, &bytes[(i+b)/4], (i+b)%4)
		}
		list = append(list, c)
		i += n
	}
	fn.storeCells(m, list, size, false, guard, spare{virtual: fn.AllVirtual})
	fn.cells = list[:0]
}

// inRegister returns a register that holds w, the scratch register if no other
// does.
func (fn *Selector) inRegister(w *word, guard string) lir.Reg {
	if op, ok := w.plain(); ok {
		return op
	}
	if v, ok := w.value(); ok && v == 0 {
		return lir.Phys(sass.RZ)
	}
	tmp := fn.scratch()
	fn.assemble(tmp, w, guard, lir.Note{})
	return tmp
}

// wideLoad returns the opcode that loads 2 or 4 words at m; "" if there is
// none.
func (fn *Selector) wideLoad(m *memory, n int) string {
	if n == 4 {
		return fn.loads(m).B128
	}
	return fn.loads(m).B64
}
