package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/prose"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A Stage is what lowering has of a function on the way to its code.
type Stage string

// The stages, in order.
const (
	Body Stage = "body" // what its names mean
	Plan Stage = "plan" // where its variables are, what its calls pass, its frame
	Code Stage = "code" // its instructions, before they are printed
)

// Stages returns all stages, in order.
func Stages() []Stage { return []Stage{Body, Plan, Code} }

// Dump returns what lowering has of each function after a stage, as text for people whose
// form may change. Module says what else holds of m, t and opts, and of the error.
func Dump(m *ptx.Module, t *abi.Target, opts Options, stage Stage) ([]byte, error) {
	if !slices.Contains(Stages(), stage) {
		return nil, fmt.Errorf("lower: no stage %q; the stages are body, plan and code", stage)
	}
	l, err := newLowerer(m, t, opts)
	if err != nil {
		return nil, err
	}
	l.textOnly = true
	var dst []byte
	p := newPipeline(l)
	for i, f := range l.list {
		if i > 0 {
			dst = append(dst, '\n')
		}
		body := p.resolve(f)
		if stage == Body {
			dst = body.AppendText(dst)
			continue
		}
		plan := p.placer.place(body)
		if stage == Plan {
			dst = plan.appendText(dst)
			continue
		}
		dst = p.code(plan, false).AppendDump(append(append(append(dst, "code of "...), f.Name...), '\n'))
	}
	l.diags = append(l.diags, p.reporter.diags...)
	if err := l.finish(); err != nil {
		return nil, err
	}
	return dst, nil
}

// places are the words for places.
var places = [...]string{
	0: "nowhere", liveIn: "live in", scalarized: "scalarized", forwarded: "forwarded", inFrame: "frame", incoming: "incoming",
	sret: "sret memory", inBank: "bank",
}

// appendText appends the plan as text for people.
func (pl *plan) appendText(dst []byte) []byte {
	dst = append(append(append(append(dst, "plan of "...), pl.f.Name...), " for "...), pl.t.Name...)
	dst = append(dst, "\n  formals\n"...)
	formal := func(what string, f *ptx.Formal, p abi.Placement) {
		dst = append(appendPlace(fmt.Appendf(dst, "    %-6s %-12s ", what, f.Name), p), '\n')
	}
	for i := range pl.params {
		formal("param", &pl.params[i], pl.asn.Params[i])
	}
	for i := range pl.f.Results {
		formal("result", &pl.f.Results[i], pl.asn.Results[i])
	}
	if pl.asn.Sret.Kind == abi.InReg {
		dst = fmt.Appendf(dst, "    sret pointer in %s\n", sass.R(pl.asn.Sret.Reg))
	}
	dst = append(dst, "  variables\n"...)
	for _, v := range pl.vars {
		line := fmt.Sprintf("    %-12s %-28s%s", pl.printed(v), pl.placeOf(v), pl.touchedBy(v))
		dst = append(append(dst, strings.TrimRight(line, " ")...), '\n')
	}
	dst = append(dst, "  calls\n"...)
	i := 0
	for at, s := range pl.f.Body {
		if _, ok := s.(*ptx.Call); ok {
			dst = pl.appendSite(dst, i, at)
			i++
		}
	}
	dst = pl.appendForwards(dst)
	return pl.appendFrame(dst)
}

// placeOf says where a variable is.
func (pl *plan) placeOf(v *pvar) string {
	text := places[v.place]
	switch v.place {
	case liveIn:
		text += " " + abi.RegRange(v.loc.Reg, v.loc.Reg+sass.Reg((v.size+3)/4-1)).String()
	case inFrame:
		text += " " + sass.M(pl.base(), int64(v.frame)).String()
	case incoming:
		base, at := pl.incomingAt(v.loc.Off)
		text += " " + sass.M(base.Num(), at).String()
	case inBank:
		text += " " + sass.C(v.loc.Bank, int64(v.loc.Off)).String()
	}
	return text + ", " + prose.Count(v.size, "byte")
}

