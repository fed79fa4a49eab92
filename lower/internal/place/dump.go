package place

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// places has the words for places in dumps.
var places = [...]string{
	0: "nowhere", Scalarized: "scalarized", InFrame: "frame", Incoming: "incoming",
	Sret: "sret memory", InBank: "bank",
}

// AppendText appends the plan as text for people.
func (pl *Plan) AppendText(dst []byte) []byte {
	dst = append(append(append(append(dst, "plan of "...), pl.F.Name...), " for "...), pl.T.Name...)
	dst = append(dst, "\n  formals\n"...)
	formal := func(what string, f *ptx.Formal, p abi.Placement) {
		dst = append(AppendPlace(fmt.Appendf(dst, "    %-6s %-12s ", what, f.Name), p), '\n')
	}
	for i := range pl.Params {
		formal("param", &pl.Params[i], pl.Asn.Params[i])
	}
	for i := range pl.F.Results {
		formal("result", &pl.F.Results[i], pl.Asn.Results[i])
	}
	if pl.Asn.Sret.Kind == abi.InReg {
		dst = fmt.Appendf(dst, "    sret pointer in %s\n", sass.Register(pl.Asn.Sret.Reg))
	}
	dst = append(dst, "  variables\n"...)
	for _, v := range pl.Vars {
		line := fmt.Sprintf("    %-12s %s%s", pl.printed(v), pl.placeOf(v), touchedBy(v))
		dst = append(append(dst, strings.TrimRight(line, " ")...), '\n')
	}
	dst = append(dst, "  calls\n"...)
	i := 0
	for at, s := range pl.F.Body {
		if _, ok := s.(*ptx.Call); ok {
			dst = pl.appendSite(dst, i, at)
			i++
		}
	}
	return pl.appendFrame(dst)
}

// placeOf returns the text for the place of a variable, and its size.
func (pl *Plan) placeOf(v *Var) string {
	text := places[v.Place]
	switch v.Place {
	case InFrame:
		text += " " + sass.Mem(pl.Base(), int64(v.Frame)).String()
	case Incoming:
		base, at := pl.IncomingAt(v.Loc.Off)
		o := sass.Mem(base.Num(), at)
		if base.Kind() == sass.KindVirtual {
			o = sass.Operand{Kind: sass.KindMem, Name: string(pl.Registers.Append(nil, base.Name())), Off: at}
		}
		text += " " + o.String()
	case InBank:
		text += " " + sass.Const(v.Loc.Bank, int64(v.Loc.Off)).String()
	}
	return text + ", " + prose.Count(v.Size, "byte")
}

// touchedBy returns the text for the uses of a variable.
func touchedBy(v *Var) (text string) {
	for i, is := range []bool{v.stores, v.loads, v.passed, v.Given, v.Addressed} {
		if is {
			text += ", " + []string{"stored", "loaded", "passed", "given a value", "named"}[i]
		}
	}
	return text
}

// printed returns the name of a variable in printed code.
func (pl *Plan) printed(v *Var) string { return v.Source + pl.Added(v.Sym) }

// appendSite appends call i of the function, whose statement has the index at.
func (pl *Plan) appendSite(dst []byte, i, at int) []byte {
	s := &pl.Sites[i]
	dst = fmt.Appendf(dst, "    %s at %d", s.Name, at)
	if s.Reg {
		dst = append(dst, " through a register"...)
	}
	dst = append(dst, '\n')
	operand := func(what, name, way string, v *Var, p abi.Placement) {
		dst = AppendPlace(fmt.Appendf(dst, "      %-6s %-12s ", what, name), p)
		if v != nil {
			dst = append(append(dst, way...), pl.printed(v)...)
		}
		dst = append(dst, '\n')
	}
	given := len(pl.F.Body[at].(*ptx.Call).Params) // without an unsized one that is left out
	for k, p := range s.Asn.Params[:min(given, len(s.Asn.Params))] {
		operand("param", s.Params[k].Name, " from ", pl.CallVars[s.Vars+k], p)
	}
	for k, p := range s.Asn.Results {
		operand("result", s.Results[k].Name, " to ", s.resultVar, p)
	}
	if s.Buffer >= 0 {
		dst = fmt.Appendf(dst, "      sret pointer in %s to %s\n", sass.Register(s.Asn.Sret.Reg), sass.Mem(pl.Base(), int64(s.Buffer)))
	}
	return dst
}

// appendFrame appends the frame.
func (pl *Plan) appendFrame(dst []byte) []byte {
	fr := &pl.Frame
	if fr.Size == 0 {
		return append(dst, "  no frame\n"...)
	}
	dst = fmt.Appendf(dst, "  frame of 0x%x bytes, aligned to %d\n    outgoing 0x%x bytes\n", fr.Size, fr.Align, fr.Outgoing)
	for _, h := range pl.Spill.List {
		dst = fmt.Appendf(dst, "    slot     %s at 0x%x\n", h.Name, fr.Spills+h.Off)
	}
	for i, r := range fr.Regs {
		dst = fmt.Appendf(dst, "    saved    %s at 0x%x\n", sass.Register(r), fr.Saved+4*i)
	}
	if fr.Realigned {
		dst = append(dst, "    realigned\n"...)
	}
	if fr.Based {
		dst = append(dst, "    addressed by a register of its own\n"...)
	}
	return dst
}

// AppendPlace appends the text for the place of a value, with its size and alignment.
func AppendPlace(dst []byte, p abi.Placement) []byte {
	switch loc := p.Loc; loc.Kind {
	case abi.Nowhere:
		return append(dst, "nowhere"...)
	case abi.OnStack:
		dst = append(dst, "stack "+sass.Mem(sass.SP, int64(loc.Off)).String()+" at entry"...)
	case abi.Indirect:
		dst = append(dst, "memory at the address in "+sass.Register(loc.Reg).String()...)
	default:
		dst = append(dst, p.String()...)
	}
	dst = strconv.AppendInt(append(dst, ", size "...), int64(p.Size), 10)
	return strconv.AppendInt(append(dst, " align "...), int64(p.Align), 10)
}
