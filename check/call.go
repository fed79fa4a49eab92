package check

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A signature is the formals that a call must fit: those of a function's head or of a
// prototype.
type signature struct {
	name            string
	pos             diag.Pos
	results, params []ptx.Formal
}

// call checks one call, in the order of the assembler: the
// callee, the number of arguments, then each of them.
func (b *bodyCheck) call(call *ptx.Call) {
	reported := len(b.c.list)
	fits := true
	sigs := callees(b, call)
	for k := range sigs {
		b.unknownFormals(" of "+sigs[k].name, sigs[k].params, sigs[k].results)
		if !counts(b, call, &sigs[k]) {
			sigs = nil
			break
		}
	}
	for i := range call.Results {
		sunk(b, call, i, sigs)
		fits = b.holds(&call.Results[i], b.result(i), sigs, i, true) && fits
	}
	for i := range call.Params {
		fits = b.holds(&call.Params[i], b.argument(call, i), sigs, i, false) && fits
	}
	lone(b, call, sigs)
	for _, err := range b.c.list[reported:] {
		onFirstLine(err, call)
		fits = fits && err.Severity != diag.Error
	}
	b.place.call(b, call, fits)
	if fits && len(sigs) > 0 {
		farOnStack(b, sigs[0].params)
	}
}

// farOnStack turns errors about stores far outside of arguments of this call into warnings, if the arguments are on the
// stack: the assembler accepts them, and stores into something else there.
func farOnStack(b *bodyCheck, formals []ptx.Formal) {
	for i := range b.place.far {
		f := &b.place.far[i]
		if f.v == nil || f.call != b.at || f.err.Severity != diag.Error {
			continue
		}
		t, err := abi.Assume("sm_" + strconv.Itoa(b.c.arch))
		if err != nil {
			return
		}
		a, err := abi.Assign(abi.Signature{Params: resolve.Values(formals)}, t)
		if err == nil && f.arg < len(a.Params) && a.Params[f.arg].Loc.Kind == abi.OnStack {
			f.err.Severity = b.c.forbidden()
			f.err.Msg = strings.Replace(f.err.Msg, "the assembler crashes on it", "it goes to other memory of the stack", 1)
		}
	}
}

// holds compares operand i of a call, a result or an argument, whose name means sym, with the formal of each signature, and
// reports whether it fits all. An error of the operand by itself does not count here: the caller looks for errors.
func (b *bodyCheck) holds(o *ptx.Operand, sym *body.Symbol, sigs []signature, i int, result bool) bool {
	fits := o.Kind != ptx.KindName || b.c.named(o.Text).isRegister() || sym != nil && sym.Same == nil // else it is declared twice, or not at all
	if !b.callOperand(o, sym, result) {
		return fits
	}
	for k := range sigs {
		list := sigs[k].params
		if result {
			list = sigs[k].results
		}
		if !b.match(o, sym, &list[i], &sigs[k], result) {
			return false
		}
	}
	if result {
		constantResult(b, o)
	}
	if result && sym != nil && sym.Spec != nil && sym.Spec.Space == ptx.RegSpace && sym.Spec.Type == ptx.B128 {
		b.c.add(diag.Warning, TruncatedQuad, o.Pos, sprintf("releases 12.4 to 13.5 of the assembler put 64 bits of the result alone in %s; return it into a .param variable, and load that with ld.param.v2.b64", o.Text))
	}
	return fits
}

// constantResult reports a constant in the place of a result. The assembler accepts floating-point ones, and crashes
// on integers if it compiles the call.
func constantResult(b *bodyCheck, o *ptx.Operand) {
	switch o.Kind {
	case ptx.KindInt:
		err := b.c.errorf(IllegalOperand, o.Pos, "constant %s is no place for a result; write a register, a .param variable or _: the assembler crashes on it", o.Text)
		b.c.later.ifCompiled = append(b.c.later.ifCompiled, inFunction{b.g, err})
	case ptx.KindFloat:
		b.c.add(b.c.unnamed(), IllegalOperand, o.Pos, sprintf("constant %s is no place for a result, which is lost; write _", o.Text))
	}
}

