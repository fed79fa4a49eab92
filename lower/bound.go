package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// What the note of a call says of the convention. It binds calls of functions
// that others may call too, in ways that nobody sees at the call: those that are
// not defined in the module, and those reached through a pointer. The assembler
// is free to pass arguments of the others as it likes, once it knows that it sees
// all calls: of functions that other modules can see only without -c. With -c it
// was seen to keep to the convention there too, but for scratch registers of
// which it knows that the callee does not use them.
const (
	boundExtern    = "convention binds: extern"
	boundPrototype = "convention binds: prototype"
	boundTargets   = "convention binds: list of targets"
	boundAddress   = "convention binds: address taken"
	boundVisible   = "convention binds with separate compilation"
	freeLocal      = "local function: the assembler may differ"
)

// binding returns the note of a call.
func (fn *fn) binding(s *site) string {
	switch {
	case s.reg && s.targets:
		return boundTargets
	case s.reg:
		return boundPrototype
	}
	c := fn.table.Lookup(s.name)
	switch {
	case c == nil || !c.Func.HasBody:
		return boundExtern
	case fn.addressTaken(s.name):
		return boundAddress
	case c.Func.Linkage != ptx.NoLinkage:
		return boundVisible
	}
	return freeLocal
}

// addressTaken reports whether the module takes the address of a function: by a
// mov, in an initialiser, or in a list of call targets.
func (l *lowerer) addressTaken(name string) bool {
	if l.taken == nil {
		l.taken = make(map[string]bool)
		for _, it := range l.m.Items {
			switch it := it.(type) {
			case *ptx.Decl:
				for i := range it.Vars {
					l.takes(it.Vars[i].Init)
				}
			case *ptx.Func:
				for _, s := range it.Body {
					l.takenBy(s)
				}
			}
		}
	}
	return l.taken[name]
}

func (l *lowerer) takenBy(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Decl:
		for i := range s.Vars {
			l.takes(s.Vars[i].Init)
		}
	case *ptx.TargetList:
		for i := range s.Names {
			if !s.Branch {
				l.taken[s.Names[i].Text] = true
			}
		}
	case *ptx.Instr:
		if strings.HasPrefix(s.Op, "mov") {
			l.takes(s.Args)
		}
	}
}

// takes takes note of the functions that a text names.
func (l *lowerer) takes(text string) {
	names := identifiers{text: text}
	for name := names.next(); name != ""; name = names.next() {
		if name[0] != '%' && l.table.Lookup(name) != nil {
			l.taken[name] = true
		}
	}
}

// noReturn reports whether a call does not come back once it is made.
func (fn *fn) noReturn(c *ptx.Call) bool {
	if c.Proto.Kind != ptx.KindNone {
		sym := fn.scope.Lookup(c.Proto.Name())
		return sym != nil && sym.Proto != nil && sym.Proto.Directive(".noreturn") != nil
	}
	f := fn.table.Lookup(c.Callee.Name())
	return f != nil && endless(f.Func)
}

// plain reports whether a function keeps the target's preserved registers, and
// complains of one that .abi_preserve gives others: they move the return
// address, which callers, frames and returns here do not follow.
func (fn *fn) plain(d *ptx.Directive, name string) bool {
	if d == nil {
		return true
	}
	fn.cannot(d.Pos, "%s has .abi_preserve %s, which moves the return address; leave the directive out", name, d.Args)
	return false
}

// endless reports whether a function never returns. It saves no preserved
// register but those of the return address, as was measured.
func endless(f *ptx.Func) bool { return f.Directive(".noreturn") != nil }
