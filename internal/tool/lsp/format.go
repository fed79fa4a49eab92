package lsp

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// formatting is what changes the blanks at the beginning, the end and in the middle of lines, where those are not as
// formatted has them. Everything else stays: tokens, comments and line ends.
func (a *analysis) formatting(p *params) any {
	unit := "\t"
	if p.Options.InsertSpaces {
		unit = strings.Repeat(" ", min(max(p.Options.TabSize, 1), 16))
	}
	edits := []textEdit{}
	var raws []stretch
	for _, it := range a.module.Items {
		if r, ok := it.(*ptx.Raw); ok {
			from := a.text.where(r.Pos)
			raws = append(raws, stretch{from, from + len(r.Text)})
		}
	}
	formatted(a.text, unit, raws, func(from, to int, line string) {
		if a.text.src[from:to] != line {
			edits = append(edits, textEdit{span{a.text.at(from), a.text.at(to)}, line})
		}
	})
	return edits
}

// A stretch is a part of a text.
type stretch struct{ from, to int }

// maxIndent bounds the indentation: text stays linear in the input.
const maxIndent = 16

// formatted calls visit for each line, without its end, with what it is once formatted: a statement is indented by one
// unit for each block around it and a label by one less; a line that goes on with a statement, or stands in
// parentheses, by one more. Blanks between two tokens of a line become one, but those before a comment. What is no PTX, such as the contents of a
// section, stays.
func formatted(t *text, unit string, raws []stretch, visit func(from, to int, line string)) {
	c := classifier{t: t, start: true}
	parens := 0
	var out []byte
	next, ok := t.next(0)
	for n, from := range t.lines {
		line := t.line(n)
		to := from + len(line)
		if len(raws) > 0 && to > raws[0].from {
			visit(from, to, line)
			if end := raws[0].to; to >= end {
				raws = raws[1:]
				next, ok = t.next(max(end, to))
				c = classifier{t: t, start: true}
			}
			continue
		}
		if !ok || next.from > to || strings.HasPrefix(line, "\ufeff") && next.from < from {
			if blankLine(line) {
				visit(from, to, "")
			}
			continue
		}
		if next.from < from { // within a comment of several lines, which stays as it is
			var same bool
			if same = next.to > to; !same {
				next, ok = t.next(next.to)
			}
			if same || !ok || next.from > to { // nothing after it on its last line
				visit(from, to, line)
				continue
			}
			out = append(out[:0], t.src[from:next.from]...)
		} else {
			out = append(out[:0], line[:len(line)-len(strings.TrimPrefix(line, "\ufeff"))]...)
			for range min(c.indentation(next, parens), maxIndent) {
				out = append(out, unit...)
			}
		}
		endsInComment := false
		for end := next.from; ok && next.from < to; {
			if gap := t.src[end:next.from]; gap != "" {
				if next.kind == tokComment {
					out = append(out, gap...)
				} else {
					out = append(out, ' ')
				}
			}
			if c.class(next); next.kind == tokPunct {
				switch t.src[next.from] {
				case '(':
					parens++
				case ')':
					parens = max(parens-1, 0)
				case ';':
					parens = 0
				}
			}
			if end = next.to; end > to { // a comment goes on in the next line
				out = append(out, t.src[next.from:to]...)
				break
			}
			out = append(out, t.src[next.from:end]...)
			endsInComment = strings.HasPrefix(t.src[next.from:], "//")
			next, ok = t.next(end)
		}
		if endsInComment {
			out = bytes.TrimRight(out, " \t")
		}
		visit(from, to, string(out))
	}
}

func blankLine(line string) bool { return strings.Trim(line, " \t\f\v\r") == "" }

// indentation is how many units a line is indented by that begins with a token.
func (c *classifier) indentation(tok token, parens int) int {
	src := c.t.src[tok.from:tok.to]
	start := c.start || slices.Contains(unended, c.first)
	depth := max(c.depth, 0)
	switch {
	case src == "}" && c.inner == 0:
		return max(depth-1, 0)
	case src == "}":
		return depth
	case src == ")":
		return depth + max(parens-1, 0)
	case parens > 0:
		return depth + parens
	case start && tok.kind == tokName && depth > 0:
		if after, _ := c.t.next(tok.to); c.t.src[after.from:after.to] == ":" {
			return depth - 1
		}
		return depth
	case start || depth == 0 || src[0] == '.' && c.inner == 0 && strings.HasPrefix(c.first, "."):
		if depth == 0 && c.inner > 0 {
			return 1
		}
		return depth
	}
	return depth + 1
}
