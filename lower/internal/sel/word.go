package sel

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A byteKind tells where a byte of a word comes from.
type byteKind uint8

const (
	undefined byteKind = iota // anything will do
	constant                  // the value val
	taken                     // byte val of source src
	signOf                    // eight copies of the top bit of byte val of source src
)

// A byteFrom says where one byte comes from: the kind, the source and val are in the bits
// from 12, 8 and 0 on. Four of them are compared as one number of 64 bits, where structs
// would be by a call.
type byteFrom uint16

func byteOf(kind byteKind, src, val uint8) byteFrom {
	return byteFrom(kind)<<12 | byteFrom(src)<<8 | byteFrom(val)
}

func (f byteFrom) kind() byteKind { return byteKind(f >> 12) }

func (f byteFrom) src() uint8 { return uint8(f>>8) & 0xf }

func (f byteFrom) val() uint8 { return uint8(f) }

// reads reports whether f comes from a register.
func (f byteFrom) reads() bool { return f >= byteFrom(taken)<<12 }

// withSrc is f from another source.
func (f byteFrom) withSrc(src uint8) byteFrom { return byteOf(f.kind(), src, f.val()) }

// A word is a recipe for 32 bits: each byte from a register's byte, from a
// register's sign, a constant, or undefined. Its zero value is undefined as a
// whole.
type word struct {
	from [4]byteFrom
	n    uint8
	srcs [4]lir.Reg // the first n
}

// source returns the index of r among the sources of w, adding it if need be.
func (w *word) source(r lir.Reg) uint8 {
	for i := range w.n {
		if w.srcs[i] == r {
			return i
		}
	}
	w.srcs[w.n] = r
	w.n++
	return w.n - 1
}

// clear makes byte i of w undefined, and forgets a source that no other byte
// needs: a later store may overwrite an earlier one.
func (w *word) clear(i int) {
	if w.from[i].kind() != undefined { // as few are
		w.forget(i)
	}
}

// forget is clear for a byte that has a value.
func (w *word) forget(i int) {
	old := w.from[i]
	w.from[i] = 0
	if !old.reads() {
		return
	}
	for _, f := range w.from {
		if f.reads() && f.src() == old.src() {
			return
		}
	}
	w.n--
	w.srcs[old.src()] = w.srcs[w.n]
	w.srcs[w.n] = 0
	for k := range w.from {
		if f := &w.from[k]; f.reads() && f.src() == w.n {
			*f = f.withSrc(old.src())
		}
	}
}

// take makes byte i of w byte b of r.
func (w *word) take(i int, r lir.Reg, b int) {
	w.clear(i)
	w.from[i] = byteOf(taken, w.source(r), uint8(b))
}

// whole makes the first n bytes of w, of which none has a value unless n is 4, those of r.
func (w *word) whole(n int, r lir.Reg) {
	w.srcs[0], w.n = r, 1
	if n == 4 {
		w.from = inPlace
		return
	}
	for i := range n {
		w.from[i] = byteOf(taken, 0, uint8(i))
	}
}

// readsPhysical reports whether w takes something from a physical register.
func (w *word) readsPhysical() bool {
	for i := range w.n & 7 {
		if w.srcs[i&3].Kind() == sass.Register {
			return true
		}
	}
	return false
}

// sign fills byte i of w with the sign of byte b of r.
func (w *word) sign(i int, r lir.Reg, b int) {
	w.clear(i)
	w.from[i] = byteOf(signOf, w.source(r), uint8(b))
}

// set makes byte i of w a constant.
func (w *word) set(i int, v byte) {
	w.clear(i)
	w.from[i] = byteOf(constant, 0, v)
}

// put makes byte i of w what byte j of v is.
func (w *word) put(i int, v *word, j int) {
	w.clear(i)
	f := v.from[j]
	if f.reads() {
		f = f.withSrc(w.source(v.srcs[f.src()]))
	}
	w.from[i] = f
}

// extend fills the bytes of w from size up: with the sign of the byte below
// where signed is set, with zeros otherwise. A byte below that is undefined
// leaves them undefined.
func (w *word) extend(size int, signed bool) {
	top := w.from[size-1]
	for i := size; i < len(w.from); i++ {
		w.clear(i)
	}
	src := w.from[size-1].src() // clear may have renumbered it
	for i := size; i < len(w.from); i++ {
		switch {
		case top.kind() == undefined:
		case !signed:
			w.set(i, 0)
		case top.kind() == constant:
			w.set(i, byte(int8(top.val())>>7))
		default:
			w.from[i] = byteOf(signOf, src, top.val())
		}
	}
}

// inPlace is where the bytes of a whole copy come from.
var inPlace = [4]byteFrom{byteOf(taken, 0, 0), byteOf(taken, 0, 1), byteOf(taken, 0, 2), byteOf(taken, 0, 3)}

