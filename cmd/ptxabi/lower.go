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
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

var lowerHelp = manual.Help{
	Usage: "ptxabi lower [flags] FILE...",
	Text: `Lower prints a PTX module as pseudo-SASS, by the calling convention of the
target: for each function the loads of its formals, for each call the moves,
stores, the call and the results. Instructions that have nothing to do with
calls stay PTX text. Registers are not allocated, and the text cannot be
assembled. The convention is that of ptxas -c; without -c the assembler may call
functions in other ways.`,
	More: `Examples:

  ptxabi lower x.ptx
  ptxabi lower -target sm_90 -func caller x.ptx
  clang -S -o - --target=nvptx64-nvidia-cuda -march=sm_80 x.c | ptxabi lower -
  ptxabi lower -lines -o x.sass x.ptx
  ptxabi lower -dump plan -func caller x.ptx
  ptxabi lower -without gathering,pairing x.ptx
  ptxabi lower -format json -o x.json x.ptx`,
}

func runLower(e env, args []string) error {
	o := newOptions("lower")
	lines := false
	dump, without := "", ""
	o.addModule()
	o.addFormat(`
				text; json, the text in the form of nvdisasm -json with positions in
		the source, described by docs/schemas/lower.schema.json; or jsonl, a
		line of JSON for each FILE, described by
		docs/schemas/jsonl.schema.json`, "text", "json", "jsonl")
	o.Add(&lines, "lines", `
				in text, print the source line before its instructions:
		//## File "x.ptx", line 12`)
	o.Add(&dump, "dump STAGE", `
				print the result of a stage, in a form that may change: body, the
		meaning of names; plan, the places of variables and arguments, and
		the frame; selected, the instructions before any pass; code, those
		that are printed`, "body", "plan", "selected", "code")
	o.Add(&without, "without PASS,...", `
				leave out passes that make code shorter; it is right without them:
		forwarding, gathering, coalescing, pairing`).Hints = passNames()
	o.Add(&o.output, "o FILE", "write to FILE instead of standard output, whole or not at all")
	o.addDiagnostics()
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
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
	if ok, err := o.several(e, rest, runLower); ok {
		return err
	}
	file, err := o.file(rest)
	if err != nil {
		return err
	}
	src, err := open(e, o, file)
	if err != nil {
		return err
	}
	var diags diag.List
	opts := lower.Options{Func: o.fn, Without: passes, Workers: runtime.GOMAXPROCS(0), Diags: &diags}
	if o.format == "text" && !lines && dump == "" {
		if ok, err := src.lower(e, o, opts); ok {
			return err
		}
	}
	o.partial = true
	l, err := src.load(e, o)
	if err != nil {
		return err
	}
	l.diags = l.diags[len(l.module.Errors):] // which lowering reports
	if err := l.lowerable(o.fn); err != nil {
		return err
	}
	var prog *sass.Program
	var text []byte
	if dump != "" {
		text, err = lower.Dump(l.module, l.target.Target, opts, lower.Stage(dump))
	} else {
		prog, err = lower.Module(l.module, l.target.Target, opts)
	}
	if err := l.lowered(diags, err); err != nil {
		return err
	}
	if o.format == "json" {
		return o.emit(e, appendLowerJSON(nil, l.name, l.target, prog))
	}
	if dump != "" {
		return o.emit(e, text)
	}
	prog.MarkLines(l.name)
	return o.stream(e, func(w io.Writer) error {
		_, err := l.marked(w).Write(prog.AppendText(nil))
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
			return nil, o.errorf("-without: no pass %q%s", name, near.DidYouMean(name, passNames()))
		}
		if list != "" {
			passes = append(passes, lower.Pass(name))
		}
	}
	return passes, nil
}

// lower lowers a text to a text, body by body. It reports false, and has said nothing, where load
// has to say why there is no module, or no target.
func (src *source) lower(e env, o *options, opts lower.Options) (ok bool, err error) {
	outline, err := ptx.ParseOutline(src.name, src.text)
	l := &loaded{source: src, module: outline.Module(), print: o.printer(e, src)}
	if err != nil && notPTX(src) != nil || isBlank(l.module) {
		return false, nil
	}
	if l.target, err = chooseTarget(l.module, o.target, o.assume); err != nil {
		return false, nil
	}
	if l.target.note != nil {
		l.diags.Add(l.target.note)
	}
	if err := l.lowerable(o.fn); err != nil {
		return true, err
	}
	opts.Target = l.target.Target
	err = o.whole(e, func(w io.Writer) error {
		err := lower.WriteOutline(l.marked(w), outline, opts)
		return l.lowered(*opts.Diags, err)
	})
	return true, err
}

// lowered prints the diagnostics of lowering, of which err has the errors. Other errors it returns.
func (l *loaded) lowered(diags diag.List, err error) error {
	var errs diag.List
	if err != nil && !errors.As(err, &errs) {
		return err
	}
	return l.finish(append(diags, errs...))
}

// marked returns what writes the text of a program to w: for an assumed target with a line that
// says so, after the first.
func (l *loaded) marked(w io.Writer) io.Writer {
	if !l.target.assumed() {
		return w
	}
	return &lineInserter{w, "// " + assumedLine(l.target) + "\n"}
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
	return fmt.Errorf("%s: no function %q%s", l.name, name, near.DidYouMean(name, names))
}

// assumedLine says of a row that its facts are assumed.
func assumedLine(t target) string {
	return fmt.Sprintf("%s has not been measured: its facts are assumed, taken over from %s", t.Name, t.AssumedFrom)
}
