package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/cli/report"
)

// Codes of messages that have none of their own, in JSON.
const (
	failure diag.Code = "Failure" // why there is no result
	remark  diag.Code = "Remark"  // a note or a warning about a file as a whole
)

// say prints messages: a text, or diagnostics as JSON.
func (e env) say(list diag.List, text func() string) {
	switch kept := e.kept; {
	case kept != nil:
		e.kept = nil
		kept.list, kept.print = append(kept.list, list...), append(kept.print, func() { e.say(list, text) })
	case e.json:
		e.stderr.Write(appendLines(nil, list))
	default:
		io.WriteString(e.stderr, text())
	}
}

// tell prints a note or a warning about a file, or a line of it if that is not 0.
func (e env) tell(s diag.Severity, file string, line uint32, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	e.say(diag.List{{File: file, Pos: diag.Pos{Line: line}, Severity: s, Code: remark, Msg: msg}}, func() string {
		at := printable(file)
		if line > 0 {
			at += fmt.Sprintf(":%d", line)
		}
		return fmt.Sprintf("%s: %v: %s\n", at, s, printable(msg))
	})
}

// notes prints notes and warnings about files, or lines of them.
func (e env) notes(list diag.List) {
	for _, d := range list {
		e.tell(d.Severity, d.File, d.Pos.Line, "%s", d.Msg)
	}
}

// more says how many messages about a file are not printed, if any.
func (e env) more(file string, n int) {
	switch {
	case n <= 0:
	case e.json, e.kept != nil:
		e.tell(diag.Note, file, 0, "%d more", n)
	default:
		fmt.Fprintf(e.stderr, "%s: %d more\n", printable(file), n)
	}
}

// list prints diagnostics, a line each.
func (e env) list(list diag.List) {
	e.say(list, func() (text string) {
		for _, one := range list {
			text += printable(one.Error()) + "\n"
		}
		return text
	})
}

// exit prints an error that has not been printed, and returns the exit status.
func exit(err error, e env) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFindings):
		return 1
	case errors.Is(err, errPrinted):
		return 2
	}
	all := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		all = several.Unwrap()
	}
	for _, err := range all {
		e.say(diag.List{{Code: failure, Msg: err.Error()}}, func() string { return "ptxabi: " + printable(err.Error()) + "\n" })
	}
	return 2
}

// messages are those of a command, in its order.
type messages struct {
	list  diag.List
	print []func() // on standard error, as the command would have
}

// add adds others.
func (m *messages) add(more *messages) {
	m.list, m.print = append(m.list, more.list...), append(m.print, more.print...)
}

// replay prints what was kept, or keeps it further.
func (e env) replay(m *messages) {
	if e.kept != nil {
		e.kept.add(m)
		return
	}
	for _, print := range m.print {
		print()
	}
}

// formOf is the value of -format on a command line, "" if it has none.
func formOf(args []string) (form string) {
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		name, value, ok := strings.Cut(args[i], "=")
		if name != "-format" && name != "--format" {
			continue
		}
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		form = value
	}
	return form
}

// appendLines appends diagnostics in the form of check -format json. Each has a code.
func appendLines(dst []byte, list diag.List) []byte {
	for _, d := range list {
		if d.Code == "" {
			own := *d
			if own.Code = remark; own.Severity == diag.Error {
				own.Code = failure
			}
			d = &own
		}
		dst = report.AppendJSON(dst, diag.List{d})
	}
	return dst
}

// A document is JSON on its way to a writer, which lacks the brace that ends it and what stands around that.
type document struct {
	w    io.Writer
	some bool // something is written
	end  []byte
}

func (d *document) Write(p []byte) (int, error) {
	all := append(d.end, p...)
	text := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(all, "\n"), []byte("}")), "\n")
	d.end = bytes.Clone(all[len(text):])
	d.some = d.some || len(p) > 0
	if _, err := d.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// runJSON runs a command whose result is JSON. Where there are errors, what is wrong is JSON too, on standard output: an
