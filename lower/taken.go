package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// addressTaken reports whether the module takes the address of a function: by a
// mov, in an initialiser, or in a list of call targets.
func (l *lowerer) addressTaken(name string) bool {
	l.findTaken.Do(func() {
		l.taken = make(map[string]bool)
		var r *ptx.Reader // for few modules
		for _, it := range l.m.Items {
			switch it := it.(type) {
			case *ptx.Decl:
				for i := range it.Vars {
					l.takes(it.Vars[i].Init)
				}
			case *ptx.Func:
				body := it.Body
				if l.heads && !l.takenIn(l.m.BodyText(it)) {
					if r == nil {
						r = new(ptx.Reader)
					}
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

func (l *lowerer) takenBy(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Decl:
		for i := range s.Vars {
			l.takes(s.Vars[i].Init)
		}
	case *ptx.TargetList:
		for i := range s.Names {
			if !s.Branch {
				l.take(s.Names[i].Text)
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
		if name[0] != '%' {
			l.take(name)
		}
	}
}

// take takes note of a function whose address is taken by one of its names.
func (l *lowerer) take(name string) {
	if c := l.table.Lookup(name); c != nil {
		l.taken[c.Func.Name] = true
	}
}

// takenIn does for the text of a body what takenBy does for its statements, in a
// thirtieth of the time of reading it. It reports false where that is not sure: then
// the body has to be read.
func (l *lowerer) takenIn(text string) bool {
	if mayListTargets(text) || mayInitialise(text) {
		return false
	}
	plain := false // there is no comment of several lines
	for at := 0; ; {
		n := indexRare(text[at:], 'v', "mov")
		if n < 0 {
			return true
		}
		start := at + n
		at = start + len("mov")
		for {
			name, end, ok := bareName(text, at)
			if !ok {
				return false
			}
			at = end
			if name == "" {
				break
			}
			if l.taken[name] || l.table.Lookup(name) == nil {
				continue
			}
			plain = plain || !strings.Contains(text, "/*")
			if !plain || text[start+len("mov")] != '.' || !beginsStatement(text[:start]) {
				return false
			}
			l.take(name)
		}
	}
}

// mayListTargets reports whether there may be a list of call targets in the text of a
// body: behind a colon, perhaps with comments between. Colons are rare.
func mayListTargets(text string) bool {
	const far = 512 // bytes of blanks and comments that are passed over
	for {
		n := strings.IndexByte(text, ':')
		if n < 0 {
			return false
		}
		text = text[n+1:]
		rest := text[:min(len(text), far)]
		for {
			for rest != "" && rest[0] <= ' ' {
				rest = rest[1:]
			}
			if !strings.HasPrefix(rest, "//") {
				break
			}
			_, rest, _ = strings.Cut(rest, "\n")
		}
		if rest == "" && len(text) > far || strings.HasPrefix(rest, "/*") || strings.HasPrefix(rest, ".callt") {
			return true
		}
	}
}

// mayInitialise reports whether there may be an initialiser in the text of a body:
// an equals sign that is not one of a comment.
func mayInitialise(text string) bool {
	for {
		n := strings.IndexByte(text, '=')
		if n < 0 {
			return false
		}
		line := text[strings.LastIndexByte(text[:n], '\n')+1 : n]
		before, _, comment := strings.Cut(line, "//")
		if !comment || strings.ContainsAny(before, "\"/") || strings.Contains(text[:n], "/*") {
			return true
		}
		_, text, _ = strings.Cut(text[n:], "\n")
	}
}

// indexRare is strings.Index for a text with one byte that is rare: to look for
// that alone takes a fifth of the time.
func indexRare(text string, rare byte, what string) int {
	in := strings.IndexByte(what, rare)
	for at := 0; ; {
		n := strings.IndexByte(text[at:], rare)
		if n < 0 {
			return -1
		}
		at += n + 1
		if first := at - 1 - in; first >= 0 && text[first] == what[0] && strings.HasPrefix(text[first:], what) {
			return first
		}
	}
}

// bareName returns the first name from at on that does not begin with %, and where
// it ends; "" if there is none up to the semicolon. It is not ok if that may be one
// of a comment or a string.
func bareName(text string, at int) (name string, end int, ok bool) {
	for i := at; i < len(text); {
		c := text[i]
		switch classes[c] {
		case inName:
			start := i
			for i++; i < len(text) && nameByte(text[i]); i++ {
			}
			return text[start:i], i, true
		case percent, dot, digit:
			for i++; i < len(text) && nameByte(text[i]); i++ {
			}
		case quote, slash:
			return "", i, false
		default:
			if c == ';' {
				return "", i, true
			}
			i++
		}
	}
	return "", len(text), false
}

// beginsStatement reports whether it is certain that a statement begins behind a
// text without comments of several lines: on a line of its own, and what is before,
// but for comments and .loc, ends a statement, or is a label or a brace.
func beginsStatement(text string) bool {
	text = strings.TrimRight(text, " \t")
	if !strings.HasSuffix(text, "\n") {
		return false
	}
	for text != "" {
		text = text[:len(text)-1]
		first := strings.LastIndexByte(text, '\n') + 1
		line, _, _ := strings.Cut(text[first:], "//")
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, ".loc"):
			text = text[:first]
			continue
		case strings.IndexByte(line, '"') >= 0:
			return false
		}
		end := line[len(line)-1]
		return end == ';' || end == ':' || line == "{" || line == "}"
	}
	return false
}
