package stack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// A Style says how a report is printed for people.
type Style struct {
	All     bool // every kernel, whatever their number
	Mangled bool // names as the linker has them
}

// Bounds of what is printed.
const (
	few    = 10 // kernels, and lines of a kind
	listed = 8  // names in a line
)

// String is [Report.Text] in the style that is zero.
func (r *Report) String() string { return r.Text(Style{}) }

// Text is the report for people. Of many kernels it has those that do not launch, those whose
// stack has no known bound and those that need most, and counts the others.
func (r *Report) Text(st Style) string {
	shown := r.shown(st)
	var b strings.Builder
	programs := 0        // that are left out as a whole
	var others []*Kernel // of those
	for i := range r.Programs {
		p := &r.Programs[i]
		var rest []*Kernel
		for j := range p.Kernels {
			if k := &p.Kernels[j]; !shown[k] {
				rest = append(rest, k)
			}
		}
		if len(rest) == len(p.Kernels) {
			programs++
			others = append(others, rest...)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		n := p.names(shown, st)
		p.head(&b, n, st)
		for j := range p.Kernels {
			if k := &p.Kernels[j]; shown[k] {
				k.text(&b, n, st)
			}
		}
		if len(rest) > 0 {
			fmt.Fprintf(&b, "\n%s, %s: -v shows them\n", prose.Count(len(rest), "more kernel"), needs(rest))
		}
	}
	if programs > 0 {
		fmt.Fprintf(&b, "\n%s, with %s, %s: -v shows them\n", prose.Count(programs, "more program"), prose.Count(len(others), "kernel"), needs(others))
	}
	return b.String()
}

// needs says what several kernels need.
func needs(kernels []*Kernel) string {
	stack, registers, idle, unbounded := 0, -1, 0, 0
	for _, k := range kernels {
		registers = max(registers, k.Registers.Most)
		if k.Bound == Bounded || k.Bound == AtMost {
			stack = max(stack, k.Bytes)
		} else {
			unbounded++
		}
		if !k.Registers.Launches {
			idle++
		}
	}
	var all []string
	if unbounded < len(kernels) {
		all = append(all, "at most "+prose.Count(stack, "byte")+" of stack")
	}
	if registers >= 0 {
		all = append(all, "at most "+prose.Count(registers, "register"))
	}
	if unbounded > 0 {
		all = append(all, fmt.Sprintf("%d without a known bound", unbounded))
	}
	if idle > 0 {
		all = append(all, fmt.Sprintf("%d that cannot be launched", idle))
	}
	return strings.Join(all, ", ")
}

// shown are the kernels that are printed.
func (r *Report) shown(st Style) map[*Kernel]bool {
	var all []*Kernel
	for i := range r.Programs {
		for j := range r.Programs[i].Kernels {
			all = append(all, &r.Programs[i].Kernels[j])
		}
	}
	if len(all) > few && !st.All {
		slices.SortStableFunc(all, func(a, b *Kernel) int {
			return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Registers.Most, a.Registers.Most))
		})
		all = all[:few]
	}
	shown := make(map[*Kernel]bool)
	for _, k := range all {
		shown[k] = true
	}
	return shown
}

// rank orders kernels by how much there is to say of them.
func (k *Kernel) rank() int {
	switch {
	case !k.Registers.Launches:
		return 0
	case k.Bound == Recursive:
		return 1
	case k.Bound == AtLeast && !k.system():
		return 2
	}
	return 3
}

// system reports whether all that is not known of a kernel are functions of the system, which so many kernels
// call that they say nothing of one.
func (k *Kernel) system() bool {
	return len(k.Unknown) > 0 && !k.Silent && len(k.Dynamic)+len(k.Pointers) == 0 && !slices.ContainsFunc(k.Unknown, func(name string) bool {
		return !slices.Contains([]string{"vprintf", "__assertfail", "malloc", "free"}, name)
	})
}

