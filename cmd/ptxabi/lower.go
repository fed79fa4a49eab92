package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/manual"
	"github.com/ptxabi/ptxabi/internal/near"
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
  ptxabi lower -without forwarding,narrow-reads x.ptx
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
		the frame; selected, the instructions as they are selected; code,
		those that are printed`, "body", "plan", "selected", "code")
	o.Add(&without, "without PASS,...", `
				leave out passes that make code shorter; it is right without them:
		forwarding, store-pairing, load-pairing, slot-pairing, fetching,
		narrow-reads`).Hints = passNames()
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
	if o.format == "text" && !lines && dump == "" && o.fn == "" {
		if ok, err := src.lower(e, o, passes); ok {
			return err
		}
	}
	l, err := src.load(e, o)
	if err != nil {
		return err
	}
	if err := l.lowerable(o.fn); err != nil {
		return err
	}
	var diags diag.List
	opts := lower.Options{Func: o.fn, Without: passes, Diags: &diags}
	var prog *sass.Program
	var text [][]byte
	if dump != "" {
		text = make([][]byte, 1)
		text[0], err = lower.Dump(l.module, l.target.Target, opts, lower.Stage(dump))
	} else {
		prog, err = lower.Module(l.module, l.target.Target, opts)
	}
	var errs diag.List
	if err != nil && !errors.As(err, &errs) {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	if err := l.finish(append(diags, errs...)); err != nil {
		return err
	}
	if o.format == "json" {
		return o.emit(e, appendLowerJSON(nil, l.name, l.target, prog))
	}
	if dump != "" {
		return o.emit(e, text...)
	}
	if lines {
		prog.MarkLines(l.name)
	}
	return l.emit(e, o, [][]byte{prog.AppendText(nil)})
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

// lower lowers a module without a tree of it all where it can, which takes a third of the
// memory. It reports false, and has said nothing, where the text is no module.
func (src *source) lower(e env, o *options, without []lower.Pass) (ok bool, err error) {
	outline, err := ptx.ParseOutline(src.name, src.text)
	m := outline.Module()
	if err != nil || isBlank(m) {
		return false, nil
	}
	l := &loaded{source: src, module: m, print: o.printer(e, src)}
	if l.target, err = chooseTarget(m, o.target, o.assume); err != nil {
		return false, nil
	}
	if l.target.note != nil {
		l.diags.Add(l.target.note)
	}
	var diags, errs diag.List
	var file spool
	defer file.drop()
	opts := lower.Options{Without: without, Diags: &diags}
	if !l.target.assumed() { // else a line is put into the text
		opts.Spool = func() (lower.Spool, error) { return file.open(o) }
	}
	text, err := lower.Text(outline, l.target.Target, opts)
	if err != nil && !errors.As(err, &errs) {
		return true, file.failed(o, err)
	}
	if err != nil && errs[0].Code == ptx.BadSyntax { // of which load says more
		return false, nil
	}
	if err := l.finish(append(diags, errs...)); err != nil {
		return true, err
	}
	if text == nil {
		return true, file.emit(e, o)
	}
	return true, l.emit(e, o, text)
}

// emit writes the text of a program.
func (l *loaded) emit(e env, o *options, text [][]byte) error {
	if l.target.assumed() {
		text[0] = afterFirstLine(text[0], assumedLine(l.target))
	}
	return o.emit(e, text...)
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

// afterFirstLine puts a comment line after the first line of text.
func afterFirstLine(text []byte, comment string) []byte {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	return bytes.Join([][]byte{first, []byte("// " + comment), rest}, []byte("\n"))
}