// onFirstLine moves an error about a call of several lines to the line where the
// assembler reports it: that of the token after the mnemonic.
func onFirstLine(err *diag.Diagnostic, call *ptx.Call) {
	first := call.Pos
	if len(call.Results) == 0 && call.Callee.Pos.Line != first.Line {
		first = call.Callee.Pos
	}
	if err.Severity != diag.Error || err.Pos.Line == first.Line {
		return
	}
	if err.Pos != call.Pos {
		err.Related = append([]diag.Related{{Pos: err.Pos, Msg: "it stands here"}}, err.Related...)
	}
	err.Pos = first
}

// strict reports whether a call certainly follows the ABI: all calls do with -c,
// and calls through registers always.
func (b *bodyCheck) strict(call *ptx.Call) bool {
	return b.c.Compile || call.Proto.Kind != ptx.KindNone
}

// sunk reports a result that is returned in memory and goes to _.
func sunk(b *bodyCheck, call *ptx.Call, i int, sigs []signature) {
	if call.Results[i].Kind != ptx.KindSink || !b.strict(call) {
		return
	}
	for k := range sigs {
		f := &sigs[k].results[i]
		if size := f.Size(); size > inRegisters {
			b.c.add(diag.Warning, AbandonedResult, call.Results[i].Pos, sprintf("_ takes a result of %d bytes; the assembler crashes on some calls of this kind: load a word of it and use it", size))
			return
		}
	}
}

// lone reports a call without arguments that returns in memory.
func lone(b *bodyCheck, call *ptx.Call, sigs []signature) {
	if b.c.Lower || b.c.arch == 0 || !alone(b, call) || !b.strict(call) {
		return
	}
	for k := range sigs {
		for i := range sigs[k].results {
			f := &sigs[k].results[i]
			if size := f.Size(); size > inRegisters && loneCrash(b.c) {
				b.c.add(diag.Warning, LoneResult, call.Pos,
					sprintf("the call has no argument and a result of %d bytes, which is returned in memory; the assembler crashes on such calls for sm_%d: give the function a parameter", size, b.c.arch),
					related(f.Var.Pos, "the result is declared here"))
				return
			}
		}
	}
}

// alone reports whether neither a call nor the function around it has arguments. The assembler crashes on
// results in memory only then.
func alone(b *bodyCheck, call *ptx.Call) bool {
	return len(call.Params) == 0 && (b.Func.Entry || len(b.Func.Params) == 0)
}

// loneCrash reports whether the assembler crashes on such calls for the module's
// architecture.
func loneCrash(c *checker) bool {
	t, err := abi.Assume("sm_" + strconv.Itoa(c.arch))
	return err == nil && t.Passing.CrashOnLoneSret
}

// callees returns the signatures that a call must fit, nil after a diagnostic. They
// are valid until the next call of callees.
func callees(b *bodyCheck, call *ptx.Call) []signature {
	name := call.Callee.Name()
	if sym := b.lookup(name); sym != nil {
		return indirect(b, call, sym)
	}
	g := b.c.program.globals[name]
	switch {
	case call.Callee.Elem != 0, name == "":
		b.c.errorf(IllegalCallee, call.Callee.Pos, "%s cannot be called; write a function or a register", call.Callee.Text)
	case g == nil:
		b.undeclaredCallee(&call.Callee)
	case g.fn == nil:
		if !g.suppressed {
			b.c.add(diag.Error, IllegalCallee, call.Callee.Pos, sprintf("%s is a variable; load the address of the function into a register and call that", name), related(g.pos, "declared here"))
		}
	case g.fn.Entry:
		if g.flawed {
			return nil // a function that is declared a kernel by mistake
		}
		b.c.add(diag.Error, CalledKernel, call.Callee.Pos, sprintf("%s is a kernel; only the host calls kernels", name), related(g.pos, "declared here"))
	default:
		b.c.mention(b.g, g, call.Callee.Pos)
		if g.suppressed {
			return nil
		}
		if !direct(b, call) {
			return nil
		}
		f := g.formals()
		return append(b.one[:0], signature{name, f.NamePos, f.Results, f.Params})
	}
	return nil
}

