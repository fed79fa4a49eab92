package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

func (fn *fn) inMemory(v *pvar) bool {
	switch v.place {
	case inFrame, incoming, hidden, inBank:
		return true
	}
	return false
}

// A memory is a place in local memory or in a constant bank.
type memory struct {
	op   sass.Operand // at the offset that is accessed
	bank bool
	// The address is phase more than a multiple of known, a power of two that is
	// 4 at least.
	known, phase int
}

// at moves m by n bytes.
func (m memory) at(n int) memory {
	m.op.Off += int64(n)
	m.phase += n
	return m
}

// aligned reports whether the address is known to be a multiple of n.
func (m memory) aligned(n int) bool { return m.known >= n && m.phase&(n-1) == 0 }

// stackAlign is what the stack pointer of the body is known to be a multiple
// of, and baseAlign the same of the register that addresses the frame.
func (fn *fn) stackAlign() int {
	if fn.frame.based {
		return max(fn.frame.align, fn.t.Frame.Round)
	}
	return fn.baseAlign()
}

func (fn *fn) baseAlign() int {
	if fn.frame.realigned {
		return fn.frame.align
	}
	n := fn.entryAlign()
	for n > 4 && fn.frame.size%n != 0 {
		n /= 2
	}
	return n
}

// inBase is byte off of the frame, from the body's first stack pointer.
func (fn *fn) inBase(off int) memory {
	return memory{op: sass.M(fn.base(), int64(off)), known: fn.baseAlign(), phase: off}
}

// memory returns byte off of a variable in memory.
func (fn *fn) memory(v *pvar, off int) memory {
	switch v.place {
	case incoming:
		return fn.incoming(v.loc.Off).at(off)
	case hidden:
		addr := fn.hiddenAddr(v)
		at := sass.MV(addr.Name, 0)
		switch {
		case addr.Kind == sass.Register:
			at = sass.M(addr.Reg, 0)
		case fn.h == nil && fn.early(v):
			at = sass.M(fn.asn.Hidden.Reg, 0)
		}
		return memory{op: at, known: max(v.align, 4)}.at(off)
	case inBank:
		return memory{op: sass.C(v.loc.Bank, int64(v.loc.Off)), bank: true, known: 16, phase: v.loc.Off}.at(off)
	}
	return fn.inBase(v.frame).at(off)
}

// incoming is byte off of the incoming stack area.
func (fn *fn) incoming(off int) memory {
	return memory{op: fn.incomingAt(off), known: fn.entryAlign(), phase: off}
}

// hiddenAddr is the register that keeps the address of a large result: a
// virtual one, or a preserved one that is nobody's home.
func (fn *fn) hiddenAddr(v *pvar) sass.Operand {
	if fn.h != nil {
		if fn.h.hidden == 0 {
			return sass.V(hiddenName, sass.Whole)
		}
		return sass.R(fn.h.hidden)
	}
	return sass.V(fn.nameOf(v)+".addr", sass.Whole)
}

// loads returns the opcodes of loads at m.
func (fn *fn) loads(m memory) *abi.Widths {
	sp := &fn.t.Spelling
	switch {
	case m.bank && (m.op.Name != "" || m.op.Kind == sass.ConstReg):
		return &sp.LoadConstIndexed
	case m.bank:
		return &sp.LoadConst
	}
	return &sp.LoadLocal
}

// loadOp returns the opcode that loads size bytes: 1, 2 or 4.
func (fn *fn) loadOp(m memory, size int, signed bool) string {
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

func (fn *fn) storeOp(size int) string {
	w := &fn.t.Spelling.StoreLocal
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
func (fn *fn) loadMem(m memory, r register, t ptx.Type, name string, off int, guard string) {
	size := t.Size()
	for k := range r.words() {
		n := min(4, size-4*k)
		s := span{name, off + 4*k, off + 4*k + n}
		switch {
		case n <= 0:
			fn.extendWord(r, k, t)
		case n == 4 && m.aligned(4):
			fn.take(fn.fromMemory(r.word(k), m.at(4*k), 4, false, s))
		case n == size && n <= 2 && m.aligned(n):
			fn.take(fn.fromMemory(r.word(k), m, n, t.Signed(), s))
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
func (fn *fn) gather(m memory, n int, name string, off int, guard string) word {
	var w word
	var tmp sass.Operand
	loaded := -1
	for b := range n {
		at := m.at(b)
		lead := at.phase & 3
		if first := at.at(-lead); loaded < 0 || lead == 0 {
			tmp = sass.V(name+"."+strconv.Itoa((off+b)/4)+"$"+hex(int(first.op.Off)), sass.Whole)
			if fn.h != nil {
				tmp = []sass.Operand{fn.scratch(), sass.R(fn.t.Frame.OldSP)}[loaded+1]
			}
			loaded++
			fn.emit(guard, fn.loadOp(m, 4, false), "", tmp, first.op)
		}
		w.take(b, tmp, lead)
	}
	return w
}

// extendWord makes word k of r, which lies beyond the loaded value, its sign
// or zero. The value's last word waits to be loaded.
func (fn *fn) extendWord(r register, k int, t ptx.Type) {
	if t.Signed() {
		top := r.word((t.Size() - 1) / 4)
		for i := range fn.group {
			if fn.group[i].dst == top {
				fn.group[i].signs = append(fn.group[i].signs, r.word(k))
				return
			}
		}
	}
	var w word
	for b := range 4 {
		if t.Signed() {
			w.sign(b, r.word((t.Size()-1)/4), 3)
		} else {
			w.set(b, 0)
		}
	}
	fn.toRegister(r, k, &w, span{})
}

// storeMem stores size bytes at m.
func (fn *fn) storeMem(m memory, size int, bytes *[4]word, name string, off int, guard string) {
	list := fn.cells[:0]
	for i := 0; i < size; {
		n := min(4, size-i)
		if n == 3 || !m.at(i).aligned(n) {
			n = 1
		}
		c := cell{off: i, size: n, load: load{s: span{name, off + i, off + i + n}}}
		for b := range n {
			c.w.put(b, &bytes[(i+b)/4], (i+b)%4)
		}
		list = append(list, c)
		i += n
	}
	fn.storeCells(m, list, guard, sass.RZ)
	fn.cells = list[:0]
}

// inRegister returns a register that holds w, the scratch register if no other
// does.
func (fn *fn) inRegister(w *word, guard string) sass.Operand {
	if op, ok := w.plain(); ok {
		return op
	}
	if v, ok := w.value(); ok && v == 0 {
		return sass.R(sass.RZ)
	}
	tmp := fn.scratch()
	fn.assemble(tmp, w, guard, "")
	return tmp
}
