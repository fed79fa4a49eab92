package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// What the note of a call says of the convention, which binds code that is
// compiled for separate linking, with -c. There the assembler was seen to keep
// to it in all calls, but for scratch registers of which it knows that a callee
// in the module does not use them; only calls of what is not defined in the
// module, or reached through a pointer, leave it no choice. Without -c there are
// no externs; a function whose address is taken kept its places, while the calls
// were relative ones; a visible function is the assembler's own affair like any
// other ("Without -c" in docs/abi.md).
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
	l.findTaken.Do(func() {
		l.taken = make(map[string]bool)
		var r ptx.Reader
		for _, it := range l.m.Items {
			switch it := it.(type) {
			case *ptx.Decl:
				for i := range it.Vars {
					l.takes(it.Vars[i].Init)
				}
			case *ptx.Func:
				body := it.Body
				if l.heads && l.mayTake(l.m.BodyText(it)) {
					body, _ = r.Reread(l.m, it) // what is wrong with it says who lowers it
				}
				for _, s := range body {
					l.takenBy(s)
				}
			}
		}
	})
	return l.taken[name]
}

// mayTake reports whether there may be something for takenBy in the text of a
// body: a list of targets, or the name of a function between "mov" or "=" and the
// semicolon. Looking for that takes a twentieth of the time of reading the body.
func (l *lowerer) mayTake(text string) bool {
	return strings.Contains(text, ".calltargets") || l.namesBehind(text, "mov") || l.namesBehind(text, "=")
}

func (l *lowerer) namesBehind(text, what string) bool {
	for {
		i := strings.Index(text, what)
		if i < 0 {
			return false
		}
		text = text[i+len(what):]
		operands, ok := upToSemicolon(text)
		if !ok {
			return true
		}
		names := identifiers{text: operands}
		for name := names.next(); name != ""; name = names.next() {
			if name[0] != '%' && l.table.Lookup(name) != nil {
				return true
			}
		}
		text = text[len(operands):] // what is behind another of these in there is looked at
	}
}

// upToSemicolon returns text up to its first semicolon. It reports false if that
// may be one of a comment or a string.
func upToSemicolon(text string) (string, bool) {
	if n := strings.IndexByte(text, ';'); n >= 0 {
		text = text[:n]
	}
	rest := text
	for {
		i := strings.IndexAny(rest, `/"`)
		switch {
		case i < 0:
			return text, true
		case !strings.HasPrefix(rest[i:], "//"):
			return "", false
		}
		n := strings.IndexByte(rest[i:], '\n')
		if n < 0 {
			return "", false
		}
		rest = rest[i+n:]
	}
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

// endless reports whether a function never returns. It saves no preserved
// register but those of the return address, as was measured.
func endless(f *ptx.Func) bool { return f.Directive(".noreturn") != nil }