// names are those of the functions in the texts of the head and of the kernels that are shown.
func (p *Program) names(shown map[*Kernel]bool, st Style) *cxxname.Shown {
	var all []string
	if p.Compared != nil {
		for i := range p.Compared.Differ {
			all = append(all, p.Compared.Differ[i].Function)
		}
	}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if !shown[k] {
			continue
		}
		all = append(append(append(all, k.Name, k.Registers.Where), k.Unknown...), k.Dynamic...)
		all = append(all, k.Aligned...)
		for _, s := range k.Path {
			all = append(all, s.Function)
		}
		for _, c := range k.Cycles {
			all = append(all, c.Functions...)
		}
		for _, c := range k.Pointers {
			all = append(append(all, c.Caller), c.MayCall...)
		}
	}
	return cxxname.Show(all, st.Mangled)
}

// target is the architecture, with the one whose facts are assumed for it.
func (p *Program) target() string {
	if !p.Assumed {
		return p.Target
	}
	return fmt.Sprintf("%s (assumed, as %s)", p.Target, p.assumedFrom)
}

// head says what the program is, and how its frames compare.
func (p *Program) head(b *strings.Builder, n *cxxname.Shown, st Style) {
	what := "linked from these files"
	if p.Linked {
		what = p.File
	}
	fmt.Fprintf(b, "%s, for %s\n", what, p.target())
	if n.Prefix != "" {
		fmt.Fprintf(b, "names are without %s\n", n.Prefix)
	}
	if p.Source == Code {
		b.WriteString("frames and calls are from the code, not recorded\n")
	}
	c := p.Compared
	if c == nil {
		return
	}
	verb := map[bool]string{true: "has", false: "have"}[c.Functions == 1]
	fmt.Fprintf(b, "%s %s a recorded frame too; %s\n", prose.Count(c.Functions, "function"), verb, differs(len(c.Differ)))
	lines(b, len(c.Differ), "functions", st, func(i int) {
		d := &c.Differ[i]
		fmt.Fprintf(b, "  %s: %s in the code, %d recorded in %s\n", n.Of(d.Function), prose.Count(d.Code, "byte"), d.Recorded, d.File)
	})
}

// lines prints n lines about things of a kind, of which what is the plural, or the first of many.
func lines(b *strings.Builder, n int, what string, st Style, line func(i int)) {
	limit := few
	if st.All {
		limit = n
	}
	display.First(b, n, limit, "  and %d more "+what+": -v shows them", line)
}

// differs says how many of what is compared differ.
func differs(n int) string {
	switch n {
	case 0:
		return "none differs"
	case 1:
		return "1 differs"
	}
	return fmt.Sprintf("%d differ", n)
}

func (k *Kernel) text(b *strings.Builder, n *cxxname.Shown, st Style) {
	fmt.Fprintf(b, "\nkernel %s: %s\n", n.Of(k.Name), k.Bound.words(", ", prose.Count(k.Bytes, "byte")))
	if k.Whole {
		b.WriteString("  as the assembler recorded it; a program that was assembled as a whole has no recorded calls\n")
	}
	k.path(b, n, st)
	lines(b, len(k.Cycles), "cycles", st, func(i int) {
		c := &k.Cycles[i]
		most := map[bool]string{true: "", false: "at most "}[c.Exact]
		if len(k.Cycles) > 1 {
			fmt.Fprintf(b, "  each level of %s after the first takes %s%s more\n", some(n, c.Functions), most, prose.Count(c.Bytes, "byte"))
			return
		}
		fmt.Fprintf(b, "  each level of %s takes %s%s: for n levels set the limit to %d + (n - 1) * %d\n", some(n, c.Functions), most, prose.Count(c.Bytes, "byte"), k.Bytes, c.Bytes)
	})
	if len(k.Cycles) > 1 {
		fmt.Fprintf(b, "  set the limit to %d and add the bytes of the levels\n", k.Bytes)
	}
	if k.Silent {
		b.WriteString("  the assembler found no bound, and the records do not say why: it recurses, or calls alloca; its listing (nvdisasm -c) shows which\n")
	}
	if len(k.Aligned) > 0 {
		counted := map[bool]string{true: "not counted", false: "counted in full"}[k.Bound == AtLeast]
		fmt.Fprintf(b, "  the listing does not show the alignment of the stack pointer at the entry of %s; what aligning it takes is %s, and a cubin beside the listing records it\n", some(n, k.Aligned), counted)
	}
	if len(k.Dynamic) > 0 {
		fmt.Fprintf(b, "  the code moves the stack pointer by a computed amount, as alloca does, which is not counted: %s\n", some(n, k.Dynamic))
	}
	lines(b, len(k.Pointers), "calls through pointers", st, func(i int) {
		p := &k.Pointers[i]
		may := some(n, p.MayCall)
		if may == "" {
			may = "nothing that is known here"
		}
		if p.Prototype == link.Unnamed {
			fmt.Fprintf(b, "  %s has calls whose callees its listing does not name, through a register or by an address: not counted\n", n.Of(p.Caller))
			return
		}
		fmt.Fprintf(b, "  %s calls through a pointer %s: %s\n", n.Of(p.Caller), p.Prototype, may)
	})
	if len(k.Unknown) > 0 {
		fmt.Fprintf(b, "  not counted: %s\n", some(n, k.Unknown))
	}
	switch {
	case k.Recorded == nil:
	case k.Bound == Bounded && *k.Recorded == k.Bytes:
		b.WriteString("  the cubin records the same\n")
	default:
		fmt.Fprintf(b, "  the cubin records %s\n", prose.Count(*k.Recorded, "byte"))
	}
	k.registers(b, n)
}

