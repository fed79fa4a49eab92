package isel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
)

// An extension says what becomes of the bytes of a word above the bytes that are copied.
type extension uint8

const (
	keep extension = iota // they stay, or become anything
	zero
	sign
)

func extended(signed bool) extension {
	if signed {
		return sign
	}
	return zero
}

// A value is a value that the convention passes, with the storage that it is copied from or to.
type value struct {
	abi.Placement
	name    string // of notes
	storage Place
	// promoted is the extension of a scalar below 32 bits where it is passed; keep for other values.
	promoted extension
	words    []int // the numbers of the words that are copied; others have no value
}

// transfer copies a value between its storage and its place in the convention: out of its storage for an argument of a
// call and for the result of a function, into it for a formal and for the result of a call. No other code walks over the
// words of values.
//
// Words are copied one at a time. A value in registers of fewer than four bytes each (a vector of small elements) is copied
// in pieces of that size, which pack puts together on the way out.
func (e *emitter) transfer(v *value, there Place, out bool) {
	step := 4
	if v.storage.kind == inList {
		step = min(step, int(v.storage.elem))
	}
	if e.plan.AllVirtual && out && v.promoted == keep && v.storage.kind == inMemory && there.kind == inMemory {
		for words := v.words; len(words) > 0; { // up to four words through one register, so that passes can pair the accesses
			n := 1
			for n < len(words) && words[n] < words[0]+lir.Widest {
				n++
			}
			part := *v
			part.words = words[:n]
			via := Place{kind: inList, elem: 4, off: -4 * words[0], list: e.regs.virtual(e.Code.Names.Temp().Name(), 4*(words[n-1]-words[0]+1))}
			e.transfer(&part, via, true)
			part.storage = via
			e.transfer(&part, there, true)
			words = words[n:]
		}
		return
	}
	for _, k := range v.words {
		if step < 4 && out {
			n := min(4, v.Size-4*k)
			e.pack(&there, 4*k, &v.storage, 4*k, n, lir.Bytes(v.name, 4*k, 4*k+n))
			continue
		}
		for off := 4 * k; off < min(4*k+4, v.Size); off += step {
			n := min(step, v.Size-off)
			note := lir.Bytes(v.name, off, off+n)
			ext := keep
			switch {
			case v.promoted != keep && out:
				ext = v.promoted
			case step < 4:
			case wordwise(&v.storage, off) && wordwise(&there, off):
				n = 4 // the bytes after a value in its last word may become anything
			}
			if out {
				e.move(&there, off, &v.storage, off, n, ext, note)
			} else {
				e.move(&v.storage, off, &there, off, n, ext, note)
			}
		}
	}
}

// wordwise reports whether the word at byte off of a place can be copied as a whole.
func wordwise(p *Place, off int) bool { return p.kind != inMemory || p.aligned(off, 4) }

// move copies n bytes, at most a word, from byte o of src to byte d of dst. An extension makes them a whole word.
func (e *emitter) move(dst *Place, d int, src *Place, o, n int, ext extension, note lir.Note) {
	e.member()
	first := len(e.Code.List)
	// If the destination is a whole register, the bytes are loaded into it. Otherwise they are loaded into a register of
	// their own, and store puts them in place.
	var into lir.Reg
	if dst.kind != inMemory {
		if w, b := e.word(dst, d); b == 0 && (n == 4 || ext != keep || dst.kind == inList && n == int(dst.elem)) {
			into = w.reg
		}
	}
	x := e.load(src, o, n, ext, into, note)
	switch {
	case x.reg == 0 || x.reg != into:
		if ext != keep {
			n = 4
		}
		e.store(dst, d, n, x, note)
	case len(e.Code.List) == first && e.grouped: // the register has its word already; the member still stands for it
		e.Move(into, into, note)
	}
}

// pack copies n bytes to a word from registers that have fewer bytes each. It puts them together in a temporary register
// first, so that the destination may be one of the sources.
func (e *emitter) pack(dst *Place, d int, src *Place, o, n int, note lir.Note) {
	e.member()
	word, step := lir.Reg(0), int(src.elem)
	for k := 0; k < n; k += step {
		x, _ := e.word(src, o+k)
		switch {
		case k == 0:
			word = e.temp()
			e.copy(word, x, lir.Note{})
		default:
			e.insert(word, k, step, x.reg, 0, lir.Note{})
		}
	}
	e.store(dst, d, 4, source{reg: word}, note)
}

// member begins a member of the group, if copies are grouped.
func (e *emitter) member() {
	e.spare = 0
	if e.grouped {
		e.Code.Add(lir.Member, "", e.Pos)
	}
}

// load returns a register or a constant that has n bytes of a place, extended. If that needs instructions, the register
// is into, or a temporary one if into is 0.
func (e *emitter) load(p *Place, off, n int, ext extension, into lir.Reg, note lir.Note) source {
	if p.kind == inMemory {
		return e.loadMemory(p, off, n, ext, into, note)
	}
	x, b := e.word(p, off)
	if x.reg == 0 && x.pred == "" {
		v := x.bits >> (8 * b)
		if n < 4 {
			v = v << (32 - 8*n) >> (32 - 8*n)
			if ext == sign {
				v = uint32(int32(v<<(32-8*n)) >> (32 - 8*n))
			}
		}
		return source{bits: v}
	}
	if x.pred == "" && b == 0 && (n == 4 || ext == keep) {
		return x
	}
	if into == 0 {
		into = e.temp()
	}
	switch {
	case x.pred != "": // it is passed as 0 or 1
		e.Emit("SEL", note, lir.Def(into), lir.RZ, lir.I(1), lir.P(x.pred).Negated())
		return source{reg: into}
	case b+n > 4: // the bytes are in two words
		next, _ := e.word(p, off+4-b)
		// PRMT numbers the bytes of its second register from 4 on, so that the bytes after
		// the first register's last are those of the next one.
		e.permute(into, x.reg, [4]int{b, b + 1, b + 2, min(b+3, 7)}, e.register(next), note)
		if n == 4 || ext == keep {
			return source{reg: into}
		}
		x, b = source{reg: into}, 0
	}
	digits := [4]int{7, 7, 7, 7} // a byte of RZ
	for i := range digits {
		switch {
		case i < n:
			digits[i] = b + i
		case ext == sign:
			digits[i] = 8 + b + n - 1
		}
	}
	e.permute(into, x.reg, digits, lir.Zero, note)
	return source{reg: into}
}

