package diff

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// JSON is what was compared in the form ptxabi.diff/1. A nil matrix is left out,
// and so are no reports.
func JSON(reports []*Report, matrix *Matrix) ([]byte, error) {
	out, err := json.MarshalIndent(struct {
		Format  string    `json:"format"`
		Reports []*Report `json:"reports,omitempty"`
		Matrix  *Matrix   `json:"matrix,omitempty"`
	}{"ptxabi.diff/1", reports, matrix}, "", "  ")
	return append(out, '\n'), err
}

// Text is the report for people: a line for each function that is the same, and
// both sides of one that is not, the formals that changed marked, with what
// changed and whether callers break.
func (r *Report) Text() string {
	var b strings.Builder
	if len(r.Targets) > 0 {
		fmt.Fprintf(&b, "%s and %s on %s\n", r.A.File, r.B.File, spans(r.Targets))
	} else {
		fmt.Fprintf(&b, "%s on %s and %s on %s\n", r.A.File, r.A.Target, r.B.File, r.B.Target)
	}
	if r.Note != "" {
		fmt.Fprintf(&b, "%s\n", r.Note)
	}
	for _, f := range r.Functions {
		f.text(&b, r)
	}
	if len(r.Facts) > 0 {
		b.WriteString("\nthe targets\n")
		rows := [][]string{{"", r.A.Target, r.B.Target}}
		for _, f := range r.Facts {
			rows = append(rows, []string{f.Name, orDash(f.A), orDash(f.B)})
		}
		table(&b, rows)
	}
	different, broken := 0, 0
	for _, f := range r.Functions {
		if f.Status != Same {
			different++
		}
		if f.Breaks {
			broken++
		}
	}
	switch {
	case different == 0:
		b.WriteString("\nno difference\n")
	default:
		fmt.Fprintf(&b, "\n%d of %d differ, %d so that callers break\n", different, len(r.Functions), broken)
	}
	return b.String()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (f *Function) text(b *strings.Builder, r *Report) {
	kind := ""
	for _, side := range []*Func{f.A, f.B} {
		if side != nil && kind == "" {
			kind = side.Kind
		}
	}
	fmt.Fprintf(b, "\n%s %s: %s", kind, f.Name, f.Status)
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
	rows := [][]string{{"", "", r.A.File + " " + r.A.Target, r.B.File + " " + r.B.Target}}
	add := func(role string, a, b []Value) {
		for i := range max(len(a), len(b)) {
			mark := ""
			for _, c := range f.Changes {
				if c.Role == role && c.Index == i {
					mark = ">"
				}
			}
			rows = append(rows, []string{mark, fmt.Sprintf("%s %d", role, i), cell(a, i), cell(b, i)})
		}
	}
	var pa, pb, ra, rb []Value
	if f.A != nil {
		pa, ra = f.A.Params, f.A.Returns
	}
	if f.B != nil {
		pb, rb = f.B.Params, f.B.Returns
	}
	add("param", pa, pb)
	add("return", ra, rb)
	if len(rows) > 1 {
		table(b, rows)
	}
	for _, c := range f.Changes {
		where := c.Role
		if c.Index >= 0 {
			where = fmt.Sprintf("%s %d", c.Role, c.Index)
		}
		breaks := "works"
		if c.Breaks {
			breaks = "breaks"
		}
		fmt.Fprintf(b, "  %s: %s: %s: %s\n", breaks, where, c.What, c.Reason)
	}
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

func cell(list []Value, i int) string {
	if i >= len(list) {
		return "-"
	}
	v := &list[i]
	if v.Align == 0 {
		return strings.TrimRight(fmt.Sprintf("%s  %s %s", v.Place, bytes(v.Size), v.Type), " ")
	}
	return fmt.Sprintf("%s  %s  %d@%d %s", v.Place, v.Name, v.Size, v.Align, v.Type)
}

// table writes rows of as many cells each in columns, two blanks apart.
func table(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if widths[i] > 0 {
				line += "  " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
