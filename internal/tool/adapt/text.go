package adapt

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A Head is what stands at the beginning of a module.
type Head struct {
	Version ptx.Version
	Target  string // "sm_75"
	// Assumed is the target whose facts stand for those of Target; "" where those are known.
	Assumed string
}

// Text returns a module with the shim in it: the same bytes for the same shim. It must
// have been returned by this package without errors.
func (s *Shim) Text(h Head) []byte { return Module(h, s) }

// Module returns a module with several shims in it, as [Shim.Text] does for one.
func Module(h Head, shims ...*Shim) []byte {
	var out []byte
	for i, s := range shims {
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, s.text(h, i == 0)...)
	}
	return out
}

// text is a shim, with what stands at the beginning of a module where it is the first.
func (s *Shim) text(h Head, first bool) []byte {
	w := &writer{s: s, names: map[string]bool{s.Name: true, s.Callee.Name: true}, memory: map[int]string{}, pointers: map[int]string{}}
	w.line("//")
	for _, l := range s.Head {
		w.line("%s", strings.TrimRight("// "+l, " "))
	}
	w.line("//")
	w.line("// The callee is in another module: ptxas -c assembles this one, and ptxabi check -c checks it.")
	w.line("//")
	w.line("")
	if first {
		w.line(".version %d.%d", h.Version.Major, h.Version.Minor)
		w.line(".target %s", h.Target)
		if h.Assumed != "" {
			w.line("// %s has not been measured: its facts are assumed, taken over from %s", h.Target, h.Assumed)
		}
		w.line(".address_size 64")
		w.line("")
	}
	w.line("// The callee, as it was compiled.")
	w.head(".extern", s.Callee, s.Callee.Name, w.formalNames(s.Callee, s.Callee.Name))
	w.b.WriteString(";\n\n")
	w.line("// The shim, as its callers declare it.")
	w.own = w.formalNames(s.Caller, s.Name)
	w.head(".visible", s.Caller, s.Name, w.own)
	w.b.WriteString("\n{\n")
	w.body()
	w.line("}")
	return w.b.Bytes()
}

// A writer writes the text of a shim.
type writer struct {
	s     *Shim
	b     bytes.Buffer    // everything but the body
	code  bytes.Buffer    // the statements of the body
	names map[string]bool // that the module has already
	own   []string        // the shim's formals, the result last

	args     []string // of the call
	ret      string
	memory   map[int]string // registers with the addresses in local memory that the callee's parameters are given
	pointers map[int]string // registers with addresses that the caller passes

	r, rd int // registers so far
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *writer) stmt(format string, args ...any) { fmt.Fprintf(&w.code, "\t"+format+"\n", args...) }

// fresh returns a name that nothing else in the module has.
func (w *writer) fresh(name string) string {
	for w.names[name] {
		name += "_"
	}
	w.names[name] = true
	return name
}

// formalNames returns names for the formals of f, the result's last.
func (w *writer) formalNames(f *ptx.Func, name string) []string {
	var out []string
	for i := range f.Params {
		out = append(out, w.fresh(fmt.Sprintf("%s_param_%d", name, i)))
	}
	return append(out, w.fresh(name+"_retval"))
}

// formal returns the declaration of a formal under a name.
func formal(f *ptx.Formal, name string) string {
	var b strings.Builder
	b.WriteString(".param ")
	if f.Align != 0 {
		fmt.Fprintf(&b, ".align %d ", f.Align)
	}
	b.WriteString(f.Type.String() + " " + name)
	for _, d := range f.Dims {
		fmt.Fprintf(&b, "[%d]", d)
	}
	return b.String()
}

// head writes the declaration of a function up to its body or semicolon.
func (w *writer) head(linkage string, f *ptx.Func, name string, formals []string) {
	w.b.WriteString(linkage + " .func ")
	if len(f.Results) == 1 {
		fmt.Fprintf(&w.b, "(%s) ", formal(&f.Results[0], formals[len(f.Params)]))
	}
	w.b.WriteString(name + " (")
	for i := range f.Params {
		p := &f.Params[i]
		w.b.WriteString("\n\t" + formal(p, formals[i]))
		if i < len(f.Params)-1 {
			w.b.WriteByte(',')
		}
		if p.Name != formals[i] && p.Name != "" {
			w.b.WriteString(" // " + p.Name)
		}
	}
	if len(f.Params) > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteByte(')')
	for _, d := range f.Directives {
		w.b.WriteString(" " + d.Name)
	}
}

