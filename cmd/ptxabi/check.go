package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

const checkHelp = `usage: ptxabi check [flags] FILE...|DIR...|-

Check prints every complaint about the parameter passing of PTX modules: what
NVIDIA's assembler refuses, as errors; what the manual forbids and the assembler
takes, and what it translates into something else than the text says, as
warnings. Of a directory it takes all files that end in .ptx, of which one has to
be there. Files that cannot be read do not keep it from the others; the exit status
is 2 then, and a SARIF log says so, or is not printed if nothing could be read.

Beside a syntax error some complaints wait until it is mended. Where it is in a
body, these are about names that the function does not declare and about how many
arguments its calls have. Where it is elsewhere, or where a body begins or ends,
they are those of the whole module.

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
		return o.noFile()
	}
	if o.target != "" {
		if _, err := archOf(o.target); err != nil {
			return err
		}
	}
	opts.Compile = opts.Compile || link
	if twice := repeated(rest); twice != "" && (link || twice == "-") {
		return o.errorf("%s is given twice", twice)
	}

	files, failed := expand(rest)
	var list diag.List
	var mods []*ptx.Module
	sources := make(map[string]*source, len(files))
	for _, file := range files {
		src, err := read(e, file)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		sources[src.name] = src
		m, all, err := src.check(opts, link)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if len(all) == 0 && isBlank(m) {
			failed = append(failed, fmt.Errorf("%s: no PTX in it", src.name))
			continue
		}
		if all.Err() != nil && m.Version == (ptx.Version{}) {
			if err := notPTX(src); err != nil {
				failed = append(failed, err)
				continue
			}
		}
		mods, list = append(mods, m), append(list, all...)
		if err := o.runs(m); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", src.name, err))
		}
	}
	if link && len(failed) == 0 { // else what one module lacks may be in a file that was not read
		list = append(list, check.Link(mods)...)
	}
	if o.format == "sarif" && len(mods) == 0 {
		return errors.Join(failed...) // a log without results would say that all is mended
	}
	err = o.report(e, list, sources, failed)
	if len(failed) > 0 && (err == nil || errors.Is(err, errFindings)) {
		return errors.Join(failed...)
	}
	return err
}

// isBlank reports whether a module has nothing but comments in it.
func isBlank(m *ptx.Module) bool {
	return m.Version == (ptx.Version{}) && m.Target == "" && len(m.Items) == 0
}

// check does what check.Source does, without a copy of the text, and without a tree
// of it all if that is possible. The module has bodies if they are wanted.
func (src *source) check(opts check.Options, bodies bool) (*ptx.Module, diag.List, error) {
	if !bodies {
		if outline, err := ptx.ParseOutline(src.name, src.text); err == nil {
			if all, ok := check.Heads(outline, opts); ok {
				return outline.Module(), all, nil
			}
		}
	}
	m, all, err := src.parse()
	if err != nil {
		return nil, nil, err
	}
	opts.Partial, opts.Syntax = len(all) > 0, slices.Clone(all)
	all = append(all, check.Module(m, opts)...)
	all.Sort()
	return m, all, nil
}

// report writes the complaints, and reports whether one of them is an error.
// What could not be judged has failed.
func (o *options) report(e env, list diag.List, sources map[string]*source, failed []error) error {
	var out []byte
	var err error
	switch o.format {
	case "json":
		out, err = appendCheckJSON(nil, list)
	case "sarif":
		out, err = appendSARIF(nil, list, sources, failed)
	default:
		for _, x := range list {
			newPrinter(e, o.color, sources[x.File]).all(diag.List{x})
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
	return own.Refuse(wanted)
}

// repeated returns a file that is named more than once, "" if none is.
func repeated(files []string) string {
	seen := make(map[string]bool, len(files))
	for _, file := range files {
		key := filepath.Clean(file)
		if seen[key] {
			return file
		}
		seen[key] = true
	}
	return ""
}

// expand replaces directories by the files in them that end in .ptx, in order.
// The errors are about directories that cannot be read or have none.
func expand(args []string) (files []string, failed []error) {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, arg) // reading says what is wrong with it
			continue
		}
		found, wrong := len(files), len(failed)
		_ = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				failed = append(failed, fmt.Errorf("%s: %w", path, reason(err)))
			case !d.IsDir() && strings.HasSuffix(path, ".ptx"):
				files = append(files, path)
			}
			return nil
		})
		if len(files) == found && len(failed) == wrong {
			failed = append(failed, fmt.Errorf("%s: no .ptx file in it", arg))
		}
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
func appendCheckJSON(dst []byte, list diag.List) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for _, e := range list {
		out := checkError{
			File: e.File, Line: e.Pos.Line, Column: e.Pos.Col,
			Severity: e.Severity.String(), Code: string(e.Code), Message: e.Msg,
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
func relatedFile(e *diag.Diagnostic, r diag.Related) string {
	if r.File != "" {
		return r.File
	}
	return e.File
}
