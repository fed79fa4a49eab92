package cubin

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/isa"
)

const shtInfo = 0x70000000 // SHT_CUDA_INFO

// records takes a section of records apart.
//
//	u8 form  u8 attribute  u16 value         form NVAL, BVAL, HVAL
//	u8 form  u8 attribute  u16 n     n bytes form SVAL
func records(s *Section, each func(Attr) error) error {
	where := "section " + s.Name
	for b := s.Data; len(b) > 0; {
		off := s.Offset + s.Size - uint64(len(b))
		if len(b) < 4 {
			return errorf(off, where, "%d bytes are left, and a record has 4 at least", len(b))
		}
		a := Attr{Section: s.Name, Offset: off, Form: Form(b[0]), ID: AttrID(b[1]), Value: le.Uint16(b[2:])}
		b = b[4:]
		switch a.Form {
		case NoValue, Byte, Half:
		case Sized:
			if int(a.Value) > len(b) {
				return errorf(off, where, "the record of attribute 0x%02x has %d bytes, and %d are left", uint8(a.ID), a.Value, len(b))
			}
			a.Data, b = b[:a.Value:a.Value], b[a.Value:]
		default:
			return errorf(off, where, "the record of attribute 0x%02x has the unknown form %d", uint8(a.ID), uint8(a.Form))
		}
		if err := each(a); err != nil {
			return err
		}
	}
	return nil
}

// describe adds the contents of the records to the functions.
func (r *reader) describe() error {
	type key struct {
		name    string
		section int // with the code: files that are linked may have several local functions of a name
	}
	byName := make(map[key]int, len(r.Functions))
	for i, fn := range r.Functions {
		byName[key{fn.Name, fn.Section}] = i
	}
	for i := range r.Sections {
		s := &r.Sections[i]
		if s.Type != shtInfo {
			continue
		}
		if err := r.spend(s); err != nil {
			return err
		}
		name, _ := strings.CutPrefix(s.Name, ".nv.info.")
		fn, ofOne := byName[key{name, int(s.Info)}]
		if err := records(s, func(a Attr) error {
			switch {
			case s.Name == ".nv.info":
				return r.shared(a)
			case ofOne:
				return r.own(a, &r.Functions[fn])
			}
			return nil
		}); err != nil {
			return err
		}
	}
	for i := range r.Functions {
		if err := r.checkParams(&r.Functions[i]); err != nil {
			return err
		}
	}
	return nil
}

// words are the 32-bit words of a record that has n of them.
func (a *Attr) words(n int) ([]uint32, error) {
	if a.Form != Sized || len(a.Data) != 4*n {
		return nil, errorf(a.Offset, "section "+a.Section, "%v has %d bytes in form %v, it should have %d", a.ID, len(a.Data), a.Form, 4*n)
	}
	w := make([]uint32, n)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(a.Data[4*i:])
	}
	return w, nil
}

// shared reads a record of .nv.info, which names a function and gives a number.
func (r *reader) shared(a Attr) error {
	var field func(*Function) *int
	switch a.ID {
	case attrRegCount:
		field = func(fn *Function) *int { return &fn.Regs }
	case attrFrameSize:
		field = func(fn *Function) *int { return &fn.FrameSize }
	case attrMinStackSize:
		field = func(fn *Function) *int { return &fn.MinStack }
	case attrMaxStackSize:
		field = func(fn *Function) *int { return &fn.MaxStack }
	default:
		return nil
	}
	w, err := a.words(2)
	if err != nil {
		return err
	}
	if uint64(w[0]) >= uint64(len(r.Symbols)) {
		return errorf(a.Offset, "section "+a.Section, "%v is for symbol %d, and there are %d", a.ID, w[0], len(r.Symbols))
	}
	if i, ok := r.funcs[int(w[0])]; ok {
		fn := &r.Functions[i]
		*field(fn) = int(int32(w[1])) // all ones, of recursion, is not known
		fn.Unbounded = fn.Unbounded || a.ID == attrMinStackSize && w[1] == 0xffffffff
	}
	return nil
}