// loadMemory loads n bytes with as few accesses as their alignment allows.
func (e *emitter) loadMemory(p *Place, off, n int, ext extension, into lir.Reg, note lir.Note) source {
	if into == 0 {
		into = e.temp()
	}
	w := p.width(off, n)
	if w == n {
		in := e.access(lir.Load, w, p, off, note)
		in.Dst, in.Signed = into, ext == sign
		return source{reg: into}
	}
	// The word is put together piece by piece. Its bytes beyond n are not read, or the extension below overwrites them.
	part := e.temp()
	for k := 0; k < n; k += w {
		w = p.width(off+k, n-k)
		if k == 0 {
			e.access(lir.Load, w, p, off, note).Dst = into
			continue
		}
		e.access(lir.Load, w, p, off+k, lir.Note{}).Dst = part
		e.insert(into, k, w, part, 0, lir.Note{})
	}
	if ext == keep {
		return source{reg: into}
	}
	one := Place{kind: inList, elem: 4, list: []source{{reg: into}}}
	return e.load(&one, 0, n, ext, into, lir.Note{})
}

// access emits a load or a store of size bytes, from byte off of a memory on. The caller fills in the register.
func (e *emitter) access(op lir.Op, size int, p *Place, off int, note lir.Note) *lir.Inst {
	in := e.Code.Add(op, e.Guard, e.Pos)
	in.Size, in.Bank, in.B, in.Off, in.Note = uint8(size), p.bank, p.reg, int64(p.off+off), note
	in.First, in.N, in.Writers = int32(p.align), int32(p.phase+off), p.by
	return in
}

// store puts the lowest n bytes of a register or a constant at byte off of a place.
func (e *emitter) store(p *Place, off, n int, x source, note lir.Note) {
	if p.kind == inMemory {
		r := e.register(x)
		for k := 0; k < n; {
			w := p.width(off+k, n-k)
			part := r
			if k > 0 {
				one := Place{kind: inList, elem: 4, list: []source{{reg: r}}}
				part = e.load(&one, k, w, keep, 0, lir.Note{}).reg
			}
			e.access(lir.Store, w, p, off+k, note).A = part
			k += w
		}
		return
	}
	w, b := e.word(p, off)
	switch {
	case w.pred != "":
		e.Emit("ISETP.NE.AND", note, lir.P(w.pred), lir.P("PT"), lir.Of(e.register(x)), lir.RZ, lir.P("PT"))
	case b == 0 && n == 4 || p.kind == inList && n == int(p.elem):
		e.copy(w.reg, x, note)
	default:
		r := e.register(x)
		e.insert(w.reg, b, min(n, 4-b), r, 0, note)
		if b+n > 4 {
			next, _ := e.word(p, off+4-b)
			e.insert(next.reg, 0, b+n-4, r, 4-b, note)
		}
	}
}

// insert replaces n bytes of a word, from b on, by those of x from byte o on.
func (e *emitter) insert(w lir.Reg, b, n int, x lir.Reg, o int, note lir.Note) {
	digits := [4]int{0, 1, 2, 3}
	for i := range n {
		digits[b+i] = 4 + o + i
	}
	e.permute(w, w, digits, x, note)
}

// permute emits d = the bytes of a and b that digits number.
func (e *emitter) permute(d, a lir.Reg, digits [4]int, b lir.Reg, note lir.Note) {
	in := e.Code.Add(lir.Perm, e.Guard, e.Pos)
	in.Dst, in.A, in.B, in.Note = d, a, b, note
	in.Off = int64(digits[0] | digits[1]<<4 | digits[2]<<8 | digits[3]<<12)
}

// copy emits d = x.
func (e *emitter) copy(d lir.Reg, x source, note lir.Note) {
	if x.reg == 0 && x.bits != 0 {
		in := e.Code.Add(lir.Const, e.Guard, e.Pos)
		in.Dst, in.Off, in.Note = d, int64(x.bits), note
		return
	}
	if x.reg == 0 {
		x.reg = lir.Zero
	}
	e.Move(d, x.reg, note)
}

// register returns a register that has the value of x.
func (e *emitter) register(x source) lir.Reg {
	switch {
	case x.reg != 0:
		return x.reg
	case x.bits == 0:
		return lir.Zero
	}
	t := e.temp()
	e.copy(t, x, lir.Note{})
	return t
}

// temp returns a register that nothing else uses before the end of the move at hand. Where registers have homes there are
// two of them, which each move (member) uses anew.
func (e *emitter) temp() lir.Reg {
	if e.plan.AllVirtual {
		return e.Code.Names.Temp()
	}
	e.spare++
	if e.spare == 1 {
		return lir.Phys(e.T.Frame.Scratch)
	}
	return lir.Phys(e.T.Frame.OldSP)
}
