package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/ptx"
)

const checkHelp = `usage: ptxabi check [flags] FILE...|DIR...|-

Check prints every complaint about the parameter passing of PTX modules: what
NVIDIA's assembler refuses, as errors; what the manual forbids and the assembler
takes, and what it translates into something else than the text says, as
warnings. Of a directory it takes all files that end in .ptx. Files that cannot be
read do not keep it from the others; the exit status is 2 then.

  -c             the modules are for separate linking: externs may be missing,
                 and every function is held to the ABI. Without it a module is a
                 whole program
  -pedantic      what the manual forbids is an error
  -link          hold the declarations of all modules against each other, too;
                 implies -c
  -target SM     architecture, which must run the modules
  -format FORM   text, on standard error; json, an object a line, whose form
                 docs/schemas/check.schema.json describes; or sarif, the format
                 SARIF 2.1.0 of code scanners
` + diagHelp + `
"ptxabi explain CODE" says more about a complaint.

Examples:

  ptxabi check x.ptx
  ptxabi check -c -pedantic x.ptx
  ptxabi check -format sarif x.ptx
`

func runCheck(e env, args []string) error {
	o := newOptions("check")
	var opts check.Options
	var link bool
	o.set.BoolVar(&opts.Compile, "c", false, "")
	o.set.BoolVar(&opts.Pedantic, "pedantic", false, "")
	o.set.BoolVar(&link, "link", false, "")
	o.set.StringVar(&o.target, "target", "", "")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if err := o.oneOf("format", o.format, "text", "json", "sarif"); err != nil {
		return err
	}
	if len(rest) == 0 {
		return o.errorf("no FILE; - is standard input")
	}
	if o.target != "" {
		if _, err := archOf(o.target); err != nil {
			return err
		}
	}
	opts.Compile = opts.Compile || link

	files, failed := expand(rest)
	var list ptx.ErrorList
	var mods []*ptx.Module
	sources := make(map[string]*source, len(files))
	for _, file := range files {
		src, err := read(e, file)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		sources[src.name] = src
		m, all := check.Source(src.name, src.text, opts)
		mods, list = append(mods, m), append(list, all...)
		if err := o.runs(m); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", src.name, err))
		}
	}
	if link && len(failed) == 0 { // else what one module lacks may be in a file that was not read
		list = append(list, check.Link(mods)...)
	}
	err = o.report(e, list, sources)
	if len(failed) > 0 && (err == nil || errors.Is(err, errFindings)) {
		return errors.Join(failed...)
	}
	return err
}

// report writes the complaints, and reports whether one of them is an error.
func (o *options) report(e env, list ptx.ErrorList, sources map[string]*source) error {
	var out []byte
	var err error
	switch o.format {
	case "json":
		out, err = appendCheckJSON(nil, list)
	case "sarif":
		out, err = appendSARIF(nil, list, sources)
	default:
		for _, x := range list {
			newPrinter(e, o.color, sources[x.File]).all(ptx.ErrorList{x})
		}
	}
	if err == nil && out != nil {
		err = write(e.stdout, out)
	}
	if err == nil && list.Err() != nil {
		return errFindings
	}
	return err
}

// runs refuses a -target that does not run a module.
func (o *options) runs(m *ptx.Module) error {
	if o.target == "" {
		return nil
	}
	wanted, err := archOf(o.target)
	if err != nil {
		return err
	}
	own, err := archOf(m.Target)
	if err != nil {
		return nil // the module names none that is known
	}
	return own.refuse(wanted)
}

// expand replaces directories by the files in them that end in .ptx, in order.
// The errors are about directories that cannot be read.
func expand(args []string) (files []string, failed []error) {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, arg) // reading says what is wrong with it
			continue
		}
		_ = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				failed = append(failed, fmt.Errorf("%s: %w", path, reason(err)))
			case !d.IsDir() && strings.HasSuffix(path, ".ptx"):
				files = append(files, path)
			}
			return nil
		})
	}
	return files, failed
}

// A checkPlace is a place of the JSON form.
type checkPlace struct {
	File    string `json:"file"`
	Line    uint32 `json:"line"`
	Column  uint32 `json:"column"`
	Message string `json:"message"`
}

// A checkError is one line of the JSON form.
type checkError struct {
	File     string       `json:"file"`
	Line     uint32       `json:"line"`
	Column   uint32       `json:"column"`
	Severity string       `json:"severity"`
	Code     string       `json:"code"`
	Message  string       `json:"message"`
	Related  []checkPlace `json:"related"`
}

// appendCheckJSON appends an object a line. Line and column are 0 where a
// complaint is about no place.
func appendCheckJSON(dst []byte, list ptx.ErrorList) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for _, e := range list {
		out := checkError{
			File: e.File, Line: e.Pos.Line, Column: e.Pos.Col,
			Severity: e.Severity.String(), Code: e.Code, Message: e.Msg,
			Related: make([]checkPlace, 0, len(e.Related)),
		}
		for _, r := range e.Related {
			out.Related = append(out.Related, checkPlace{relatedFile(e, r), r.Pos.Line, r.Pos.Col, r.Msg})
		}
		if err := enc.Encode(out); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// relatedFile returns the file that a related place is in.
func relatedFile(e *ptx.Error, r ptx.Related) string {
	if r.File != "" {
		return r.File
	}
	return e.File
}