// defined reports whether any byte of w is.
func (w *word) defined() bool {
	if w.n > 0 {
		return true
	}
	return w.from != [4]byteFrom{}
}

// plain returns the register that w is a copy of, if it is one: undefined
// bytes agree with everything.
func (w *word) plain() (lir.Reg, bool) {
	if w.n != 1 {
		return 0, false
	}
	if w.from == inPlace {
		return w.srcs[0], true
	}
	for i, f := range w.from {
		if f.kind() != undefined && (f.kind() != taken || f.val() != uint8(i)) {
			return 0, false
		}
	}
	return w.srcs[0], true
}

// value returns the constant that w is, undefined bytes as zero, if it has no
// sources.
func (w *word) value() (uint32, bool) {
	var v uint32
	for i, f := range w.from {
		if f.kind() == constant {
			v |= uint32(f.val()) << (8 * i)
		}
	}
	return v, w.n == 0
}

// A selector of PRMT has a nibble for each byte of the result, the lowest for
// byte 0: 0 … 3 are the bytes of the first register, 4 … 7 of the second; with
// 8 added, eight copies of that byte's top bit.
const (
	second   = 4
	fromZero = 7 // where the second register is RZ
	signed   = 8
)

// selector returns the selector that takes the bytes of w of source k from the register
// that they are in, the first for an add of 0, and is rest for all other bytes.
func (w *word) selector(k int, add, rest uint32) uint32 {
	for i, f := range w.from {
		if f.reads() && int(f.src()) == k {
			n := uint32(f.val()) + add
			if f.kind() == signOf {
				n += signed
			}
			rest = rest&^(0xf<<(4*i)) | n<<(4*i)
		}
	}
	return rest
}

// What a selector leaves as it is: the bytes of the first register, those of the
// second, and zeros where that is RZ.
const (
	keepFirst  = 0x3210
	keepSecond = 0x7654
	zeros      = 0x1111 * fromZero
)

// assemble emits instructions that make dst hold w, under the guard. dst may
// be among the sources of w. The note goes to the last instruction. It emits
// nothing for an undefined word and for one that is in place.
func (fn *Selector) assemble(dst lir.Reg, w *word, guard string, note lir.Note) {
	if src, ok := w.plain(); ok {
		if src != dst {
			fn.move(guard, dst, src, note)
		}
		return
	}
	if !w.defined() {
		return
	}
	if v, ok := w.value(); ok {
		fn.moveConst(dst, v, guard, note)
		return
	}
	consts, _ := w.value()
	hasConst := false
	for _, f := range w.from {
		hasConst = hasConst || f.kind() == constant
	}
	for i := uint8(1); i < w.n; i++ {
		if w.srcs[i] == dst {
			w.front(i)
		}
	}

	next := 1 // the first source that is not in dst yet
	switch {
	case consts == 0 && (w.n == 1 || hasConst):
		// One register and zeros from RZ.
		fn.selectBytes(guard, dst, w.srcs[0], w.selector(0, 0, zeros), lir.Phys(sass.RZ), last(note, next == int(w.n)))
	case !hasConst:
		next = 2
		sel := w.selector(0, 0, w.selector(1, second, keepFirst))
		fn.selectBytes(guard, dst, w.srcs[0], sel, w.srcs[1], last(note, next == int(w.n)))
	default:
		// The constants first, unless dst still holds bytes that are wanted.
		if w.srcs[0] == dst {
			tmp := fn.scratch()
			fn.moveConst(tmp, consts, guard, lir.Note{})
			fn.selectBytes(guard, dst, w.srcs[0], w.selector(0, 0, keepSecond), tmp, last(note, next == int(w.n)))
			break
		}
		fn.moveConst(dst, consts, guard, lir.Note{})
		next = 0
	}
	for ; next < int(w.n); next++ {
		fn.selectBytes(guard, dst, w.srcs[next], w.selector(next, 0, keepSecond), dst, last(note, next == int(w.n)-1))
	}
}

// front makes source i the first one.
func (w *word) front(i uint8) {
	w.srcs[0], w.srcs[i] = w.srcs[i], w.srcs[0]
	for k := range w.from {
		f := &w.from[k]
		if !f.reads() {
			continue
		}
		switch f.src() {
		case 0:
			*f = f.withSrc(i)
		case i:
			*f = f.withSrc(0)
		}
	}
}

func last(note lir.Note, is bool) lir.Note {
	if is {
		return note
	}
	return lir.Note{}
}

func (fn *Selector) moveConst(dst lir.Reg, v uint32, guard string, note lir.Note) {
	if v == 0 {
		fn.move(guard, dst, lir.Phys(sass.RZ), note)
		return
	}
	fn.loadImm(guard, dst, v, note)
}
