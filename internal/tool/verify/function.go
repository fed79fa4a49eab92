package verify

import (
	"debug/elf"
	"fmt"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
)

// A SourceFunc is a device function that the source defines or declares.
type SourceFunc struct {
	Name string
	Line int
	// Alias is the function that it is another name of; "" of all others.
	Alias string
	// Declared says that it is defined elsewhere.
	Declared bool
	// Kept says that every cubin of the module has it: it is visible to others.
	Kept    bool
	Locals  int // bytes of .local variables
	Formals *Formals
}

// Formals are the results and parameters of a device function.
type Formals struct {
	Results []Formal `json:"results"`
	Params  []Formal `json:"params"`
}

// A Formal is one of them.
type Formal struct {
	Name string `json:"name,omitempty"` // of the source
	Type string `json:"type,omitempty"` // of the source
	// Element is what a cubin records of it, as [cubin.Prototype] has it: "i",
	// "b16". Empty: of this type no cubin was seen.
	Element string `json:"element"`
	Size    int    `json:"size"` // bytes; 0 of an array without extent

	words string // of a recorded one: as PTX would have it
}

// A Function is a device function of either side.
type Function struct {
	Name      string `json:"name"`
	Line      int    `json:"line,omitempty"`
	Status    Status `json:"status"`
	Declared  bool   `json:"declared,omitempty"` // in the source, which does not define it
	Alias     string `json:"alias,omitempty"`    // the function of the source that it is another name of
	Helper    bool   `json:"helper,omitempty"`   // the assembler's own, as [isa.Helper] tells
	Registers int    `json:"registers"`          // -1: not recorded
	Frame     int    `json:"frame"`              // bytes; -1: not recorded
	// Least is the smallest frame that holds what the function's calls need, in
	// bytes; 0 where the cubin does not show a call that needs any.
	Least  int      `json:"leastFrame"`
	Locals int      `json:"locals"`           // bytes of .local variables of the source
	Source *Formals `json:"source,omitempty"` // nil: there are none
	Cubin  *Formals `json:"cubin,omitempty"`  // nil: nothing is recorded
	First  int      `json:"first"`            // number of the first parameter that differs, -1: none does
	// As is what the compiler has made of a function that it has left out, "" where
	// that does not show.
	As string `json:"as,omitempty"`
	// Msg is the first of the differences in words.
	Msg         string       `json:"message,omitempty"`
	Differences []Difference `json:"differences"`
}

// kept reports whether every cubin of a module has a function of it.
func kept(f *ptx.Func) bool {
	return f.HasBody && (f.Linkage == ptx.Visible || f.Linkage == ptx.Weak)
}

func formals(list []ptx.Formal) []Formal {
	out := []Formal{}
	for i := range list {
		f := &list[i]
		one := Formal{Name: f.Name, Type: typeOf(f), Size: f.Size()}
		if e := element(&f.Spec); e != 0 {
			v := cubin.ProtoValue{Element: e, Count: -1}
			if n := f.Spec.ElemSize(); f.Var.Unsized() {
				v.Count = 0
			} else if len(f.Dims) > 0 {
				v.Count = one.Size / n
			}
			one.Element = v.String()
		}
		out = append(out, one)
	}
	return out
}

// element is the letter of an element in a cubin's prototypes, 0 where none is
// known.
func element(s *ptx.Spec) byte {
	switch {
	case s.Vec == 0 && s.Type == ptx.F32:
		return 'f'
	case s.Vec == 0 && s.Type == ptx.F64:
		return 'd'
	}
	return map[int]byte{1: 'b', 2: 'h', 4: 'i', 8: 'l', 16: 'x'}[s.ElemSize()]
}

// recorded are the formals that a cubin records of a function, nil where it
// records none or in an unknown way.
func recorded(f *compiled, name string) *Formals {
	p := f.Prototype(name)
	if p == nil {
		return nil
	}
	results, params, ok := p.Values()
	if !ok {
		return nil
	}
	list := func(all []cubin.ProtoValue) []Formal {
		out := []Formal{}
		for _, v := range all {
			out = append(out, Formal{Element: v.String(), Size: v.Size(), words: v.Words()})
		}
		return out
	}
	return &Formals{Results: list(results), Params: list(params)}
}

