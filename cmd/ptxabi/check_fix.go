package main

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/ptx"
)

// fixable refuses flags that do not go with -fix, or only with it.
func (o *options) fixable(fix bool, files []string) error {
	toOutput := o.output == "-" || o.output == "" && slices.Contains(files, "-")
	switch {
	case !fix && o.output != "":
		return o.errorf("-o is for -fix: it says where the fixed text goes")
	case fix && toOutput && o.format != "text":
		return o.errorf("-fix writes the fixed text to standard output, and so does -format %s; -o FILE takes the text", o.format)
	}
	return nil
}

// A checker reads and checks a source, as [source.check] does.
type checker func(src *source, opts check.Options, bodies bool) (*ptx.Module, diag.List, error)

// maxRounds bounds how often fixes are applied to one text. Each round but the
// first is for fixes that overlapped, or that became possible by another.
const maxRounds = 10

// fixAll applies the fixes of a list to the text that it is about, checks what comes
// out, and goes on until there is nothing to fix. It returns the text and what
// remains to be said of it. The error says why there is none: the text could not be
// checked, or has an error that the one before had not.
func fixAll(text string, list diag.List, recheck func(text string) (diag.List, error)) (string, diag.List, error) {
	known := make(map[said]int)
	for _, d := range list.Errors() {
		known[said{d.Code, d.Msg}]++
	}
	for range maxRounds {
		// A syntax error hides others, which its fix would bring up: that one is for editors.
		fixable := slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool { return d.Code == ptx.BadSyntax })
		out, applied, _, err := diag.Apply(text, fixable)
		if err != nil {
			return "", nil, err
		}
		if len(applied) == 0 || out == text {
			break
		}
		after, err := recheck(out)
		if err != nil {
			return "", nil, err
		}
		if d := newError(known, after); d != nil {
			return "", nil, fmt.Errorf("nothing is written: the fixed text would have another error: %s: %s [%s]", d.Pos, d.Msg, d.Code)
		}
		text, list = out, after
	}
	return text, list, nil
}

// said is what an error says wherever it is: fixes move positions.
type said struct {
	code diag.Code
	msg  string
}

// newError returns the first error that there are more of than known; nil if there
// is none.
func newError(known map[said]int, list diag.List) *diag.Diagnostic {
	count := make(map[said]int)
	for _, d := range list.Errors() {
		key := said{d.Code, d.Msg}
		if count[key]++; count[key] > known[key] {
			return d
		}
	}
	return nil
}

// A checked is a source with what was found out about it.
type checked struct {
	src    *source
	module *ptx.Module
	list   diag.List
}

// fix fixes a source and writes what comes out: to where -o says, to standard output
// if it came from standard input, or else in its place, unless nothing has changed.
func (o *checking) fix(e env, c checked) (checked, error) {
	name := c.src.name
	if o.output != "" && o.output != "-" {
		name = o.output // which has the text that positions are of
	}
	before := c.src
	text, _, err := fixAll(before.text, c.list, func(text string) (diag.List, error) {
		next, err := o.one(&source{name: name, path: before.path, text: text})
		if err == nil {
			c = next
		}
		return next.list, err
	})
	switch {
	case err != nil:
		return checked{}, fmt.Errorf("%s: %w", before.name, err)
	case o.output != "" || before.path == "":
		return c, o.emit(e, []byte(text))
	case text == before.text:
		return c, nil
	}
	return c, ofFile(before.name, disk.Replace(before.path, []byte(text)))
}