// words say that so many bytes of stack are needed; after no bound stands what separates.
func (b Bound) words(between, bytes string) string {
	switch b {
	case AtMost, AtLeast:
		return fmt.Sprintf("%s %s of stack", b, bytes)
	case Recursive:
		return "no bound" + between + bytes + " of stack for one level"
	}
	return bytes + " of stack"
}

// path prints the functions of the deepest path, each with its frame and the sum so far. Of a long
// one it has both ends.
func (k *Kernel) path(b *strings.Builder, n *cxxname.Shown, st Style) {
	total := 0
	if len(k.Path) > 0 {
		fmt.Fprintf(b, "  %6s %7s  %s\n", "frame", "in all", "function")
	}
	for i, s := range k.Path {
		frame := "?"
		if s.Frame >= 0 {
			frame = fmt.Sprint(s.Frame)
			total += s.Frame
		}
		if left := len(k.Path) - few; left > 1 && !st.All && i >= few/2 && i < few/2+left {
			if i == few/2 {
				fmt.Fprintf(b, "  %16s%d more functions: -v shows them\n", "", left)
			}
			continue
		}
		name := n.Of(s.Function)
		if s.Pointer {
			name += ", through a pointer"
		}
		if s.Cycle {
			name += ", recursive"
		}
		if s.Args > 0 {
			name += fmt.Sprintf(", whose parameters take %s of the frame above", prose.Count(s.Args, "byte"))
		}
		fmt.Fprintf(b, "  %6s %7d  %s\n", frame, total, name)
	}
}

// registers says what a launch needs.
func (k *Kernel) registers(b *strings.Builder, n *cxxname.Shown) {
	r := &k.Registers
	if r.Most < 0 {
		b.WriteString("  registers: not recorded\n")
		return
	}
	fmt.Fprintf(b, "  registers: %d", r.Most)
	if r.Where != k.Name {
		fmt.Fprintf(b, ", which %s needs; %d of its own", n.Of(r.Where), r.Own)
	}
	if r.Limit > 0 {
		fmt.Fprintf(b, ", of %d", r.Limit)
	}
	if r.MaxThreads > 0 {
		fmt.Fprintf(b, "; blocks of at most %d threads", r.MaxThreads)
	}
	b.WriteByte('\n')
	switch {
	case !r.Launches:
		fmt.Fprintf(b, "  does not launch: %s\n", r.Why)
	case r.Block > 0 && r.Resident == 0 && r.Why != "":
		fmt.Fprintf(b, "  whether blocks of %d threads launch is not known: %s\n", r.Block, r.Why)
	case r.Block > 0:
		fmt.Fprintf(b, "  blocks of %d threads launch", r.Block)
		if r.Resident > 0 {
			fmt.Fprintf(b, ", %d of them on a multiprocessor: %s", r.Resident, r.Why)
		}
		b.WriteByte('\n')
	}
}

// some are names, or the first of many.
func some(n *cxxname.Shown, names []string) string {
	var all []string
	for i, name := range names {
		if i == listed-1 && len(names) > listed {
			return fmt.Sprintf("%s and %d more", strings.Join(all, ", "), len(names)-i)
		}
		all = append(all, n.Of(name))
	}
	return strings.Join(all, ", ")
}
