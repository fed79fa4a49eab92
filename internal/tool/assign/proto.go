package assign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// ProtoName is what positions in the text of a prototype begin with.
const ProtoName = "-proto"

// A Prototype is C or C++ that declares functions.
type Prototype struct {
	Head string // the lines that include headers
	Text string
	Lang string            // "" for C++, which CUDA is, and for C where that alone has no errors
	By   layoutcmd.Options // the producer, and the files that may be included
}

// Assign places the values of the functions that the text declares, as their producer declares them in PTX: of those
// that are right.
func (p *Prototype) Assign(t *abi.Target) ([]resolve.Assigned, diag.List, error) {
	res, err := p.read()
	if err != nil {
		return nil, nil, err
	}
	diags := res.Warnings
	var headers diag.List // what of them cannot be read, which may be why something else is not known
	for _, d := range res.Errors {
		if d.File != ProtoName && cdecl.Confined(d.Code) {
			less := *d
			less.Severity = diag.Warning
			headers.Add(&less)
			continue
		}
		diags.Add(d)
	}
	funcs := p.declared(res.Unit)
	if len(funcs) == 0 && diags.Err() == nil {
		diags.Add(&diag.Diagnostic{
			File: ProtoName, Pos: diag.Pos{Line: 1, Col: 1}, Code: cdecl.Syntax, Msg: "no function is declared here, such as float f(int n)",
		})
	}
	var list []resolve.Assigned
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
	return list, diags, nil
}

// place places the values of one function. Positions are those in C.
func place(res *layoutcmd.Result, f *cdecl.FuncDecl, t *abi.Target) (*resolve.Assigned, diag.List) {
	decl, why := res.Declare(f, layoutcmd.Identifier(f.Name))
	if why != nil {
		return nil, diag.List{why}
	}
	fn := resolve.NewFunction(&ptx.Module{Name: f.Pos.File}, decl.Func)
	places, diags := fn.Assign(t)
	return &resolve.Assigned{Function: *fn, Places: places}, append(decl.Notes, diags...)
}

// read reads the text after its headers: as C++, which CUDA is, and as C where that
// alone has no errors.
func (p *Prototype) read() (*layoutcmd.Result, error) {
	text := p.Head + fmt.Sprintf("# 1 %q\n", ProtoName) + p.Text
	if !strings.HasSuffix(strings.TrimSpace(p.Text), ";") {
		text += ";"
	}
	opts, load := p.By, layoutcmd.LoadEither
	opts.SkipTemplates = true
	if p.Lang != "" {
		opts.Lang, load = p.Lang, layoutcmd.Load
	}
	res, err := load(ProtoName, []byte(text+"\n"), opts)
	if err != nil || p.Lang != "" || len(res.Errors) == 0 {
		return res, err
	}
	// The semicolon that was added is no part of the text.
	lines := strings.Split(strings.TrimRight(p.Text, " \t\r\n"), "\n")
	end := diag.Pos{Line: uint32(len(lines)), Col: uint32(len(lines[len(lines)-1])) + 1}
	for _, e := range res.Errors {
		if e.File == ProtoName && !e.Pos.Before(end) {
			e.Msg = strings.Replace(e.Msg, "found ;", "found the end of the text", 1)
		}
	}
	return res, nil
}

// declared returns the functions that the text declares: those that stand in it, and
// those that a header has declared before.
func (p *Prototype) declared(u *cdecl.Unit) []*cdecl.FuncDecl {
	var own []*cdecl.FuncDecl
	for _, f := range u.Funcs {
		if f.Pos.File == ProtoName {
			own = append(own, f)
		}
	}
	if len(own) > 0 {
		return own
	}
	called := regexp.MustCompile(`[A-Za-z_$][\w$]*\s*\(`).FindAllString(p.Text, -1)
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
