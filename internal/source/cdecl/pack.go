package cdecl

import (
	"strconv"
	"strings"
)

// packStack is the state of #pragma pack.
type packStack struct {
	now   int64  // 0 means none
	why   string // the pragma by which it is not known
	saved []packed
}

type packed struct {
	label string
	value int64
}

// pragma obeys the pragmas that change layouts; others are left alone.
func (p *parser) pragma(t token) {
	text := strings.TrimSpace(t.text)
	if why, ok := strings.CutPrefix(text, doubted); ok {
		if p.opts.Partial && p.body != nil && p.body.doubt == "" {
			p.body.doubt = "its members depend on " + why
		}
		return
	}
	name, rest, _ := strings.Cut(text, "(")
	switch name = strings.TrimSpace(name); {
	case name == "pack":
		args, rest, ok := strings.Cut(rest, ")")
		if !ok || strings.TrimSpace(rest) != "" {
			p.errs.add(t.pos, Directive, "#pragma %s is malformed", text)
			return
		}
		p.pragmaPack(t.pos, strings.Split(args, ","))
	case strings.HasPrefix(text, "pack"):
		if !strings.HasPrefix(text, "pack_") {
			p.errs.add(t.pos, Directive, "#pragma %s is not supported", text)
		}
	case strings.HasSuffix(text, "align=reset"):
		p.pack.why = ""
	case name == "align", strings.HasPrefix(text, "align="), strings.HasPrefix(text, "align "), strings.HasPrefix(text, "options align"):
		p.unknownPragma(t.pos, text)
	case strings.HasPrefix(text, "ms_struct on"):
		p.unknownPragma(t.pos, "ms_struct")
	}
}

// unknownPragma refuses the records after a pragma.
func (p *parser) unknownPragma(pos Pos, text string) {
	p.pack.why = "#pragma " + text + " is not supported"
	p.errs.add(pos, Directive, "%s", p.pack.why)
}

func (p *parser) pragmaPack(pos Pos, args []string) {
	s := p.pack
	label := ""
	if first := strings.TrimSpace(args[0]); (first == "push" || first == "pop") && len(args) > 1 && !isNumber(args[1]) {
		label = strings.TrimSpace(args[1])
	}
	for i, a := range args {
		a = strings.TrimSpace(a)
		switch {
		case a == "" && len(args) == 1:
			s.now = 0
		case i == 0 && a == "show":
		case i == 0 && a == "push":
			if len(s.saved) < 1<<16 {
				s.saved = append(s.saved, packed{label: label, value: s.now})
			}
		case i == 0 && a == "pop":
			s.pop(label)
		case isNumber(a):
			n, err := strconv.ParseInt(strings.TrimRight(a, "uUlL"), 0, 64)
			if err != nil || n < 0 || n > 16 || n&(n-1) != 0 {
				p.errs.add(pos, Directive, "#pragma pack of %s", a)
				return
			}
			s.now = n
		case i > 0 && a == label:
		default:
			p.errs.add(pos, Directive, "#pragma pack with %q", a)
			return
		}
	}
	p.pack = s
}

func isNumber(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && isDigit(s[0])
}

// pop restores the value saved last, or that saved last under label.
func (s *packStack) pop(label string) {
	for i := len(s.saved) - 1; i >= 0; i-- {
		if label == "" || s.saved[i].label == label {
			s.now = s.saved[i].value
			s.saved = s.saved[:i]
			return
		}
	}
}
