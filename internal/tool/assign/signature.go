package assign

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Signature places the values of a signature in the notation of docs/abi.md. The function is called sig, its values
// p0, p1 … and r0. Where there are none the list says why, with places in the text, which is called name.
func Signature(name, text string, t *abi.Target) (*resolve.Function, abi.Assignment, abi.Explanation, diag.List) {
	var list diag.List
	wrong := func(col int, msg string) {
		list.Add(&diag.Diagnostic{File: name, Pos: diag.Pos{Line: 1, Col: uint32(col)}, Code: resolve.BadSignature, Msg: msg})
	}
	s, err := abi.ParseSignature(text)
	if syntax := abi.SyntaxErrorList(nil); errors.As(err, &syntax) {
		for _, one := range syntax {
			wrong(one.Col, one.Msg)
		}
		list.Sort()
		return nil, abi.Assignment{}, abi.Explanation{}, list
	}
	places, why, err := abi.Explain(s, t)
	if errs := abi.ErrorList(nil); errors.As(err, &errs) {
		params, results := valueColumns(text)
		for _, one := range errs {
			columns := params
			if one.Result {
				columns = results
			}
			if one.Param < 0 || one.Param >= len(columns) {
				wrong(1, one.Msg)
			} else {
				wrong(columns[one.Param], one.Error())
			}
		}
		list.Sort()
		return nil, abi.Assignment{}, abi.Explanation{}, list
	}
	return functionOf(s), places, why, nil
}

// functionOf returns a function of a signature. Its formals have the types of the
// values; where they live is for package abi to say.
func functionOf(s abi.Signature) *resolve.Function {
	pos := diag.Pos{Line: 1, Col: 1}
	f := &ptx.Func{Name: "sig", Entry: s.Kind == abi.Entry, Pos: pos, NamePos: pos}
	if s.Preserve.Given {
		f.Directives = []ptx.Directive{{Name: resolve.PreserveName, Args: strconv.Itoa(s.Preserve.N)}}
	}
	f.Params, f.Results = formalsOf("p", s.Params), formalsOf("r", s.Results)
	return resolve.NewFunction(nil, f)
}

// formalsOf returns formals that are called a letter and their number.
func formalsOf(letter string, values []abi.Value) []ptx.Formal {
	var list []ptx.Formal
	for i, v := range values {
		f := ptx.Formal{Spec: ptx.Spec{Space: ptx.ParamSpace, Type: ptx.B8}, Var: ptx.Var{Name: letter + strconv.Itoa(i)}}
		switch scalar, ok := scalars[v.Size]; {
		case v.Kind == abi.Opaque:
			f.Type = ptx.TexRef
		case v.Kind == abi.Unsized && v.Size == 0:
			f.Align, f.Dims = int64(v.Align), []int64{ptx.NoExtent}
		case v.Kind == abi.Data && ok && v.Align == v.Size:
			f.Type = scalar
		default:
			f.Align, f.Dims = int64(v.Align), []int64{int64(v.Size)}
		}
		list = append(list, f)
	}
	return list
}

// scalars are the types of values that are aligned to their size, in bytes.
var scalars = map[int]ptx.Type{1: ptx.B8, 2: ptx.B16, 4: ptx.B32, 8: ptx.B64, 16: ptx.B128}

// valueColumns returns the columns of the values of a signature that was read.
func valueColumns(text string) (params, results []int) {
	list := &params
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			params = append(params, next(text, i+1))
		case '>':
			results = append(results, next(text, i+1))
			list = &results
		case ',':
			*list = append(*list, next(text, i+1))
		case ';':
			return params, results
		}
	}
	return params, results
}

// next returns the column of the first byte from i on that is no blank.
func next(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i + 1
}

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