// object with diagnostics in place of a result, or the diagnostics of a result that errors leave; or a line for each from
// check, as its own are. All other messages go to standard error.
func runJSON(args []string, e env) int {
	out := &document{w: e.stdout}
	own := e
	own.stdout, own.kept = out, &messages{}
	status := exit(dispatch(args, own), own)
	list := own.kept.list
	lines := appendLines(nil, list)
	var doc []byte
	switch json := formOf(args) == "json"; {
	case status == 0 || list.Err() == nil:
	case args[0] == "check" && status == 2 && json:
		doc = lines
	case !out.some:
		doc = append(appendDiagnostics([]byte("{"), lines), "}\n"...)
	case args[0] != "check" && json && bytes.Contains(out.end, []byte("}")):
		doc = append(appendDiagnostics([]byte(",\n "), lines), out.end...)
		out.end = nil
	}
	if err := write(e.stdout, append(out.end, doc...)); err != nil {
		return exit(err, e)
	}
	if doc == nil {
		e.replay(own.kept)
	}
	return status
}

// appendDiagnostics appends diagnostics, which are lines, as a field of an object.
func appendDiagnostics(dst, lines []byte) []byte {
	sep := `"diagnostics": [`
	for _, one := range jsonOf(lines) {
		dst = jsonline.Append(append(dst, sep...), one)
		sep = ",\n  "
	}
	return append(dst, ']')
}

// jsonOf are diagnostics, which are lines.
func jsonOf(lines []byte) []json.RawMessage {
	all := []json.RawMessage{}
	for line := range bytes.Lines(lines) {
		all = append(all, bytes.TrimSpace(line))
	}
	return all
}

// A printer writes diagnostics to standard error.
type printer struct {
	e env
	diag.Printer
	floor diag.Severity // what is less severe is left out
	whole bool          // everything is printed, not the first of each code
}

// newPrinter returns a printer of everything about one source, or about those
// that have no lines to show. Source lines are for terminals; so are colours,
// unless the flag says otherwise.
func newPrinter(e env, o *options, src *source) printer {
	p := printer{e: e, floor: diag.Note, whole: o.verbose}
	if e.terminal && src != nil {
		p.Texts = diag.Texts{src.name: diag.NewText(src.text)}
	}
	switch o.color {
	case "always":
		p.Color = true
	case "auto":
		p.Color = e.terminal && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
	}
	return p
}

// printer returns a printer of the diagnostics that -severity lets through.
func (o *options) printer(e env, src *source) printer {
	p := newPrinter(e, o, src)
	p.floor = o.floor()
	return p
}

// floor is the least severity that is shown.
func (o *options) floor() diag.Severity {
	s, _ := diag.ParseSeverity(o.severity) // one of the values of the flag
	return s
}

// most is how many diagnostics of one code and file are printed one by one.
const most = 10

func (p printer) all(list diag.List) {
	list = list.AtLeast(p.floor)
	p.e.say(list, func() string {
		if !p.whole {
			list = report.First(list, most, "-v")
		}
		return string(p.Append(nil, list))
	})
}

// isTerminal reports whether f is a terminal, as far as the standard library
// shows: a device of characters that is not the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	null, _ := os.Stat(os.DevNull)
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !os.SameFile(info, null)
}

// textsOf returns the sources that a list is about.
func textsOf(list diag.List, sources map[string]*source) diag.Texts {
	texts := make(diag.Texts)
	add := func(file string) {
		if src := sources[file]; src != nil && texts[file] == nil {
			texts[file] = diag.NewText(src.text)
		}
	}
	for _, d := range list {
		add(d.File)
		for i := range d.Related {
			add(d.FileOf(&d.Related[i]))
		}
	}
	return texts
}

// A progress shows on a terminal how far long work is. The zero value shows nothing.
type progress struct {
	e     env
	what  string
	total int
	done  int
	began time.Time
	shown time.Time
	width int // of the text on the line
}

// Times after which progress is shown, and shown again.
const (
	patient = time.Second
	again   = 100 * time.Millisecond
)

// newProgress is the progress of work of total steps.
func newProgress(e env, what string, total int) *progress {
	if !e.terminal {
		return &progress{}
	}
	return &progress{e: e, what: what, total: total, began: time.Now()}
}

// step counts one more step as done.
func (p *progress) step() {
	if p.done++; p.total == 0 {
		return
	}
	now := time.Now()
	if now.Sub(p.began) < patient || now.Sub(p.shown) < again {
		return
	}
	p.shown = now
	p.show(fmt.Sprintf("%s: %d of %d", p.what, p.done, p.total))
}

// hide clears the line, so that others can be printed.
func (p *progress) hide() {
	if p.width > 0 {
		p.show("")
		fmt.Fprint(p.e.stderr, "\r")
	}
}

func (p *progress) show(text string) {
	fmt.Fprintf(p.e.stderr, "\r%s%s", text, strings.Repeat(" ", max(p.width-len(text), 0)))
	p.width = len(text)
}
