package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A proto is what -proto and the flags that belong to it say.
type proto struct {
	text           string
	include, dirs  []string
	lang, producer string
	by             layoutcmd.Options // the producer alone
}

func (p *proto) addFlags(o *options) {
	p.producer = "nvcc"
	o.Bind(&p.text, "proto")
	o.Bind(&p.include, "include")
	o.Bind(&p.dirs, "I")
	o.Bind(&p.lang, "lang")
	o.Bind(&p.producer, "producer").Hints = layout.ProducerNames()
}

// check checks the flags.
func (p *proto) check(o *options) (err error) {
	if !o.Given("proto") {
		for _, name := range []string{"include", "I", "lang", "producer"} {
			if o.Given(name) {
				return o.errorf("-%s is for -proto", name)
			}
		}
		return nil
	}
	if err = p.by.SetProducer(p.producer); err != nil {
		return o.errorf("-producer: %w", err)
	}
	return nil
}

// protoName is what positions in the text of -proto begin with.
const protoName = "-proto"

// assignProto places the values of the functions that the text declares, as their
// producer declares them in PTX. It returns those that are right beside the error, nil if there are none.
func assignProto(e env, o *options, t target, p *proto) (*assigned, error) {
	head, err := p.head(o)
	if err != nil {
		return nil, err
	}
	src := &source{name: protoName, text: p.text}
	res, err := p.read(head)
	if err != nil {
		return nil, o.errorf("%w", err)
	}
	diags := res.Warnings
	var headers diag.List // what of them cannot be read, which may be why something else is not known
	for _, d := range res.Errors {
		if d.File != protoName && cdecl.Confined(d.Code) {
			less := *d
			less.Severity = diag.Warning
			headers.Add(&less)
			continue
		}
		diags.Add(d)
	}
	var list []resolve.Assigned
	funcs := p.declared(res.Unit)
	if len(funcs) == 0 && diags.Err() == nil {
		diags.Add(&diag.Diagnostic{
			File: protoName, Pos: diag.Pos{Line: 1, Col: 1}, Code: cdecl.Syntax, Msg: "no function is declared here, such as float f(int n)",
		})
	}
	for _, f := range funcs {
		one, more := place(res, f, t)
		diags = append(diags, more...)
		if one != nil && more.Err() == nil {
			list = append(list, *one)
		}
	}
	diags.Sort()
	if diags.Err() != nil {
		diags = append(headers, diags...)
	}
	o.printer(e, src).all(diags)
	a := &assigned{target: t, list: list}
	switch {
	case diags.Err() == nil:
		return a, nil
	case len(list) == 0:
		return nil, errFindings
	}
	return a, errFindings
}

// place places the values of one function. Positions are those in C.
func place(res *layoutcmd.Result, f *cdecl.FuncDecl, t target) (*resolve.Assigned, diag.List) {
	decl, why := res.Declare(f, layoutcmd.Identifier(f.Name))
	if why != nil {
		return nil, diag.List{why}
	}
	fn := resolve.NewFunction(&ptx.Module{Name: f.Pos.File}, decl.Func)
	places, diags := fn.Assign(t.Target)
	return &resolve.Assigned{Function: fn, Places: places}, append(decl.Notes, diags...)
}

// head returns the lines that include the headers. Each is looked for where the
// program runs, and then in the directories of -I.
func (p *proto) head(o *options) (string, error) {
	var b strings.Builder
	for _, name := range p.include {
		if name == "" || strings.ContainsAny(name, "\"\n\r") {
			return "", o.errorf("-include %q is not the name of a file that can be included", name)
		}
		found := ""
		for _, dir := range append([]string{""}, p.dirs...) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && !info.IsDir() {
				found = file
				break
			}
		}
		if found == "" {
			if len(p.dirs) > 0 {
				return "", fmt.Errorf("%s: no such file, here or in %s", name, strings.Join(p.dirs, ", "))
			}
			return "", fmt.Errorf("%s: no such file", name)
		}
		fmt.Fprintf(&b, "#include \"%s\"\n", filepath.ToSlash(found))
	}
	fmt.Fprintf(&b, "# 1 %q\n", protoName)
	return b.String(), nil
}

// read reads the text after its headers: as C++, which CUDA is, and as C where that
// alone has no errors.
func (p *proto) read(head string) (*layoutcmd.Result, error) {
	text := head + p.text
	if !strings.HasSuffix(strings.TrimSpace(p.text), ";") {
		text += ";"
	}
	load := func(lang string) (*layoutcmd.Result, error) {
		opts := p.by
		opts.Lang, opts.FS, opts.SkipTemplates = lang, includeFiles(p.dirs), true
		return layoutcmd.Load(protoName, []byte(text+"\n"), opts)
	}
	if p.lang != "" {
		return load(p.lang)
	}
	res, err := load("c++")
	if err != nil || len(res.Errors) == 0 {
		return res, err
	}
	if c, err := load("c"); err == nil && len(c.Errors) == 0 {
		return c, nil
	}
	// The semicolon that was added is no part of the text.
	lines := strings.Split(strings.TrimRight(p.text, " \t\r\n"), "\n")
	end := diag.Pos{Line: uint32(len(lines)), Col: uint32(len(lines[len(lines)-1])) + 1}
	for _, e := range res.Errors {
		if e.File == protoName && !e.Pos.Before(end) {
			e.Msg = strings.Replace(e.Msg, "found ;", "found the end of the text", 1)
		}
	}
	return res, nil
}

// declared returns the functions that the text declares: those that stand in it, and
// those that a header has declared before.
func (p *proto) declared(u *cdecl.Unit) []*cdecl.FuncDecl {
	var own []*cdecl.FuncDecl
	for _, f := range u.Funcs {
		if f.Pos.File == protoName {
			own = append(own, f)
		}
	}
	if len(own) > 0 {
		return own
	}
	called := regexp.MustCompile(`[A-Za-z_$][\w$]*\s*\(`).FindAllString(p.text, -1)
	for i, name := range called {
		called[i] = strings.TrimRight(name, "( \t\r\n")
	}
	for _, f := range u.Funcs {
		if slices.Contains(called, f.Name[strings.LastIndexByte(f.Name, ':')+1:]) {
			own = append(own, f)
		}
	}
	return own
}

// includeFiles are the files of the system by any path, those in some directories too.
type includeFiles []string

func (dirs includeFiles) Open(name string) (fs.File, error) {
	f, err := disk.System("").Open(name)
	if err == nil || path.IsAbs(name) {
		return f, err
	}
	for _, dir := range dirs {
		if f, err := disk.System("").Open(path.Join(filepath.ToSlash(dir), name)); err == nil {
			return f, nil
		}
	}
	return nil, err
}