// ownWords is how many words each record of .nv.info.NAME has, of those that are read.
var ownWords = map[AttrID]int{attrMaxThreads: 3, attrReqNTID: 3, attrCRSStackSize: 1, attrParamCbank: 2, attrKParamInfo: 3, attrKParamInfoV2: 3}

// own reads a record of .nv.info.NAME.
func (r *reader) own(a Attr, fn *Function) (err error) {
	where := "section " + a.Section
	var w []uint32
	if n := ownWords[a.ID]; n > 0 {
		if w, err = a.words(n); err != nil {
			return err
		}
	}
	switch a.ID {
	case attrMaxThreads, attrReqNTID:
		extents := []int{int(w[0]), int(w[1]), int(w[2])}
		if a.ID == attrMaxThreads {
			fn.MaxThreads = extents
		} else {
			fn.ReqThreads = extents
		}
	case attrMaxRegCount:
		if a.Form == Half {
			fn.MaxRegs = int(a.Value)
		}
	case attrCRSStackSize:
		fn.Returns = int(int32(w[0]))
	case attrParamCbank:
		// u32 symbol of the bank's section, u16 base, u16 size
		if uint64(w[0]) >= uint64(len(r.Symbols)) {
			return errorf(a.Offset, where, "%v names symbol %d, and there are %d", a.ID, w[0], len(r.Symbols))
		}
		bank, ok := bankOf(r.Symbols[w[0]].Name)
		if !ok {
			return errorf(a.Offset, where, "%v names %q, which is not a constant bank", a.ID, r.Symbols[w[0]].Name)
		}
		fn.ParamBank, fn.ParamBase, fn.ParamSize = bank, int(w[1]&0xffff), int(w[1]>>16)
	case attrKParamInfo:
		// u32 symbol of an opaque handle or 0; u16 ordinal, u16 offset; bits
		// 0–7 log2 of the pointee's alignment, 8–11 its space, 12–16 0x1f,
		// 18–31 size
		p := Param{Ordinal: int(w[1] & 0xffff), Offset: int(w[1] >> 16), Size: int(w[2] >> 18), PointeeSpace: Space(w[2] >> 8 & 0xf)}
		return fn.addParam(a, p, w[2]&0xff)
	case attrKParamInfoV2:
		// u32 index, u16 ordinal, u16 offset, u16 size, u8 log2 of the
		// pointee's alignment, u8 its space
		p := Param{
			Ordinal: int(le.Uint16(a.Data[4:])), Offset: int(le.Uint16(a.Data[6:])), Size: int(le.Uint16(a.Data[8:])),
			PointeeSpace: Space(a.Data[11]), V2: true,
		}
		return fn.addParam(a, p, uint32(a.Data[10]))
	}
	return nil
}

// bankOf is the number of the constant bank of a section, ".nv.constant0.k".
func bankOf(section string) (int, bool) {
	rest, ok := strings.CutPrefix(section, ".nv.constant")
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(number, 10, 8)
	return int(n), ok && err == nil
}

func (fn *Function) addParam(a Attr, p Param, log uint32) error {
	if log > 31 { // the most that ptxas takes
		return errorf(a.Offset, "section "+a.Section, "parameter %d points to data aligned to two to the power of %d", p.Ordinal, log)
	}
	p.PointeeAlign = 1 << log
	if p.Offset == 0xffff && p.Size == 0 {
		p.Offset = -1
	}
	fn.Params = append(fn.Params, p)
	return nil
}

// checkParams orders a function's parameters.
func (r *reader) checkParams(fn *Function) error {
	slices.SortStableFunc(fn.Params, func(a, b Param) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	for i, p := range fn.Params {
		if p.Ordinal != i {
			s := r.Section(".nv.info." + fn.Name)
			return errorf(s.Offset, "section "+s.Name, "there are %d parameters, and one has number %d", len(fn.Params), p.Ordinal)
		}
	}
	return nil
}

// Helper reports whether the assembler has added the function: by its name, as the function
// [isa.Helper] has it, and because it is neither a kernel nor global, which none of them is.
func (fn *Function) Helper() bool {
	return !fn.Kernel && fn.Binding != elf.STB_GLOBAL && isa.Helper(fn.Name)
}
