package main

import (
	"os"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/report"
)

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

// printer returns a printer of what -severity lets through.
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
// can tell: a device of characters that is not the null device.
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