// direct reports the prototype of a call that names its function.
func direct(b *bodyCheck, call *ptx.Call) bool {
	if call.Proto.Kind == ptx.KindNone {
		return true
	}
	d := b.c.errorf(IllegalCallee, call.Proto.Pos, "the call names function %s, and a prototype or list of targets too, which is for calls through registers; drop %s", call.Callee.Text, call.Proto.Text)
	comma, after := diag.Pos{}, call.Callee.Pos
	for at := after; at.IsValid() && at.Before(call.Proto.Pos); at, after = b.c.find(after, ",") {
		comma = at
	}
	_, to := b.c.find(call.Proto.Pos, call.Proto.Text)
	b.c.fix(d, comma, to, "", "drop "+call.Proto.Text)
	return false
}

// undeclaredCallee reports a function that is not declared before its
// use, once for each name.
func (b *bodyCheck) undeclaredCallee(o *ptx.Operand) {
	name := o.Name()
	if b.partialBody() || b.c.mistakes.undefined[name] {
		b.pass(o.Pos, "%s may be declared by what is not known", name)
		return
	}
	b.c.mistakes.undefined[name] = true
	if later := b.c.declaredLater(name); later != nil {
		b.c.add(diag.Error, UndeclaredCallee, o.Pos, sprintf("%s is used before its declaration; declare it further up", name), related(later.First, "declared here"))
		return
	}
	b.c.errorf(UndeclaredCallee, o.Pos, "%s is declared nowhere; add .extern .func with its formals", name)
}

// indirect returns the signatures of a call through a register.
func indirect(b *bodyCheck, call *ptx.Call, sym *body.Symbol) []signature {
	if sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		b.c.errorf(IllegalCallee, call.Callee.Pos, "%s is neither a function nor a register", call.Callee.Text)
		return nil
	}
	if call.Callee.Elem != 0 {
		b.c.errorf(IllegalCallee, call.Callee.Pos, "%s is an element of a vector; move it into a register of its own", call.Callee.Text)
		return nil
	}
	if s := sym.Spec; s.Vec != 0 || s.Type.Class() != ptx.Integer && s.Type.Class() != ptx.Bits || s.Type.Size() != 4 && s.Type.Size() != 8 {
		b.c.add(diag.Error, IllegalCallee, call.Callee.Pos, sprintf("%s is %s, which holds no address of a function; use .b64", call.Callee.Text, describe(s, sym.Var)), related(sym.Var.Pos, "declared here"))
		return nil
	}
	b.c.need(indirectCalls, call.Pos)
	g := b.g
	if !g.indirect.IsValid() {
		g.indirect = call.Pos
	}
	name := call.Proto.Name()
	if call.Proto.Kind == ptx.KindNone {
		b.c.errorf(MissingPrototype, call.Callee.Pos, "a call through register %s names no prototype; add one after the arguments", call.Callee.Text)
		return nil
	}
	list := b.lookup(name)
	switch {
	case list != nil && list.Proto != nil:
		p := list.Proto
		if len(p.Results) > 1 {
			b.c.results(p.Results, call.Pos, "a call through "+p.Name)
		}
		narrow := hasNarrow(p.Results) || hasNarrow(p.Params)
		if (narrow || len(p.Directives) > 0) && !b.used[p] { // others need no check
			b.used[p] = true
			b.preservedCall(p)
			if narrow {
				g.protos = append(g.protos, p)
				b.c.kept++
			}
		}
		return append(b.one[:0], signature{p.Name, p.Pos, p.Results, p.Params})
	case list != nil && list.Targets != nil && !list.Targets.Branch:
		if _, again := b.targets[list.Targets]; !again {
			b.preservedTargets(call, list.Targets)
		}
		return b.targetsOf(list.Targets)
	}
	return byTable(b, call, list)
}

