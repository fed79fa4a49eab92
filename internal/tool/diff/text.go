package diff

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// Format is the name and version of the JSON form.
const Format = "ptxabi.diff/1"

// A Document is what was compared, in the form [Format]. A nil matrix is left out, and so are no reports.
type Document struct {
	Format  string    `json:"format"`
	Reports []*Report `json:"reports,omitempty"`
	Matrix  *Matrix   `json:"matrix,omitempty"`
}

// A Style says how reports are printed.
type Style struct {
	All     bool // also what is the same
	Whole   bool // all of many that differ, as with All
	Mangled bool // names as the linker has them
	Width   int  // of tables, in characters; 0 is as many as reports have
}

// Bounds of what is printed one by one.
const (
	most = 10 // functions that differ
	each = 3  // functions that one side alone has

	widest = 44 // characters of a cell of a table with two columns, so that a line has 100 at most
)

// Text is [Report.TextIn] the style that is zero.
func (r *Report) Text() string { return r.TextIn(Style{}) }

// TextIn is the report for people: both sides of each function that is not the same, the formals that changed marked, with what
// changed and whether callers break. The others are counted.
func (r *Report) TextIn(st Style) string {
	var b strings.Builder
	if len(r.Targets) > 0 {
		fmt.Fprintf(&b, "%s and %s on %s%s\n", r.A.File, r.B.File, spans(r.Targets), r.A.assumed())
	} else {
		fmt.Fprintf(&b, "%s on %s%s and %s on %s%s\n", r.A.File, r.A.Target, r.A.assumed(), r.B.File, r.B.Target, r.B.assumed())
	}
	if r.Note != "" {
		fmt.Fprintf(&b, "%s\n", r.Note)
	}
	different, broken := r.functions(&b, st)
	switch {
	case len(r.Facts) == 0:
	case r.A.File == r.B.File || st.All: // a question about targets
		b.WriteString("\nthe targets\n")
		rows := [][]string{{"", r.A.Target, r.B.Target}}
		for _, f := range r.Facts {
			rows = append(rows, []string{f.Name, cmp.Or(f.A, "-"), cmp.Or(f.B, "-")})
		}
		b.WriteString(display.Table(rows, "  ", st.Width))
	default:
		fmt.Fprintf(&b, "\n%s and %s differ in %s; -all prints them\n", r.A.Target, r.B.Target, prose.Count(len(r.Facts), "fact"))
	}
	if n := len(r.Functions) - different; n > 0 && !st.All {
		fmt.Fprintf(&b, "\n%d unchanged\n", n)
	}
	switch {
	case different == 0:
		b.WriteString("\nno difference\n")
	default:
		fmt.Fprintf(&b, "\n%d of %d differ, %d so that callers break\n", different, len(r.Functions), broken)
	}
	return b.String()
}

// functions prints the functions, and says how many differ and of how many callers break.
func (r *Report) functions(b *strings.Builder, st Style) (different, broken int) {
	var symbols []string
	alone := make(map[string][]*Function)
	for i := range r.Functions {
		f := &r.Functions[i]
		if f.Status == Same && !st.All {
			continue
		}
		symbols = append(symbols, f.Name)
		if f.Status == OnlyInA || f.Status == OnlyInB {
			alone[f.kind()] = append(alone[f.kind()], f)
		}
	}
	n := cxxname.Show(symbols, st.Mangled)
	if n.Prefix != "" {
		fmt.Fprintf(b, "\nnames are without %s\n", n.Prefix)
	}
	left, leftBroken := 0, 0
	for i := range r.Functions {
		f := &r.Functions[i]
		if f.Breaks {
			broken++
		}
		if f.Status != Same {
			different++
		}
		group := alone[f.kind()]
		switch {
		case st.All || f.Status != Same && len(group) <= each:
			if !st.All && !st.Whole && different > most {
				if left++; f.Breaks {
					leftBroken++
				}
				continue
			}
			f.text(b, r, n, st.Width)
		case f.Status == Same:
		case group[0] == f:
			f.group(b, group, n, st)
		}
	}
	if left > 0 {
		fmt.Fprintf(b, "\n%d more that differ, %d so that callers break: -v shows them\n", left, leftBroken)
	}
	return different, broken
}

