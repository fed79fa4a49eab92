package sel

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// addressOf lowers a mov or cvta.param that takes the address of a variable, and
// reports other instructions that mention one. It reports whether it dealt with in.
func (fn *Selector) addressOf(in *ptx.Instr, guard string) bool {
	var v *place.Var
	first, second := "", ""
	for n := range ptx.Names(in.Ops()) {
		name := n.Name()
		if first == "" {
			first = name
		}
		if name != first && second == "" {
			second = name
		}
		if got := fn.Variable(name); got != nil && v == nil {
			v = got
		}
	}
	if v == nil {
		return false
	}
	if v.Sym.Spec.Type.Class() == ptx.Handle || v.Place == place.InBank && strings.HasPrefix(in.Op, "prefetch.") {
		return false // the instructions that handles and tensor maps are for
	}
	if strings.HasPrefix(in.Op, "cvta.param.") && v.Sym.Spec.Space == ptx.ParamSpace && fn.Variable(second) == v {
		// The address is made in the register that is to hold the result.
		mov := *in
		mov.Op = "mov." + in.Op[len("cvta.param."):]
		if fn.addressOf(&mov, guard) {
			reg := fn.uniqueName(first)
			at := len(fn.Code.Buf)
			if guard != "" {
				fn.Code.Buf = append(append(fn.Code.Buf, guard...), ' ')
			}
			fn.Code.Buf = append(append(append(append(append(fn.Code.Buf, in.Op...), ' '), reg...), ", "...), reg...)
			fn.Code.AddText(lir.Changed, at, in.Pos)
			return true
		}
	}
	off, plain := movOffset(in, first, second)
	if !plain || fn.Variable(second) != v {
		if v.Sym.Spec.Space == ptx.LocalSpace {
			return false // its text says enough, and the frame's comment where it is
		}
		fn.Cannot(in.Pos, "%s with the .param variable %s; take its address with mov", in.Op, v.Source)
		return true
	}
	r, ok := fn.register(fn.named(first, in.Pos))
	if !ok {
		return true
	}
	fn.moveAddress(in, v, r, off, guard)
	return true
}

// movOffset reports whether in is "mov.type reg, name" or "…, name+offset".
func movOffset(in *ptx.Instr, reg, name string) (off int64, ok bool) {
	if !strings.HasPrefix(in.Op, "mov.") || name == "" || len(in.Ops()) != 2 || in.Ops()[0].Text != reg {
		return 0, false
	}
	o := &in.Ops()[1]
	if o.Kind == ptx.KindSum {
		return int64(o.Bits), o.Elems[0].Text == name
	}
	return 0, o.Text == name
}

// moveAddress makes r the address of byte off of v.
func (fn *Selector) moveAddress(in *ptx.Instr, v *place.Var, r register, off int64, guard string) {
	if r.pred || r.elems > 0 || r.size > 8 {
		fn.Cannot(in.Pos, "%s is no register for an address", r.name)
		return
	}
	text := "address of " + v.Source
	if off != 0 {
		text += "+" + strconv.FormatInt(off, 10)
	}
	to := fn.part(&r, 0)
	if r.size < 4 { // which takes the low bits of the address
		to = fn.scratch()
	}
	dst := lir.Of(to)
	switch v.Place {
	case place.InFrame:
		fn.addReg(guard, dst, lir.R(fn.Base()), int64(v.Frame)+off, lir.Say(text))
	case place.Incoming:
		base, at := fn.IncomingAt(v.Loc.Off)
		fn.addReg(guard, dst, lir.Of(base), at+off, lir.Say(text))
	case place.Sret:
		fn.addReg(guard, dst, lir.Of(fn.SretAddr), off, lir.Say(text))
	case place.InBank:
		fn.moveConst(to, uint32(int64(v.Loc.Off-fn.Asn.Block.Base)+off), guard, lir.Say("offset of "+v.Source+" in the parameter block"))
	default:
		if v.Sym.Role != resolved.Local {
			return // a formal without a place, which has been reported
		}
		fn.LetThrough(in.Pos)
		return
	}
	switch {
	case r.size == 8:
		fn.move(guard, fn.part(&r, 1), lir.Zero, lir.Note{})
	case r.size < 4:
		fn.move(guard, fn.part(&r, 0), to, lir.Note{})
	}
}
