package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// JSON is reports in the form ptxabi.verify/1.
func JSON(reports []*Report) ([]byte, error) {
	out, err := json.MarshalIndent(struct {
		Format  string    `json:"format"`
		Reports []*Report `json:"reports"`
	}{"ptxabi.verify/1", reports}, "", "  ")
	return append(out, '\n'), err
}

// A Style says how reports are printed.
type Style struct {
	All     bool // every kernel and function, whether it differs or not
	Mangled bool // names as the linker has them
}

// Bounds of what is printed one by one.
const (
	few  = 20 // kernels of a kind
	each = 3  // of those that differ alike, or stand on one side

	widest = 54 // characters of a cell of a table with two columns, so that a line has 120 at most
)

// Text is [Report.TextIn] the style that is zero.
func (r *Report) Text() string { return r.TextIn(Style{}) }

// TextIn is the report for people: a line for all that agrees, and both layouts
// side by side for what does not, the first parameter that differs marked. Many kernels that agree are
// counted, and those that differ alike are shown once.
func (r *Report) TextIn(st Style) string { return r.head() + r.body(st) }

func (r *Report) head() string {
	what := r.Target
	if r.Assumed {
		what += ", assumed as " + r.assumedFrom
	}
	if r.ptx == nil {
		what += ", toolkit " + r.Toolkit
	} else {
		what = ".target " + what
	}
	if r.Modules > 1 {
		what += fmt.Sprintf(", module %d of %d", r.Module, r.Modules)
	}
	return fmt.Sprintf("%s (%s) and %s\n", r.Cubin, what, r.Source)
}

// Texts are reports for people, one after the other. Of images about which there is the same to say
// the first stands for all.
func Texts(reports []*Report, st Style) []string {
	var texts []string
	at := make(map[string]int)
	like := make(map[int][]string)
	var heads, bodies []string
	for _, r := range reports {
		body := r.body(st)
		if i, ok := at[r.Kind+body]; ok {
			like[i] = append(like[i], r.Target)
			continue
		}
		at[r.Kind+body] = len(bodies)
		heads, bodies = append(heads, r.head()), append(bodies, body)
	}
	for i := range bodies {
		more := ""
		if n := len(like[i]); n > 0 {
			more = fmt.Sprintf("and %s with the same report: %s\n", prose.Count(n, "more image"), strings.Join(like[i], ", "))
		}
		texts = append(texts, heads[i]+more+bodies[i])
	}
	return texts
}

func (r *Report) body(st Style) string {
	var b strings.Builder
	for _, g := range r.General {
		fmt.Fprintf(&b, "\n%s\n", g)
	}
	var symbols []string
	for i := range r.Kernels {
		symbols = append(symbols, r.Kernels[i].Name)
	}
	n := cxxname.Show(symbols, st.Mangled)
	if n.Prefix != "" {
		fmt.Fprintf(&b, "\nnames are without %s\n", n.Prefix)
	}
	r.kernelTexts(&b, n, st)
	r.functionTexts(&b, n, st)
	total := "no difference"
	if n := len(r.Findings()); n > 0 {
		total = prose.Count(n, "difference")
	}
	left := 0
	for i := range r.Kernels {
		if r.Kernels[i].Status == NotCompared {
			left++
		}
	}
	if left > 0 {
		total += fmt.Sprintf("; %s not compared", prose.Count(left, "kernel"))
	}
	fmt.Fprintf(&b, "\n%s\n", total)
	return b.String()
}

// NameOf is a kernel's symbol as reports have it: demangled.
func NameOf(symbol string) string {
	var n cxxname.Shown
	return n.Of(symbol)
}

