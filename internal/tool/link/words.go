package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// String says in a few lines what was held against each other, and what could not be.
func (r *Report) String() string {
	var b strings.Builder
	linked, programs, images := 0, 0, 0
	for _, f := range r.Files {
		switch {
		case slices.Contains(f.Kinds, Object) || slices.Contains(f.Kinds, Text) || slices.Contains(f.Kinds, LLVM):
			linked++
		case slices.Contains(f.Kinds, Program):
			programs++
		default:
			images++
		}
	}
	b.WriteString(prose.Count(linked, "module"))
	if images > 0 {
		b.WriteString(" and " + prose.Count(images, "header"))
	}
	targets := slices.Clone(r.Targets)
	for i, arch := range targets {
		if t := Row(arch, r.Assumed); t != nil && t.AssumedFrom != "" {
			targets[i] += " (assumed, as " + t.AssumedFrom + ")"
		}
	}
	if len(targets) > 0 {
		fmt.Fprintf(&b, " for %s", strings.Join(targets, ", "))
	}
	if r.Linker != "" {
		fmt.Fprintf(&b, ", for linkers from %s on", r.Linker)
	}
	b.WriteByte('\n')
	switch programs {
	case 0:
	case 1:
		b.WriteString("1 module is linked already and takes no part; ptxabi verify compares it with its source\n")
	default:
		fmt.Fprintf(&b, "%d modules are linked already and take no part; ptxabi verify compares them with their sources\n", programs)
	}
	c := r.Counts
	if c.LeftOut > 0 {
		what := prose.Count(c.LeftOut, "module")
		if len(r.Targets) > 1 {
			what = "up to " + what
		}
		fmt.Fprintf(&b, "left out: %s of libraries without code for the architecture\n", what)
	}
	switch {
	case linked+images == 0:
		b.WriteString("nothing to compare\n")
	case c.Shared == 0:
		b.WriteString("no name is known to two of them\n")
	case c.Differ == 0:
		fmt.Fprintf(&b, "%s known to two or more, none of which differs\n", names(c.Shared))
	case c.Differ == 1:
		fmt.Fprintf(&b, "%s known to two or more, 1 of which differs\n", names(c.Shared))
	default:
		fmt.Fprintf(&b, "%s known to two or more, %d of which differ\n", names(c.Shared), c.Differ)
	}
	if c.Missing > 0 {
		fmt.Fprintf(&b, "%s needed and defined nowhere here\n", names(c.Missing))
	}
	if c.Formals > 0 {
		fmt.Fprintf(&b, "not known: the formals of %s, in one of the files\n", prose.Count(c.Formals, "function"))
	}
	if c.Unread > 0 {
		fmt.Fprintf(&b, "not read: %s for link-time optimisation, neither a cubin nor PTX\n", prose.Count(c.Unread, "image"))
	}
	if c.Alignments > 0 {
		fmt.Fprintf(&b, "not known: the alignment of arrays that %s of them take or return, which objects do not record\n", prose.Count(c.Alignments, "function"))
	}
	return b.String()
}

func names(n int) string {
	if n == 1 {
		return "1 name is"
	}
	return fmt.Sprintf("%d names are", n)
}