// kind is what functions that stand on one side alone have in common.
func (f *Function) kind() string {
	what := "functions"
	if cmp.Or(f.A, f.B).Kind == "entry" {
		what = "kernels"
	}
	text := fmt.Sprintf("%s: %s", what, f.Status)
	for _, c := range f.Changes {
		text += fmt.Sprintf("\n  %s: %s", works(c.Breaks), c.Reason)
	}
	if f.Status == Same || f.Status == Differs {
		return ""
	}
	return text
}

func works(breaks bool) string {
	if breaks {
		return "breaks"
	}
	return "works"
}

// group is several functions that stand on one side alone.
func (f *Function) group(b *strings.Builder, group []*Function, n *cxxname.Shown, st Style) {
	fmt.Fprintf(b, "\n%d %s\n", len(group), f.kind())
	limit := most
	if st.Whole {
		limit = len(group)
	}
	display.First(b, len(group), limit, "    and %d more: -v shows them", func(i int) { fmt.Fprintf(b, "    %s\n", n.Of(group[i].Name)) })
}

func (f *Function) text(b *strings.Builder, r *Report, n *cxxname.Shown, width int) {
	fmt.Fprintf(b, "\n%s %s: %s", cmp.Or(f.A, f.B).Kind, n.Of(f.Name), f.Status)
	switch {
	case f.Status == Same:
		b.WriteByte('\n')
		return
	case f.Breaks:
		b.WriteString(", breaks callers")
	default:
		b.WriteString(", callers work")
	}
	b.WriteString(f.callers() + "\n")
	rows := [][]string{{"", "", cxxname.CutStart(r.A.File+" "+r.A.Target, widest), cxxname.CutStart(r.B.File+" "+r.B.Target, widest)}}
	for _, role := range []string{"param", "return"} {
		a, b := f.Formals(role)
		for i := range max(len(a), len(b)) {
			mark := ""
			for _, c := range f.Changes {
				if c.Role == role && c.Index == i {
					mark = ">"
				}
			}
			rows = append(rows, []string{mark, fmt.Sprintf("%s %d", roleText(role), i), cxxname.Cut(cell(a, i, f.A), widest), cxxname.Cut(cell(b, i, f.B), widest)})
		}
	}
	if len(rows) > 1 {
		b.WriteString(display.Table(rows, "  ", width))
	}
	for _, c := range f.Changes {
		where := ""
		if c.Index >= 0 {
			where = fmt.Sprintf("%s %d: ", roleText(c.Role), c.Index)
		}
		fmt.Fprintf(b, "  %s: %s%s: %s\n", works(c.Breaks), where, c.What, c.Reason)
	}
}

// roleText is the word of the text for a role. JSON has "return" for results.
func roleText(role string) string {
	if role == "return" {
		return "result"
	}
	return role
}

// callers says who can call a function that is not visible.
func (f *Function) callers() string {
	switch {
	case f.A == nil || f.A.Visible:
		return ""
	case f.A.Taken > 0:
		return fmt.Sprintf(": not visible, but line %d takes its address, which others may call", f.A.Taken)
	}
	return ": not visible, and its address is taken nowhere: only its own module can call it"
}

func cell(list []Value, i int, of *Func) string {
	if i >= len(list) {
		return "-"
	}
	v := &list[i]
	if v.Align == 0 {
		return strings.TrimRight(fmt.Sprintf("%s  %s %s", v.Place, bytes(v.Size), v.Type), " ")
	}
	return fmt.Sprintf("%s  %s  %d@%d %s", v.Place, label(v, of.Name), v.Size, v.Align, v.Type)
}