// body writes what stands between the braces.
func (w *writer) body() {
	s := w.s
	for i := range s.Callee.Params {
		if m, ok := s.Memory[i]; ok { // its address in local memory
			name := w.fresh(fmt.Sprintf("memory%d", i))
			w.line("\t.local .align %d .b8 %s[%d];", m.Align, name, m.Size)
			w.memory[i] = w.reg(8)
			w.stmt("mov.b64 %s, %s;", w.memory[i], name)
		}
	}
	for i := range s.Callee.Params {
		w.args = append(w.args, w.fresh(fmt.Sprintf("arg%d", i)))
	}
	w.ret = w.fresh("ret")

	var in, results, rest []*Move
	for i := range s.Moves {
		switch m := &s.Moves[i]; {
		case !m.out():
			in = append(in, m)
		case !m.IsConst && m.From.Formal == ResultFormal:
			results = append(results, m)
		default:
			rest = append(rest, m)
		}
	}
	out := slices.Concat(results, rest) // results are loaded right after the call
	loaded := w.load(in)
	for _, l := range loaded {
		if l.m.To.Deref {
			w.store(l)
		}
	}
	w.stmt("{")
	for i, arg := range w.args {
		w.stmt("%s;", formal(&s.Callee.Params[i], arg))
	}
	taken := s.Trap || len(results) > 0
	if taken {
		w.stmt("%s;", formal(&s.Callee.Results[0], w.ret))
	}
	for i := range s.Callee.Params {
		if name, ok := w.memory[i]; ok {
			reg := w.reg(8)
			w.stmt("cvta.local.u64 %s, %s;", reg, name)
			w.stmt("st.param.b64 [%s], %s; // the address of memory that the shim has", w.args[i], reg)
			continue
		}
		for _, l := range loaded {
			if !l.m.To.Deref && l.m.To.Formal == i {
				w.store(l)
			}
		}
		w.pad(&s.Callee.Params[i], in, Place{Side: Callee, Formal: i})
	}
	result := ""
	switch {
	case taken:
		result = "(" + w.ret + "), "
	case len(s.Callee.Results) == 1:
		result = "(_), " // nothing wants it
	}
	w.stmt("call %s%s, (%s);", result, s.Callee.Name, strings.Join(w.args, ", "))
	if s.Trap {
		reg := w.reg(4)
		w.stmt("ld.param.b32 %s, [%s];", reg, w.ret)
		w.stmt("setp.ne.u32 %%p0, %s, 0; // a status that is neither 0 nor -2 is an exception", reg)
		w.stmt("setp.ne.and.u32 %%p1, %s, %d, %%p0;", reg, uint32(numbaNone))
		w.stmt("@%%p1 trap;")
	}
	loaded = w.load(out)
	w.stmt("}")
	for _, l := range loaded {
		w.store(l)
	}
	if len(s.Caller.Results) == 1 {
		w.pad(&s.Caller.Results[0], out, Place{Side: Caller, Formal: ResultFormal})
	}
	w.stmt("ret;")

	if s.Trap {
		w.line("\t.reg .pred %%p<2>;")
	}
	if w.r > 0 {
		w.line("\t.reg .b32 %%r<%d>;", w.r)
	}
	if w.rd > 0 {
		w.line("\t.reg .b64 %%rd<%d>;", w.rd)
	}
	w.line("")
	w.b.Write(w.code.Bytes())
}

// reg returns a new register of 4 bytes, or of 8.
func (w *writer) reg(size int64) string {
	if size == 8 {
		w.rd++
		return "%rd" + strconv.Itoa(w.rd-1)
	}
	w.r++
	return "%r" + strconv.Itoa(w.r-1)
}