// kernelTexts has the kernels in their order, those that are alike after the first of them.
func (r *Report) kernelTexts(b *strings.Builder, n *cxxname.Shown, st Style) {
	groups := make(map[string][]*Kernel)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		groups[k.key()] = append(groups[k.key()], k)
	}
	shown, left := 0, 0
	var counted []string
	for i := range r.Kernels {
		k := &r.Kernels[i]
		group := groups[k.key()]
		switch quiet := len(k.Differences) == 0; {
		case st.All || !quiet && len(group) <= each || quiet && len(group) <= few:
			if shown++; !quiet && shown > few && !st.All {
				left++
				continue
			}
			k.text(b, r, n)
		case group[0] != k:
		case quiet:
			line := fmt.Sprintf("%s: %s", prose.Count(len(group), "kernel"), k.Status)
			unknown := 0
			for _, one := range group {
				unknown += min(len(one.Unknown), 1)
			}
			if unknown > 0 {
				line += fmt.Sprintf("; of %d the inside of a parameter is unknown", unknown)
			}
			counted = append(counted, line)
		default:
			if shown++; shown > few {
				left += len(group)
				continue
			}
			r.group(b, group, n)
		}
	}
	for _, line := range counted {
		fmt.Fprintf(b, "\n%s\n", line)
	}
	if left > 0 {
		fmt.Fprintf(b, "\n%s that differ or stand on one side alone: -all shows them\n", prose.Count(left, "more kernel"))
	}
}

// key is the same for kernels that are printed together.
func (k *Kernel) key() string {
	key := string(k.Status)
	switch {
	case k.Status == NotCompared && len(k.Differences) > 0:
		return key + k.note()
	case k.Status != Differs:
		return key
	}
	for i := range k.Differences {
		d := &k.Differences[i]
		key += fmt.Sprint(" ", d.What, d.Param, d.Source, d.Cubin)
	}
	return key + k.Note
}

// group is several kernels that differ alike, or stand on one side.
func (r *Report) group(b *strings.Builder, group []*Kernel, n *cxxname.Shown) {
	list := group
	if group[0].Status == Differs {
		group[0].text(b, r, n)
		list = group[1:]
		fmt.Fprintf(b, "  so do %s:\n", prose.Count(len(list), "more kernel"))
	} else {
		status := r.status(group[0].Status)
		if group[0].Status == NotCompared {
			status += group[0].note()
		}
		fmt.Fprintf(b, "\n%s: %s\n", prose.Count(len(group), "kernel"), status)
	}
	display.First(b, len(list), few, "    and %d more: -all shows them", func(i int) { fmt.Fprintf(b, "    %s\n", n.Of(list[i].Name)) })
}

// functionTexts has the functions in their order. Many that agree are counted, and helpers always.
func (r *Report) functionTexts(b *strings.Builder, n *cxxname.Shown, st Style) {
	if len(r.Functions) == 0 {
		return
	}
	b.WriteByte('\n')
	quiet := make(map[string]int)
	total, shown, left := 0, 0, 0
	for i := range r.Functions {
		if f := &r.Functions[i]; len(f.Differences) == 0 && !f.Helper {
			total++
		}
	}
	for i := range r.Functions {
		f := &r.Functions[i]
		switch same := len(f.Differences) == 0; {
		case same && (total > few || f.Helper) && !st.All:
			words := f.words(r, n)
			if f.As != "" || f.Alias != "" {
				words = string(f.Status)
			}
			quiet[words]++
		case !same && shown >= few && !st.All:
			left++
		default:
			if !same {
				shown++
			}
			f.text(b, r, n)
		}
	}
	for _, words := range slices.Sorted(maps.Keys(quiet)) {
		fmt.Fprintf(b, "%s: %s\n", prose.Count(quiet[words], "function"), words)
	}
	if left > 0 {
		fmt.Fprintf(b, "%s that differ: -all shows them\n", prose.Count(left, "more function"))
	}
}

func (k *Kernel) text(b *strings.Builder, r *Report, n *cxxname.Shown) {
	if k.Status == Same {
		fmt.Fprintf(b, "\nkernel %s: same%s, %s%s\n", n.Of(k.Name), k.with(), k.Cubin.place(), k.frame()+k.note())
		return
	}
	if k.Status == NotCompared {
		fmt.Fprintf(b, "\nkernel %s: not compared%s, %s\n", n.Of(k.Name), k.note(), k.Cubin.place())
		return
	}
	fmt.Fprintf(b, "\nkernel %s: %s%s%s\n", n.Of(k.Name), r.status(k.Status), k.with(), k.note())
	for _, d := range k.Differences {
		fmt.Fprintf(b, "  %s\n", d.Msg)
	}
	rows := [][4]string{{"", "", cxxname.CutStart(r.Source, widest), cxxname.CutStart(r.Cubin, widest)}, {"", "block", k.Source.place(), k.Cubin.place()}}
	for i := range max(k.Source.len(), k.Cubin.len()) {
		mark := ""
		if i == k.First {
			mark = ">"
		}
		rows = append(rows, [4]string{mark, fmt.Sprint(i), k.Source.row(i), k.Cubin.row(i)})
		if i < k.Source.len() {
			for _, f := range k.Source.Params[i].Fields {
				rows = append(rows, [4]string{"", "", fmt.Sprintf("  %s  %s %s", f.place(), f.Type, f.Path), ""})
			}
		}
	}
	table(b, rows)
}

