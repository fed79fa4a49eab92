package layoutcmd

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// text writes a table for each record, with the bytes that no field has:
//
//	struct S: 16 bytes, aligned to 8, 12 used
//	  offset  size  field  type     load
//	  0       8     dbl    double   ld.param.f64
//	  8       4     c      char[4]  4 × ld.param.s8
//	  12      4     ── tail padding
//	.param .align 8 .b8 S[16]
func (r *Result) text() ([]byte, error) {
	var b strings.Builder
	for i, rec := range r.Records {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := r.record(&b, rec); err != nil {
			return nil, err
		}
	}
	for i, k := range r.Kernels {
		if i > 0 || len(r.Records) > 0 {
			b.WriteByte('\n')
		}
		if err := r.kernelText(&b, k); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

func kindOf(l *layout.Layout) string {
	if rec, ok := layout.Unalias(l.Type).(*layout.Record); ok {
		return rec.Kind.String()
	}
	return "type"
}

func (r *Result) record(b *strings.Builder, rec *Record) error {
	l := rec.Layout
	fmt.Fprintf(b, "%s %s: %s, aligned to %d, %d used\n", kindOf(l), rec.Name, prose.Count(l.Size, "byte"), l.Align, l.DataSize)
	if err := r.table(b, l, rec.Name, rec.Param, func(off int64) string { return fmt.Sprint(off) }); err != nil {
		return err
	}
	b.WriteString(declaration(rec.Param) + "\n")
	for _, n := range rec.Notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	return nil
}

// declaration is the line that declares p.
func declaration(p layout.Param) string {
	if p.Indirect {
		return p.String() + "  // its address"
	}
	return p.String()
}

// table lists the fields and holes of l, which is called name where it is no
// record, with the loads from the parameter that carries it; where writes an
// offset. From a parameter that is an address nothing of l is loaded.
func (r *Result) table(b *strings.Builder, l *layout.Layout, name string, p layout.Param, where func(int64) string) error {
	list, err := r.leaves(l)
	if err != nil {
		return err
	}
	if err := r.fits(l, list); err != nil {
		return err
	}
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	_, align := p.Extent()
	end := int64(0) // bits
	if len(list) > 0 {
		fmt.Fprintf(w, "  offset\tsize\tfield\ttype\tload\n")
	}
	for _, f := range list {
		if hole := f.Start() - end; hole > 0 {
			gap(w, end, f.Start(), "padding", where)
		}
		at, size := where(f.Offset), fmt.Sprint(f.Size)
		if f.BitWidth > 0 {
			at += fmt.Sprintf(":%d", f.BitOffset)
			size = prose.Count(f.BitWidth, "bit")
			end = max(end, f.Start()+f.BitWidth)
		} else {
			end = max(end, f.Start()+f.Size*8)
		}
		load := ""
		if !p.Indirect {
			load = loadText(l, &f, align)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", at, size, cmp.Or(f.Path, name), cdecl.TypeText(f.Type, l.Rules.Lang), load)
	}
	if end < l.Size*8 {
		gap(w, end, l.Size*8, "tail padding", where)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(lines.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return nil
}

// gap writes a line for the bits [from, to).
func gap(w *tabwriter.Writer, from, to int64, what string, where func(int64) string) {
	at, size := where(from/8), fmt.Sprint((to-from)/8)
	if from%8 != 0 || to%8 != 0 {
		at += fmt.Sprintf(":%d", from%8)
		size = prose.Count(to-from, "bit")
	}
	fmt.Fprintf(w, "  %s\t%s\t── %s\t\t\n", at, size, what)
}

// loadText says how a field is loaded from a parameter that is aligned to align.
func loadText(l *layout.Layout, f *layout.Leaf, align int64) string {
	a := l.Loads(f, align)
	if a.Count == 0 {
		return "no bytes"
	}
	s := "ld.param" + a.Type
	if a.Count > 1 {
		s = fmt.Sprintf("%d × %s", a.Count, s)
	}
	switch {
	case a.Piece && a.Width == 0:
		s += ", not aligned"
	case a.Width > 0:
		if a.Off != f.Offset {
			s += fmt.Sprintf(" at %d", a.Off)
		}
		s += fmt.Sprintf(", bits %d to %d", a.Shift, a.Shift+a.Width-1)
	}
	return s
}

func (r *Result) kernelText(b *strings.Builder, k *Kernel) error {
	fmt.Fprintf(b, "kernel %s on %s: %s at c[0x%x][0x%x]", k.Name, r.Target.Name, prose.Count(int64(k.Block.Size), "byte"), k.Block.Bank, k.Block.Base)
	if r.Target.AssumedFrom != "" {
		fmt.Fprintf(b, " (assumed, as %s)", r.Target.AssumedFrom)
	}
	b.WriteByte('\n')
	for _, p := range k.Params {
		b.WriteString(declaration(p.Param) + "\n")
		where := func(off int64) string { return fmt.Sprintf("c[0x%x][0x%x]", p.Loc.Bank, int64(p.Loc.Off)+off) }
		if p.known(r.Producer) {
			if err := r.table(b, p.Layout, p.Name, p.Param, where); err != nil {
				return err
			}
		}
		for _, n := range p.Notes {
			fmt.Fprintf(b, "note: %s\n", n)
		}
	}
	return nil
}
