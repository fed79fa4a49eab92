package lower

import (
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
	op    sass.Operand // at the offset that is accessed
	align int          // of that offset, as far as 4
	bank  bool
}

// at moves m by n bytes.
func (m memory) at(n int) memory {
	m.op.Off += int64(n)
	m.align = (m.align + n) & 3
	return m
}

// memory returns byte off of a variable in memory.
func (fn *fn) memory(v *pvar, off int) memory {
	switch v.place {
	case incoming:
		return memory{op: fn.incomingAt(v.loc.Off)}.at(off)
	case hidden:
		addr := fn.hiddenAddr(v)
		if fn.early(v) {
			return memory{op: sass.M(fn.asn.Hidden.Reg, 0)}.at(off)
		}
		return memory{op: sass.MV(addr.Name, 0)}.at(off)
	case inBank:
		return memory{op: sass.C(v.loc.Bank, int64(v.loc.Off)), align: v.loc.Off & 3, bank: true}.at(off)
	}
	return memory{op: sass.M(fn.base(), int64(v.frame))}.at(off)
}

// hiddenAddr is the virtual register that keeps the address of a large result.
func (fn *fn) hiddenAddr(v *pvar) sass.Operand { return sass.V(v.name+".addr", sass.Whole) }

// loadOp returns the opcode that loads size bytes: 1, 2 or 4.
func (fn *fn) loadOp(m memory, size int, signed bool) string {
	sp := &fn.t.Spelling
	w := &sp.LoadLocal
	switch {
	case m.bank && (m.op.Name != "" || m.op.Kind == sass.ConstReg):
		w = &sp.LoadConstIndexed
	case m.bank:
		w = &sp.LoadConst
	}
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
func (fn *fn) loadMem(m memory, r register, t ptx.Type, name string, off int, guard string) {
	size := t.Size()
	for k := range r.words() {
		n := min(4, size-4*k)
		switch {
		case n <= 0:
			fn.extendWord(r, k, t, guard)
		case n == 4 && m.align == 0:
			fn.emit(guard, fn.loadOp(m, 4, false), note(name, off+4*k, off+4*k+4), r.word(k), m.at(4*k).op)
		case n == size && n <= 2 && m.align%n == 0:
			fn.emit(guard, fn.loadOp(m, n, t.Signed()), note(name, off, off+n), r.word(k), m.op)
		default:
			var w word
			for b := range n {
				fn.memByte(m.at(4*k+b), &w, b, name, off+4*k+b, guard)
			}
			if n < 4 && r.size > size {
				w.extend(n, t.Signed())
			}
			fn.toRegister(r, k, &w, guard, span{name, off + 4*k, off + 4*k + n})
		}
	}
}

// memByte loads the aligned word around m into a register of its own, unless w
// has it already, and takes the byte.
func (fn *fn) memByte(m memory, w *word, at int, name string, off int, guard string) {
	first := m.at(-m.align)
	tmp := sass.V(wordName(name, off/4)+"$"+hex(int(first.op.Off)), sass.Whole)
	known := false
	for i := range w.n {
		known = known || w.srcs[i] == tmp
	}
	if !known {
		fn.emit(guard, fn.loadOp(m, 4, false), "", tmp, first.op)
	}
	w.take(at, tmp, m.align)
}

// extendWord makes word k of r, which lies beyond the loaded value, its sign
// or zero. The value's last word has been loaded.
func (fn *fn) extendWord(r register, k int, t ptx.Type, guard string) {
	var w word
	top := r.word((t.Size() - 1) / 4)
	for b := range 4 {
		if t.Signed() {
			w.sign(b, top, 3)
		} else {
			w.set(b, 0)
		}
	}
	fn.toRegister(r, k, &w, guard, span{})
}

// storeMem stores size bytes at m.
func (fn *fn) storeMem(m memory, size int, bytes *[4]word, name string, off int, guard string) {
	for i := 0; i < size; {
		n := min(4, size-i)
		at := m.at(i)
		if n == 3 || at.align%n != 0 {
			n = 1
		}
		var w word
		for b := range n {
			w.put(b, &bytes[(i+b)/4], (i+b)%4)
		}
		fn.emit(guard, fn.storeOp(n), note(name, off+i, off+i+n), at.op, fn.inRegister(&w, guard))
		i += n
	}
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