// maxTargets is how many different signatures of a list of targets a call is
// compared with.
const maxTargets = 8

// targetsOf returns the signatures of a list of targets, without those equal to the first
// one. They are found once for each list.
func (b *bodyCheck) targetsOf(l *ptx.TargetList) []signature {
	out, ok := b.targets[l]
	if ok {
		return out
	}
	var first *ptx.Func
	for i := range l.Names {
		t := b.c.program.globals[l.Names[i].Text]
		if t == nil || t.fn == nil || t.suppressed || len(out) == maxTargets {
			continue
		}
		f := t.formals()
		if first == nil {
			first = f
		} else if differ(first, f, "", "") == "" {
			continue
		}
		out = append(out, signature{t.name, f.NamePos, f.Results, f.Params})
	}
	b.targets[l] = out
	return out
}

// counts compares the numbers of results and arguments. An array without
// extent takes one argument or none.
func counts(b *bodyCheck, call *ptx.Call, s *signature) bool {
	if len(call.Results) == len(s.results) && len(call.Params) == len(s.params) {
		return true
	}
	at := related(s.pos, "%s is declared here", s.name)
	if b.partialBody() && (len(call.Results) != len(s.results) || len(call.Params) != len(s.params)) {
		b.pass(call.Pos, "how many formals %s has is not known", s.name)
		return false // a formal may be among what could not be read
	}
	if len(call.Results) != len(s.results) {
		b.place.leavesResults = b.place.leavesResults || len(call.Results) < len(s.results)
		fix := "collect it, or write _ in its place"
		if len(call.Results) > len(s.results) {
			fix = "drop what is too many"
		}
		b.c.add(diag.Error, WrongCount, call.Pos, sprintf("call takes %s of %s, which has %d; %s", prose.Count(len(call.Results), "result"), s.name, len(s.results), fix), at)
		return false
	}
	n := len(s.params)
	if n > 0 && s.params[n-1].Var.Unsized() && len(call.Params) == n-1 {
		if n > 1 || call.Listed {
			return true
		}
		d := b.c.add(diag.Error, WrongCount, call.Pos, sprintf("call has no list of arguments, and %s takes an array that may be empty; write ()", s.name), at)
		if end := b.c.m.TokenEnd(call.Callee.Pos); call.Proto.Kind == ptx.KindNone {
			b.c.fix(d, end, end, ", ()", "write ()")
		}
		return false
	}
	b.c.add(diag.Error, WrongCount, call.Pos, sprintf("call passes %s to %s, which takes %d", prose.Count(len(call.Params), "argument"), s.name, n), at)
	return false
}

