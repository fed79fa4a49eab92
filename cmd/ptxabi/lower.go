package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/lowered"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

func bindLower(o *options) action {
	lines := false
	dump, without := "", ""
	o.Bind(&lines, "lines")
	o.Bind(&dump, "dump")
	o.Bind(&without, "without").Hints = passNames()
	return func(e env, rest []string) error {
		if lines && o.format != "text" {
			return o.errorf("-lines is for -format text; json always has the positions")
		}
		if dump != "" && (lines || o.format != "text") {
			return o.errorf("-dump has a form of its own: drop -lines and -format")
		}
		passes, err := o.passes(without)
		if err != nil {
			return err
		}
		return o.each(e, rest, func(e env, file string) error {
			l, err := load(e, o, file)
			if err != nil {
				return err
			}
			if err := l.lowerable(o.fn); err != nil {
				return err
			}
			l.diags = l.diags[len(l.module.Errors):] // which lowering reports
			var diags diag.List
			opts := lower.Options{Target: l.target, Func: o.fn, Without: passes, Stage: lower.Stage(dump), Workers: runtime.GOMAXPROCS(0), Diags: &diags}
			return o.whole(e, func(w io.Writer) error {
				var err error
				switch {
				case o.format == "json":
					err = lowered.WriteJSON(w, l.outline, l.name, opts)
				case lines:
					err = l.lowerLines(l.marked(w), opts)
				default:
					err = lower.WriteOutline(l.marked(w), l.outline, opts)
				}
				var errs diag.List
				if err != nil && !errors.As(err, &errs) {
					return err
				}
				return l.finish(append(diags, errs...))
			})
		})
	}
}

// lowerLines writes a program with the source lines before their instructions.
func (l *loaded) lowerLines(w io.Writer, opts lower.Options) error {
	one := &sass.Program{Target: l.target.Name}
	text := one.AppendText(nil)
	header := len(text)
	if _, err := w.Write(text); err != nil {
		return err
	}
	return lower.Functions(l.outline, opts, func(f *sass.Func) error {
		one.Funcs = []*sass.Func{f}
		markLines(f, l.name)
		text = one.AppendText(text[:0])
		_, err := w.Write(text[header:])
		return err
	})
}

// passNames returns the names of all passes of lowering.
func passNames() []string {
	var names []string
	for _, p := range lower.Passes() {
		names = append(names, string(p))
	}
	return names
}

// passes returns the passes of a list; those of "" are none.
func (o *options) passes(list string) ([]lower.Pass, error) {
	var passes []lower.Pass
	for name := range strings.SplitSeq(list, ",") {
		if list != "" && !slices.Contains(passNames(), name) {
			return nil, o.errorf("-without: no pass %q%s", name, near.Suggest(name, passNames()))
		}
		if list != "" {
			passes = append(passes, lower.Pass(name))
		}
	}
	return passes, nil
}

// marked returns what writes the text of a program to w: for an assumed target with a line that
// says so, after the first.
func (l *loaded) marked(w io.Writer) io.Writer {
	if l.target.AssumedFrom == "" {
		return w
	}
	return &lineInserter{w, "// " + prose.Assumed(l.target.Name, l.target.AssumedFrom) + "\n"}
}

// A lineInserter writes a line after the first line of a text.
type lineInserter struct {
	io.Writer
	line string // "" once it is written
}

func (l *lineInserter) Write(p []byte) (int, error) {
	n := 0
	if i := bytes.IndexByte(p, '\n'); l.line != "" && i >= 0 {
		if _, err := l.Writer.Write(append(p[:i+1:i+1], l.line...)); err != nil {
			return 0, err
		}
		n, l.line = i+1, ""
	}
	k, err := l.Writer.Write(p[n:])
	return n + k, err
}

// lowerable refuses a -func that names nothing to lower.
func (l *loaded) lowerable(name string) error {
	if name == "" {
		return nil
	}
	var names []string
	declared := false
	for _, it := range l.module.Items {
		f, ok := it.(*ptx.Func)
		switch {
		case !ok:
		case f.Name == name && f.HasBody:
			return nil
		case f.Name == name:
			declared = true
		case f.HasBody:
			names = append(names, f.Name)
		}
	}
	if declared {
		return fmt.Errorf("%s: function %q is declared and not defined: there is nothing to lower", l.name, name)
	}
	return fmt.Errorf("%s: no function %q%s", l.name, name, near.Suggest(name, names))
}

// markLines puts a comment in front of the first instruction of each line of the source, as nvdisasm -g does:
//
//	//## File "x.ptx", line 12
//
// There is a mark wherever the line changes; instructions without a position belong to the line before. Existing
// marks stay, so a function is marked once.
func markLines(f *sass.Func, file string) {
	items := make([]sass.Item, 0, len(f.Items)+len(f.Items)/2)
	line := uint32(0)
	for i := range f.Items {
		it := &f.Items[i]
		if at := it.Instr.Pos.Line; it.Kind == sass.Code && at != 0 && at != line {
			line = at
			items = append(items, sass.Item{Kind: sass.Comment, Text: fmt.Sprintf(`## File "%s", line %d`, file, at)})
		}
		items = append(items, *it)
	}
	f.Items = items
}
