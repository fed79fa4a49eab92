package check

import (
	"errors"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// The directives that tell which registers a call preserves. They are part of a
// function's type.
const (
	preserveName = resolve.PreserveName
	controlName  = ".abi_preserve_control"
)

// The largest numbers that the assembler accepts, as measured.
const (
	mostPreserved = 237 // of a function that is compiled
	mostDeclared  = 239 // of one that nothing calls, and without -c of all
	mostWritten   = 255 // of a prototype that nothing calls through
	mostControl   = 11
)

// funcDirective reports whether a directive is one of functions and prototypes.
func funcDirective(name string) bool {
	return name == ".noreturn" || name == preserveName || name == controlName
}

// firstOf reports a directive before the i-th that is the same, or that must
// stand after it. It returns whether there is none.
func (c *checker) firstOf(list []ptx.Directive, i int, what string) bool {
	d := &list[i]
	for k := range list[:i] {
		switch name := list[k].Name; {
		case name == d.Name:
			err := c.add(diag.Error, RepeatedDirective, d.Pos, sprintf("%s stands twice on %s; remove one", d.Name, what), related(list[k].Pos, "the other one is here"))
			if list[k].Args == d.Args {
				c.fixDirective(err, d)
			}
			return false
		case d.Name == ".noreturn" && (name == preserveName || name == controlName):
			c.errorf(MisplacedDirective, d.Pos, ".noreturn stands after %s on %s; the assembler wants it before", name, what)
			return false
		}
	}
	return true
}

// preserving checks a directive about registers, the i-th of a head or a prototype.
func (c *checker) preserving(list []ptx.Directive, i int, what string, proto bool) {
	d := &list[i]
	if !c.firstOf(list, i, what) || d.Args == "" { // the number could not be read
		return
	}
	n, most := resolve.Preserve(d).N, mostDeclared
	switch {
	case d.Name == controlName:
		most = mostControl
	case proto:
		most = mostWritten
	}
	if n < 0 || n > most {
		if d.Name == preserveName {
			most = mostPreserved
		}
		c.errorf(IllegalPreserve, d.Pos, "%s %s on %s; the assembler takes 0 to %d", d.Name, d.Args, what, most)
	}
}

// preserved checks that a function or a prototype with .abi_preserve has registers for all its values, which are
// above the registers that it preserves. If it preserves very many, none are left for the return address; the assembler
// reports that only if it compiles the function, with -c.
func (c *checker) preserved(d *ptx.Directive, s abi.Signature, what string, compiled bool) {
	n := s.Preserve.N
	if n < 0 || n > mostWritten {
		return // reported
	}
	if n > mostPreserved && c.Compile && compiled {
		c.errorf(IllegalPreserve, d.Pos, "%s %d on %s leaves no registers for the return address; %d is the most", d.Name, n, what, mostPreserved)
		return
	}
	t, err := abi.Assume("sm_" + sprintf("%d", c.arch))
	if err != nil || t.Passing.Preserving.Most == 0 || n+keptWords(s) == mostPreserved && keptWords(s)%4 == 0 {
		return // the assembler uses the last registers too
	}
	s.Preserve.N = min(n, mostPreserved)
	var list abi.ErrorList
	if _, err = abi.Assign(s, t); !errors.As(err, &list) {
		return
	}
	for _, e := range list {
		if e.Param < 0 {
			c.errorf(IllegalPreserve, d.Pos, "%s: %s; keep other registers, or pass fewer words", what, e.Msg)
			return
		}
	}
}

// keptWords returns the words that the values of a function with .abi_preserve take:
// its parameters as a record, or its result if that is larger.
func keptWords(s abi.Signature) int {
	words, result := 0, 0
	for _, v := range s.Params {
		a := max(v.Align/4, 1)
		words = (words+a-1)/a*a + (v.Size+3)/4
	}
	for _, v := range s.Results {
		result = (v.Size + 3) / 4
	}
	return max(words, result)
}

// preservedHead checks the directive of a head, once all calls are known.
func preservedHead(c *checker, g *global) {
	f := g.formals()
	if d := f.Directive(preserveName); d != nil && !f.Entry && !g.suppressed && !c.mistakes.anyBad(f.Results, f.Params) && !c.mistakes.needed[preserveName] {
		c.preserved(d, resolve.NewFunction(nil, f).Signature(), "function "+g.name, f.HasBody || g.called.IsValid())
	}
}

// preservedCall checks the prototype of a call, once.
func (b *bodyCheck) preservedCall(p *ptx.Prototype) {
	if d := p.Directive(preserveName); d != nil && !b.c.mistakes.anyBad(p.Results, p.Params) && !b.c.mistakes.needed[preserveName] {
		b.c.preserved(d, resolve.NewPrototype(nil, p).Signature(), "prototype "+p.Name, true)
	}
}

// preservedTargets reports the first call by a list of functions of which one has a directive about registers. The
// assembler compiles such calls for functions without the directives, and then refuses the others.
func (b *bodyCheck) preservedTargets(call *ptx.Call, l *ptx.TargetList) {
	for i := range l.Names {
		g := b.c.program.globals[l.Names[i].Text]
		if g == nil || g.fn == nil || g.suppressed {
			continue
		}
		for _, name := range [...]string{preserveName, controlName} {
			if d := g.formals().Directive(name); d != nil && !b.c.mistakes.needed[name] {
				b.c.add(diag.Error, PreservedTarget, call.Callee.Pos, sprintf("%s is among the targets %s of this call and has %s %s, which the assembler lets no call by a list of targets have; call through a prototype that has it",
					g.name, l.Name, d.Name, d.Args), related(d.Pos, "it stands here"))
				return
			}
		}
	}
}

// keepDiffers returns the difference of two declarations of a function in the registers that they preserve, in words; "" if
// there is none.
func keepDiffers(a, b *ptx.Func) string {
	for _, name := range [...]string{preserveName, controlName} {
		x, y := a.Directive(name), b.Directive(name)
		switch {
		case x == nil && y == nil:
		case x == nil:
			return sprintf("%s %s here, none before", name, y.Args)
		case y == nil:
			return sprintf("no %s here, %s before", name, x.Args)
		case resolve.Preserve(x) != resolve.Preserve(y):
			return sprintf("%s %s here, %s before", name, y.Args, x.Args)
		}
	}
	return ""
}