// callOperand checks an operand of a call, whose name means sym, by itself, and reports
// whether it can be compared with a formal.
func (b *bodyCheck) callOperand(o *ptx.Operand, sym *body.Symbol, result bool) bool {
	switch o.Kind {
	case ptx.KindSink:
		if !result {
			b.c.errorf(IllegalOperand, o.Pos, "_ is not an argument; it stands for a result that is not needed")
		}
		return false
	case ptx.KindInt, ptx.KindFloat:
		return true
	case ptx.KindName:
	default:
		b.c.errorf(IllegalOperand, o.Pos, "%s is not an operand of a call; pass a register, a .param variable or a constant", o.Text)
		return false
	}
	if o.Elem != 0 {
		b.c.errorf(IllegalOperand, o.Pos, "%s is an element of a vector; move it into a register of its own", o.Text)
		return false
	}
	what := "argument"
	if result {
		what = "result"
	}
	if sym == nil {
		if g := b.c.named(o.Text); ofModule(b, g, o) {
			return false
		} else if g != nil && !g.suppressed {
			b.c.add(diag.Error, WrongSpace, o.Pos, sprintf("%s is no %s; move its address into a register and pass that", o.Text, what), related(g.pos, "declared here"))
		} else if g == nil && special(o.Text) {
			b.c.errorf(IllegalOperand, o.Pos, "special register %s is no %s; move it into a register", o.Text, what)
		} else if g == nil {
			b.undeclared(o.Text, o.Pos)
		}
		return false
	}
	switch {
	case sym.Var == nil:
		b.c.errorf(IllegalOperand, o.Pos, "%s is no %s; pass a register, a .param variable or a constant", o.Text, what)
	case sym.Spec.Space == ptx.RegSpace:
		return true
	case sym.Spec.Space != ptx.ParamSpace:
		b.c.add(diag.Error, WrongSpace, o.Pos, sprintf("%s is in %s space; move its address into a register and pass that", o.Text, sym.Spec.Space), related(sym.Var.Pos, "declared here"))
	case sym.Role != body.Local:
		b.c.add(diag.Error, PassedFormal, o.Pos, sprintf("%s is a formal of %s and cannot be passed on; copy it with ld.param and st.param into a local .param", o.Text, clip(b.Func.Name)), related(sym.Var.Pos, "declared here"))
	default:
		return true
	}
	return false
}

// A callTable is a table of functions that calls name in place of a list of targets:
// a variable of the module or of a body.
type callTable struct {
	list *ptx.TargetList // nil if it is none
	sigs []signature
}

// byTable returns the signatures of a call that names a variable in place of a prototype, whose name means sym in
// the body. It reports a variable that is not a table of functions.
func byTable(b *bodyCheck, call *ptx.Call, sym *body.Symbol) []signature {
	name := call.Proto.Name()
	var t *callTable
	switch g := b.c.program.globals[name]; {
	case sym != nil && sym.Var != nil:
		if t = b.varTables[sym.Var]; t == nil {
			t = b.callTable(call, resolve.CallTable(sym.Spec, sym.Var))
			b.varTables[sym.Var] = t
		}
	case sym == nil && g != nil && g.decl != nil:
		if t = b.c.program.tables[name]; t == nil {
			t = b.callTable(call, b.c.names.CallTable(name))
			b.c.program.tables[name] = t
		}
	case b.partialBody():
		b.pass(call.Proto.Pos, "%s may be declared by what is not known", call.Proto.Text)
	default:
		b.c.errorf(UnknownPrototype, call.Proto.Pos, "%s is not a prototype that is declared before this call; declare it further up in this function", call.Proto.Text)
		return nil
	}
	if t == nil || t.list == nil {
		if !b.partialBody() {
			b.c.errorf(UnknownPrototype, call.Proto.Pos,
				"%s is a variable and no table of functions, which is an array of .u64 in .global or .const space whose initial values are functions, all of them; write a prototype", call.Proto.Text)
		}
		return nil
	}
	return t.sigs
}

// callTable makes a table of the functions in an initialiser; one without a list if l is nil or has other names.
func (b *bodyCheck) callTable(call *ptx.Call, l *ptx.TargetList) *callTable {
	if l == nil {
		return &callTable{}
	}
	for i := range l.Names {
		g := b.c.program.globals[l.Names[i].Text]
		if g == nil || g.fn == nil {
			return &callTable{}
		}
		b.c.mention(b.g, g, call.Proto.Pos)
		if g.fn.Entry {
			b.c.forbidf(CalledKernel, call.Proto.Pos, "%s, in table %s, is a kernel; a table of call targets has functions", g.name, l.Name)
		}
	}
	b.preservedTargets(call, l)
	return &callTable{l, b.targetsOf(l)}
}