// touchedBy says which statements touch a variable.
func (pl *plan) touchedBy(v *pvar) string {
	var b strings.Builder
	for _, u := range []struct {
		what string
		refs []ref
	}{{"stores", pl.refs(v.stores)}, {"loads", pl.refs(v.loads)}, {"passed at", pl.refs(v.asArg)}, {"result of", pl.refs(v.asResult)}, {"named at", pl.refs(v.addressed)}} {
		for i, r := range u.refs {
			if i == 0 {
				b.WriteString("  " + u.what)
			}
			fmt.Fprintf(&b, " %d", r.stmt)
		}
	}
	return b.String()
}

// printed is the name that a variable has in what is printed.
func (pl *plan) printed(v *pvar) string { return v.source + pl.added(v.sym) }

// appendSite appends call i, which is statement at.
func (pl *plan) appendSite(dst []byte, i, at int) []byte {
	s := &pl.sites[i]
	dst = fmt.Appendf(dst, "    %s at %d", s.name, at)
	if s.reg {
		dst = append(dst, " through a register"...)
	}
	if !s.ok {
		return append(dst, ": not lowered\n"...)
	}
	dst = append(dst, '\n')
	operand := func(what, name, way string, v *pvar, p abi.Placement) {
		dst = appendPlace(fmt.Appendf(dst, "      %-6s %-12s ", what, name), p)
		if v != nil {
			dst = append(append(dst, way...), pl.printed(v)...)
		}
		dst = append(dst, '\n')
	}
	given := len(pl.f.Body[at].(*ptx.Call).Params) // without an unsized one that is left out
	for k, p := range s.asn.Params[:min(given, len(s.asn.Params))] {
		operand("param", s.params[k].Name, " from ", pl.callVars[s.vars+k], p)
	}
	for k, p := range s.asn.Results {
		operand("result", s.results[k].Name, " to ", s.resultVar, p)
	}
	if s.buffer >= 0 {
		dst = fmt.Appendf(dst, "      sret pointer in %s to %s\n", sass.R(s.asn.Sret.Reg), sass.M(pl.base(), int64(s.buffer)))
	}
	return dst
}

// appendForwards appends the copies that are never made.
func (pl *plan) appendForwards(dst []byte) []byte {
	if !pl.anyForwards {
		return dst
	}
	dst = append(dst, "  forwarded copies\n"...)
	for i := range pl.fwd {
		r := &pl.fwd[i]
		if r.bad {
			continue
		}
		dst = lir.Bytes(pl.printed(r.v), r.off, r.off+r.size).Append(fmt.Appendf(dst, "    %s = ", pl.in.Name(r.name)))
		for _, u := range r.uses {
			dst = lir.Bytes(pl.printed(u.to), u.off, u.off+u.size).Append(append(dst, " to "...))
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendFrame appends the frame.
func (pl *plan) appendFrame(dst []byte) []byte {
	fr := &pl.frame
	if fr.size == 0 {
		return append(dst, "  no frame\n"...)
	}
	dst = fmt.Appendf(dst, "  frame of 0x%x bytes, aligned to %d\n    outgoing 0x%x bytes\n", fr.size, fr.align, fr.outgoing)
	for _, h := range pl.spill.list {
		dst = fmt.Appendf(dst, "    slot     %s at 0x%x\n", h.Name, fr.spills+h.off)
	}
	for i, r := range pl.saved {
		dst = fmt.Appendf(dst, "    saved    %s at 0x%x\n", sass.R(r), fr.saved+4*i)
	}
	switch {
	case fr.realigned && fr.based:
		dst = append(dst, "    realigned, and addressed by a register of its own\n"...)
	case fr.realigned:
		dst = append(dst, "    realigned\n"...)
	case fr.based:
		dst = append(dst, "    addressed by a register of its own\n"...)
	}
	return dst
}