func (out *Function) add(what string, param, source, compiled int, format string, args ...any) {
	out.Status = Differs
	if param >= 0 && (out.First < 0 || param < out.First) {
		out.First = param
	}
	d := Difference{What: what, Param: param, Source: source, Cubin: compiled, Msg: fmt.Sprintf(format, args...)}
	if out.Msg == "" {
		out.Msg = d.Msg
	}
	out.Differences = append(out.Differences, d)
}

// function compares a device function with its compiled form. It is false for
// a declaration that the cubin shows nothing of.
func (r *Report) function(fn SourceFunc, f *compiled, s *Source) (Function, bool) {
	out := Function{
		Name: fn.Name, Line: fn.Line, Status: Same, Declared: fn.Declared, Registers: -1, Frame: -1, First: -1,
		Alias: fn.Alias, Locals: fn.Locals, Cubin: recorded(f, fn.Name), Differences: []Difference{},
	}
	have := f.Func(fn.Name)
	if !fn.Kept && !fn.Declared && fn.Alias == "" { // local: others of that name are other modules'
		have, out.Cubin = nil, nil
		for i := range f.Functions {
			switch one := &f.Functions[i]; {
			case one.Name != fn.Name || one.Binding != elf.STB_LOCAL:
			case have != nil: // which of them it is nothing says
				return out, true
			default:
				have = one
			}
		}
	}
	switch {
	case have == nil && fn.Declared && out.Cubin == nil:
		return out, false
	case have == nil && fn.Kept && !f.Linked:
		out.add("function", -1, 0, 0, "not here; it stands in %s:%d", s.Name, fn.Line)
		out.Status = OnlyInSource
		return out, true
	case have == nil && !fn.Declared:
		out.Status, out.As = Absent, f.copies[fn.Name]
		return out, true
	}
	if out.Cubin != nil {
		out.Source = fn.Formals
		out.formals(s.Name)
	}
	if have == nil {
		return out, true
	}
	if is := r.aliasee(f, have); is != fn.Alias {
		out.alias(is, fmt.Sprintf("%s:%d", s.Name, fn.Line))
	}
	out.Registers, out.Frame = have.Regs, have.FrameSize
	frame := &s.Target.Frame
	switch {
	case have.Kernel:
		out.add("function", -1, 0, 0, "a kernel here, a function in %s:%d", s.Name, fn.Line)
		return out, true
	case frame.Round > 0 && have.FrameSize > 0 && have.FrameSize%frame.Round != 0:
		out.add("frame", -1, frame.Round, have.FrameSize,
			"a frame of %d bytes, frames on %s are multiples of %d", have.FrameSize, s.Target.Name, frame.Round)
	}
	out.Least = s.frame(f, have, out.add)
	return out, true
}

// formals finds what the linker would tell apart. Alignment is not recorded.
func (out *Function) formals(source string) {
	a, b := out.Source, out.Cubin
	compare := func(role string, index int, a, b *Formal) {
		where := fmt.Sprintf("parameter %d (%s)", index, a.Name)
		if role == "result" {
			where, index = fmt.Sprintf("the result (%s)", a.Name), -1
		}
		switch {
		case a.Element == b.Element || a.Element == "":
		case a.Size != b.Size:
			out.add(role, index, a.Size, b.Size, "%s has %s, %d in %s", where, bytes(b.Size), a.Size, source)
		default:
			out.add("type", index, a.Size, b.Size, "%s is %s, %s in %s", where, b.words, a.Type, source)
		}
	}
	if n, m := len(a.Results), len(b.Results); n != m {
		out.add("result", -1, n, m, "%s, %d in %s", prose.Count(m, "result"), n, source)
	}
	for i := range min(len(a.Results), len(b.Results)) {
		compare("result", i, &a.Results[i], &b.Results[i])
	}
	for i := range min(len(a.Params), len(b.Params)) {
		compare("size", i, &a.Params[i], &b.Params[i])
	}
	if n, m := len(a.Params), len(b.Params); n != m {
		out.add("count", min(n, m), n, m, "%s, %d in %s", prose.Count(m, "parameter"), n, source)
	}
}
