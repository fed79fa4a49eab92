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
	fmt.Fprintf(&b, "%s (%s, toolkit %s) and %s\n", r.Cubin, r.Target, r.Toolkit, r.Source)
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
		f.text(&b)
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
		fmt.Fprintf(b, "\nkernel %s: same%s, %s\n", k.Name, k.with(), k.Cubin.place())
		return
	}
	fmt.Fprintf(b, "\nkernel %s: %s%s\n", k.Name, k.Status, k.with())
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

func (f *Function) text(b *strings.Builder) {
	fmt.Fprintf(b, "function %s: %s", f.Name, f.words())
	if f.Registers >= 0 {
		fmt.Fprintf(b, ", %d registers", f.Registers)
	}
	if f.Frame >= 0 {
		fmt.Fprintf(b, ", a frame of %s", bytes(f.Frame))
	}
	b.WriteByte('\n')
	if f.Msg != "" {
		fmt.Fprintf(b, "  %s\n", f.Msg)
	}
}

func (f *Function) words() string {
	switch {
	case f.Status != Absent:
		return string(f.Status)
	case f.Line == 0:
		return "not of the source"
	}
	return "left out by the compiler"
}