// place is where a field begins and ends.
func (f *Field) place() string {
	if f.kind != kindBits {
		return fmt.Sprintf("%d … %d", f.Offset, f.Offset+f.Size)
	}
	end := f.bit + f.bits
	return fmt.Sprintf("%d:%d … %d:%d", f.Offset, f.bit, f.Offset+end/8, end%8)
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
	for j := range rows {
		row := &rows[j]
		for i, cell := range row {
			row[i] = cxxname.Cut(cell, widest)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
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
	return fmt.Sprintf(", a frame of %s, at least %d of them for its calls", bytes(k.Frame), k.Least)
}

func (k *Kernel) note() string {
	note := ""
	if k.Note != "" {
		note = ", " + k.Note
	}
	listed := slices.ContainsFunc(k.Differences, func(d Difference) bool { return d.What == "inside" && d.Param < 0 }) // with -strict
	if len(k.Unknown) > 0 && !listed {
		names := make(map[string][]string)
		for _, name := range k.Unknown {
			names[k.lacks(name)] = append(names[k.lacks(name)], name)
		}
		for _, what := range []string{"inside", "kind"} {
			if all := names[what]; len(all) > 0 {
				note += fmt.Sprintf(", the %s of %s is unknown", what, strings.Join(all, ", "))
			}
		}
	}
	return note
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
		s += "  " + p.Type + " " + p.label()
	} else if p.Handle != "" {
		s += "  " + p.Handle
	}
	return s
}

func (f *Function) text(b *strings.Builder, r *Report, n *cxxname.Shown) {
	fmt.Fprintf(b, "function %s: %s", n.Of(f.Name), f.words(r, n))
	if f.Registers >= 0 {
		fmt.Fprintf(b, ", %s", prose.Count(f.Registers, "register"))
	}
	if f.Frame >= 0 {
		fmt.Fprintf(b, ", a frame of %s", bytes(f.Frame))
	}
	if f.Least > 0 {
		fmt.Fprintf(b, ", at least %d of them for its calls", f.Least)
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
	return slices.ContainsFunc(f.Differences, func(d Difference) bool { return d.What == "result" || d.Param >= 0 })
}

// sides are the formals of both sides, of which a cubin records types and sizes.
func (f *Function) sides(b *strings.Builder, r *Report) {
	rows := [][4]string{{"", "", cxxname.CutStart(r.Source, widest), cxxname.CutStart(r.Cubin, widest)}}
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
				row[3] = fmt.Sprintf("%s  %s", bytes(b[i].Size), b[i].words)
			}
			if marked(i) {
				row[0] = ">"
			}
			rows = append(rows, row)
		}
	}
	wrong := slices.ContainsFunc(f.Differences, func(d Difference) bool { return d.What == "result" })
	add("result", f.Source.Results, f.Cubin.Results, func(int) bool { return wrong })
	add("", f.Source.Params, f.Cubin.Params, func(i int) bool { return i == f.First })
	table(b, rows)
}

func (f *Function) words(r *Report, n *cxxname.Shown) string {
	switch {
	case f.Status == Same && f.Declared:
		return "same, and defined elsewhere"
	case f.Status == Same && f.Alias != "":
		return "same, an alias of " + f.Alias
	case f.Status != Absent:
		return r.status(f.Status)
	case f.Helper:
		return "the assembler's own"
	case f.Line == 0:
		return "not of the source"
	case f.As != "":
		caller := strings.TrimSuffix(strings.TrimPrefix(f.As, "$"), "$"+f.Name)
		return "not there under its name, the compiler has made a copy of it for " + n.Of(caller)
	}
	return "left out by the compiler"
}
