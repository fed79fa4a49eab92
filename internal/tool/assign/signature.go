package assign

import (
	"errors"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
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
