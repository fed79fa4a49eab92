package check

import (
	"math"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/lex"
	"github.com/ptxabi/ptxabi/ptx"
)

// A diagnostic has a fix if one edit removes the error and keeps the meaning that the
// author clearly intended. If several edits would do as well, or several places have to
// agree, it has none: the author has to choose.

// fix adds a fix that replaces a range. It adds none in a tree that was built by hand,
// whose positions are not in a text, and none that would remove a comment.
// A fix that removes the text between two words leaves a blank.
func (c *checker) fix(d *diag.Diagnostic, from, to diag.Pos, text, msg string) {
	first, end, ok := c.m.Offsets(from, to)
	if !ok {
		return
	}
	src := c.m.Source()
	if old := src[first:end]; string(ptx.AppendTokens(nil, old)) != strings.Join(strings.Fields(old), " ") {
		return // there is a comment in it
	}
	if text == "" && 0 < first && end < len(src) && lex.InName(src[first-1]) && lex.InName(src[end]) {
		text = " "
	}
	d.Fixes = append(d.Fixes, diag.Fix{Msg: msg, Edits: []diag.Edit{{Pos: from, End: to, Text: text}}})
}

// fixFirst adds a fix that replaces the first old in the text from pos on, in the same
// statement.
func (c *checker) fixFirst(d *diag.Diagnostic, pos diag.Pos, old, text, msg string) {
	from, to := c.find(pos, old)
	c.fix(d, from, to, text, msg)
}

// fixType adds a fix that replaces the type at pos.
func (c *checker) fixType(d *diag.Diagnostic, pos diag.Pos, old ptx.Type, text string) {
	c.fixFirst(d, pos, old.String(), text, "write "+text)
}

// fixSpace adds a fix that gives an ld or st a space, in place of its own if it has one.
func (c *checker) fixSpace(d *diag.Diagnostic, in *ptx.Instr, op *body.Op, space string) {
	if op.Name != "ld" && op.Name != "st" {
		return
	}
	text := op.Name + space
	for _, m := range op.Mods {
		switch base, _, _ := strings.Cut(m, "::"); base {
		case ".local", ".global", ".shared", ".const":
		default:
			text += m
		}
	}
	c.fixFirst(d, in.Pos, in.Op, text, "write "+text)
}

// fixDirective adds a fix that drops a directive.
func (c *checker) fixDirective(d *diag.Diagnostic, x *ptx.Directive) {
	to := c.m.TokenEnd(x.Pos)
	if x.Args != "" {
		_, to = c.find(x.Pos, x.Args)
	}
	c.drops(d, x.Pos, to, x.Name)
}

// drops adds a fix that removes a range, with a blank after it.
func (c *checker) drops(d *diag.Diagnostic, from, to diag.Pos, what string) {
	if next, end := c.find(to, " "); next == to {
		to = end
	}
	c.fix(d, from, to, "", "drop "+what)
}

// fixExtents adds a fix that makes one extent of several.
func fixExtents(c *checker, d *diag.Diagnostic, v *ptx.Var) {
	from, to := c.find(v.Pos, "[")
	all := int64(1)
	for _, n := range v.Dims {
		if n <= 0 || n > literalLimit/all {
			return
		}
		all *= n
		_, to = c.find(to, "]")
	}
	text := sprintf("[%d]", all)
	c.fix(d, from, to, text, "write "+v.Name+text)
}

// fixNumber adds a fix that writes a number as the bits of a type, .f32 or .f64, if the type has
// that number.
func (c *checker) fixNumber(d *diag.Diagnostic, o *ptx.Operand, t ptx.Type, value float64) {
	text := ""
	switch {
	case math.IsNaN(value): // a conversion may change its bits
		return
	case t == ptx.F64:
		text = sprintf("0d%016X", math.Float64bits(value))
	case float64(float32(value)) == value:
		text = sprintf("0f%08X", math.Float32bits(float32(value)))
	default:
		return
	}
	from, to := c.find(o.Pos, o.Text)
	if from == o.Pos {
		c.fix(d, from, to, text, "write "+text)
	}
}

// fixWhole does that for a decimal integer in the place of a float. Hexadecimal digits
// may be meant as the bits of the float.
func (c *checker) fixWhole(d *diag.Diagnostic, o *ptx.Operand, t ptx.Type) {
	if o.Kind != ptx.KindInt || t != ptx.F32 && t != ptx.F64 {
		return
	}
	const exact = 1 << 53
	digits := strings.TrimSuffix(o.Text, "U")
	if v, err := strconv.ParseInt(digits, 10, 64); err == nil && -exact <= v && v <= exact && (digits == "0" || strings.TrimPrefix(digits, "-")[0] != '0') {
		c.fixNumber(d, o, t, float64(v))
	}
}

// onceDeclared removes the fixes of formals whose function has another declaration, which would have to change too.
func onceDeclared(c *checker) {
	for _, f := range c.later.formals {
		if f.g != nil && f.g.again {
			f.err.Fixes = nil
		}
	}
}
