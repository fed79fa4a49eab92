package verify

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// JSON is reports in the form ptxabi.verify/1.
func JSON(reports []*Report) ([]byte, error) {
	out, err := json.MarshalIndent(struct {
		Format  string    `json:"format"`
		Reports []*Report `json:"reports"`
	}{"ptxabi.verify/1", reports}, "", "  ")
	return append(out, '\n'), err
}

// Text is the report for people: a line for all that agrees, and both layouts
// side by side for what does not, the first parameter that differs marked.
func (r *Report) Text() string {
	var b strings.Builder
	if r.ptx == nil {
		fmt.Fprintf(&b, "%s (%s, toolkit %s) and %s\n", r.Cubin, r.Target, r.Toolkit, r.Source)
	} else {
		fmt.Fprintf(&b, "%s (.target %s) and %s\n", r.Cubin, r.Target, r.Source)
	}
	for _, g := range r.General {
		fmt.Fprintf(&b, "\n%s\n", g)
	}
	for _, k := range r.Kernels {
		k.text(&b, r)
	}
	if len(r.Functions) > 0 {
		b.WriteByte('\n')
	}
	for _, f := range r.Functions {
		f.text(&b, r)
	}
	switch n := len(r.Findings()); n {
	case 0:
		b.WriteString("\nno difference\n")
	case 1:
		b.WriteString("\n1 difference\n")
	default:
		fmt.Fprintf(&b, "\n%d differences\n", n)
	}
	return b.String()
}

func (k *Kernel) text(b *strings.Builder, r *Report) {
	if k.Status == Same {
		fmt.Fprintf(b, "\nkernel %s: same%s, %s%s\n", k.Name, k.with(), k.Cubin.place(), k.frame()+k.note())
		return
	}
	if k.Status == NotCompared {
		fmt.Fprintf(b, "\nkernel %s: not compared%s, %s\n", k.Name, k.note(), k.Cubin.place())
		return
	}
	fmt.Fprintf(b, "\nkernel %s: %s%s%s\n", k.Name, r.status(k.Status), k.with(), k.note())
	for _, d := range k.Differences {
		fmt.Fprintf(b, "  %s\n", d.Msg)
	}
	rows := [][4]string{{"", "", r.Source, r.Cubin}, {"", "block", k.Source.place(), k.Cubin.place()}}
	for i := range max(k.Source.len(), k.Cubin.len()) {
		mark := ""
		if i == k.First {
			mark = ">"
		}
		rows = append(rows, [4]string{mark, fmt.Sprint(i), k.Source.row(i), k.Cubin.row(i)})
		if i < k.Source.len() {
			for _, f := range k.Source.Params[i].Fields {
				rows = append(rows, [4]string{"", "", fmt.Sprintf("  %d … %d  %s %s", f.Offset, f.Offset+f.Size, f.Type, f.Path), ""})
			}
		}
	}
	table(b, rows)
}

// status is a status in words.
func (r *Report) status(s Status) string {
	if s == OnlyInCubin && r.ptx != nil {
		return "only in the PTX image"
	}
	return string(s)
}

// table writes rows in columns, the first of which is a mark.
func table(b *strings.Builder, rows [][4]string) {
	var widths [4]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("  %-1s %-*s  %-*s  %s", row[0], widths[1], row[1], widths[2], row[2], row[3])
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// frame is the frame of a kernel whose calls need some of it.
func (k *Kernel) frame() string {
	if k.Least == 0 {
		return ""
	}
	return fmt.Sprintf(", a frame of %s, %d at least for its calls", bytes(k.Frame), k.Least)
}

func (k *Kernel) note() string {
	if k.Note == "" {
		return ""
	}
	return ", " + k.Note
}

// with names the struct that a kernel was compared with.
func (k *Kernel) with() string {
	switch {
	case k.Struct == "":
		return ""
	case k.Status == Same:
		return " as struct " + k.Struct
	}
	return " from struct " + k.Struct
}

func (b *Block) len() int {
	if b == nil {
		return 0
	}
	return len(b.Params)
}

// place is where a block is.
func (b *Block) place() string {
	switch {
	case b == nil:
		return "-"
	case len(b.Params) == 0:
		return "no parameters"
	case b.Base < 0:
		return "handles alone, without a place"
	}
	return fmt.Sprintf("c[0x%x][0x%x], %s", b.Bank, b.Base, bytes(b.Size))
}

// row is a parameter in a column.
func (b *Block) row(i int) string {
	if i >= b.len() {
		return "-"
	}
	p := &b.Params[i]
	s := fmt.Sprintf("%d … %d", p.Offset, p.Offset+p.Size)
	if p.Handle != "" {
		s = "no place"
	}
	if p.Name != "" {
		s += "  " + p.Type + " " + p.Name
	} else if p.Handle != "" {
		s += "  " + p.Handle
	}
	return s
}

func (f *Function) text(b *strings.Builder, r *Report) {
	fmt.Fprintf(b, "function %s: %s", f.Name, f.words(r))
	if f.Registers >= 0 {
		fmt.Fprintf(b, ", %s", plural(f.Registers, "register"))
	}
	if f.Frame >= 0 {
		fmt.Fprintf(b, ", a frame of %s", bytes(f.Frame))
	}
	if f.Least > 0 {
		fmt.Fprintf(b, ", %d at least for its calls", f.Least)
	}
	if f.Frame >= 0 && f.Locals > 0 {
		fmt.Fprintf(b, ", %s of .local in the source", bytes(f.Locals))
	}
	b.WriteByte('\n')
	for _, d := range f.Differences {
		fmt.Fprintf(b, "  %s\n", d.Msg)
	}
	if f.Source != nil && f.Cubin != nil && f.differs() {
		f.sides(b, r)
	}
}

// differs reports whether results or parameters differ.
func (f *Function) differs() bool {
	for _, d := range f.Differences {
		if d.What == "result" || d.Param >= 0 {
			return true
		}
	}
	return false
}

// sides are the formals of both sides, of which a cubin records types and sizes.
func (f *Function) sides(b *strings.Builder, r *Report) {
	rows := [][4]string{{"", "", r.Source, r.Cubin}}
	add := func(role string, a, b []Formal, marked func(i int) bool) {
		for i := range max(len(a), len(b)) {
			row := [4]string{"", role, "-", "-"}
			if role == "" {
				row[1] = fmt.Sprint(i)
			}
			if i < len(a) {
				row[2] = fmt.Sprintf("%s  %s %s", bytes(a[i].Size), a[i].Type, a[i].Name)
			}
			if i < len(b) {
				row[3] = fmt.Sprintf("%s  %s", bytes(b[i].Size), wordsOf(&b[i]))
			}
			if marked(i) {
				row[0] = ">"
			}
			rows = append(rows, row)
		}
	}
	wrong := false
	for _, d := range f.Differences {
		wrong = wrong || d.What == "result"
	}
	add("result", f.Source.Results, f.Cubin.Results, func(int) bool { return wrong })
	add("", f.Source.Params, f.Cubin.Params, func(i int) bool { return i == f.First })
	table(b, rows)
}

func (f *Function) words(r *Report) string {
	switch {
	case f.Status == Same && f.Declared:
		return "same, and defined elsewhere"
	case f.Status == Same && f.Alias != "":
		return "same, an alias of " + f.Alias
	case f.Status != Absent:
		return r.status(f.Status)
	case f.Helper:
		return "a helper of the assembler's"
	case f.Line == 0:
		return "not of the source"
	case f.As != "":
		return "not there under its name, the compiler has made " + f.As + " of it"
	}
	return "left out by the compiler"
}
