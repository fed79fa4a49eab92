package lsp

import (
	"slices"
	"strings"
)

// tokenTypes and tokenModifiers are the legend of semantic tokens. A token is named by its index.
var (
	tokenTypes     = []string{"comment", "string", "number", "macro", "type", "modifier", "keyword", "function", "parameter", "variable", "label"}
	tokenModifiers = []string{"declaration", "readonly", "defaultLibrary"}
)

// ofClass is the type of the tokens of a class.
var ofClass = map[class]string{
	comment: "comment", text_: "string", number: "number", directive: "macro", typeName: "type", modifier: "modifier", opcode: "keyword",
}

// ofMeaning is the type of names.
var ofMeaning = map[meaningKind]string{
	function: "function", global: "variable", formal: "parameter", local: "variable", label: "label", special: "variable",
}

// maxFull is how many bytes a text may have whose tokens are all sent after each key. Of a larger one clients ask for
// those that can be seen.
const maxFull = 128 << 10

func (a *analysis) semanticTokens(*params) any {
	if len(a.text.src) > maxFull {
		return nil
	}
	return a.tokens(0, len(a.text.src))
}

func (a *analysis) semanticTokensOf(p *params) any {
	from, to := a.text.offset(p.Range.Start), a.text.offset(p.Range.End)
	return a.tokens(from, max(from, to))
}

// tokens are those of a range: five numbers each, of which the first two count from the token before.
func (a *analysis) tokens(from, to int) semanticTokens {
	out := semanticTokens{Data: []int{}}
	last := position{}
	add := func(from, to int, kind string, modifiers int) {
		for from < to { // a line each
			end := min(from+lineLen(a.text.src[from:]), to)
			begin, after := a.text.at(from), a.text.at(end)
			if kind := slices.Index(tokenTypes, kind); end > from && kind >= 0 {
				if begin.Line != last.Line {
					last.Character = 0
				}
				out.Data = append(out.Data, begin.Line-last.Line, begin.Character-last.Character, after.Character-begin.Character, kind, modifiers)
				last = begin
			}
			if n := strings.IndexByte(a.text.src[end:to], '\n'); n >= 0 {
				end += n + 1
			} else {
				end = to
			}
			from = end
		}
	}
	// Names come with their meaning, and all else by its class: both in the order of the text.
	var means []meaning
	a.names(from, to, func(string) bool { return true }, func(_ token, m meaning) { means = append(means, m) })
	a.classify(from, to, func(tok token, c class) {
		if c != name {
			add(max(tok.from, from), min(tok.to, to), ofClass[c], 0) // a comment may go beyond
			return
		}
		m := means[0]
		means = means[1:]
		modifiers := 0
		switch {
		case m.kind == special:
			modifiers = 1<<1 | 1<<2
		case m.decl == tok.from:
			modifiers = 1 << 0
		}
		add(tok.from, tok.to, ofMeaning[m.kind], modifiers)
	})
	return out
}
