package lsp

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// An analysis is what is known of one version of a document.
type analysis struct {
	uri     string
	text    *text
	conf    configuration
	outline *ptx.Outline
	module  *ptx.Module // without bodies
	list    diag.List
	target  *abi.Target // nil where there is none
	why     string      // why there is none
	lost    []string    // functions with a syntax error in their heads, of which no places are known

	// Made when a request asks, which is one goroutine.
	table  *resolve.Table
	funcs  []*resolve.Function
	starts []int    // of the items of the module
	spans  []extent // of its functions
}

// newAnalysis reads a text without checking it.
func newAnalysis(uri string, t *text, conf configuration) *analysis {
	a := &analysis{uri: uri, text: t, conf: conf}
	a.outline, _ = ptx.ParseOutline("", t.src)
	a.module = a.outline.Module()
	target, _, err := resolve.Target(a.module, conf.Target, conf.Assume)
	if a.target = target; err != nil {
		a.target, a.why = nil, err.Error()
	}
	a.lost = half.Of(a.module, a.module.Errors).Lost
	return a
}

// Check returns the diagnostics of a text as JSON.
func Check(text []byte) ([]byte, error) {
	_, list := check.Text("", string(text), check.Options{Compile: true, Workers: runtime.GOMAXPROCS(0)})
	return json.Marshal(list)
}

// diagnostics are those of the protocol, and one of the target that is configured and cannot be had.
func (a *analysis) diagnostics() []diagnostic {
	all := []diagnostic{}
	if a.conf.Target != "" && a.target == nil {
		all = append(all, diagnostic{Range: a.text.of(a.module.TargetPos, a.module.TokenEnd(a.module.TargetPos)), Severity: severities[diag.Warning], Code: "BadTarget", Source: "ptxabi", Message: a.why})
	}
	for _, d := range a.list {
		all = append(all, a.diagnostic(d))
	}
	return all
}

func (a *analysis) diagnostic(d *diag.Diagnostic) diagnostic {
	out := diagnostic{Range: a.text.of(d.Pos, d.End), Severity: severities[d.Severity], Code: string(d.Code), Source: "ptxabi", Message: d.Msg}
	if d.Code != "" {
		out.About = &codeLink{explained(out.Code)}
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, related{location{a.uri, a.text.of(r.Pos, r.End)}, r.Msg})
	}
	return out
}

// places returns where a function's values are; ok is false where that is not known.
func (a *analysis) places(f *resolve.Function) (p abi.Assignment, ok bool) {
	if a.target == nil || slices.Contains(a.lost, f.Name) {
		return p, false
	}
	p, list := f.Assign(a.target)
	return p, list.Err() == nil
}

// functions are those of the module.
func (a *analysis) functions() []*resolve.Function {
	if a.funcs == nil {
		a.funcs = slices.Collect(a.symbolTable().Functions())
	}
	return a.funcs
}

// function returns what a name means, nil if no function.
func (a *analysis) function(name string) *resolve.Function {
	for _, f := range a.functions() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// valueLine is a line about a value: "`.param .b32 x` in R4".
func valueLine(f *ptx.Formal, p abi.Placement) string {
	where := p.String()
	if where == "" || p.Loc.Kind == abi.Nowhere {
		where = "no place"
	}
	return fmt.Sprintf("`%s %s`: %s, %s", f.Spec.TypeText(), f.Name, where, sizeOf(p))
}

func sizeOf(p abi.Placement) string { return fmt.Sprintf("%d bytes aligned to %d", p.Size, p.Align) }

// describe is Markdown about a function.
func (a *analysis) describe(f *resolve.Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%v %s**", f.Kind(), f.Name)
	p, ok := a.places(f)
	switch {
	case a.target == nil:
		fmt.Fprintf(&b, ": %s", a.why)
	case !ok:
		fmt.Fprintf(&b, ": no places on %s; the diagnostics say why", a.target.Name)
	default:
		fmt.Fprintf(&b, " on %s, %s\n", a.target.Name, gradeWord(a.target))
		for i := range f.Params {
			fmt.Fprintf(&b, "\n- %s", valueLine(&f.Params[i], p.Params[i]))
		}
		for i := range f.Results {
			fmt.Fprintf(&b, "\n- result %s", valueLine(&f.Results[i], p.Results[i]))
		}
		if p.StackBytes > 0 {
			fmt.Fprintf(&b, "\n- %d bytes of parameters on the stack", p.StackBytes)
		}
		if f.Kind() == resolve.Entry {
			fmt.Fprintf(&b, "\n- a parameter block of %d bytes at c[0x%x][0x%x]", p.Block.Size, p.Block.Bank, p.Block.Base)
		}
	}
	return b.String()
}

// gradeWord says how a target's facts are known.
func gradeWord(t *abi.Target) string {
	if t.AssumedFrom != "" {
		return "assumed as on " + t.AssumedFrom
	}
	return "measured"
}

// placeOf is a place with the bytes that are there: "R6:R7, bytes 0 to 8".
func placeOf(p abi.Placement) string {
	where := p.String()
	if where == "" || p.Loc.Kind == abi.Nowhere {
		return "no place"
	}
	return fmt.Sprintf("%s, bytes 0 to %d", where, p.Size)
}
