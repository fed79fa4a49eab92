package adapt

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

//go:embed header.txt
var headerText string

// Header returns declarations in C of the shim and of the callee, which nvcc and clang
// turn into the declarations in PTX that the shim has of both sides, but for the .f32 and .f64
// of GCC, which a comment says. Their types say how many bytes there are, and not what these mean. The list says which formals no type of C
// has; nil if there is a header.
func (s *Shim) Header() ([]byte, diag.List) {
	if list := s.inC(); len(list) > 0 {
		return nil, list
	}
	var b bytes.Buffer
	guard := "PTXABI_" + strings.ToUpper(strings.ReplaceAll(s.Name, "$", "_")) + "_H"
	for _, l := range s.Head {
		b.WriteString(strings.TrimRight("// "+l, " ") + "\n")
	}
	var callee, shim bytes.Buffer
	s.declareC(&callee, s.Callee, s.Callee.Name)
	s.declareC(&shim, s.Caller, s.Name)
	b.WriteString(strings.NewReplacer("GUARD", guard, "CALLEE\n", callee.String(), "SHIM\n", shim.String()).Replace(headerText))
	return b.Bytes(), nil
}

// inC reports the formals that are not a type of C.
func (s *Shim) inC() diag.List {
	e := errs{}
	for _, side := range []Side{Caller, Callee} {
		for i, p := range formals(s.side(side)) {
			size, align := sizeOf(p), alignOf(p)
			name := s.nameOf(Place{Side: side, Formal: i})
			switch {
			case len(p.Dims) == 0:
			case size%align != 0:
				e.add(p.Pos, "%s.%s: %d bytes aligned to %d, which no type of C has: declare it in PTX alone", side, name, size, align)
			case i == ResultFormal && align > 16:
				e.add(p.Pos, "%s.%s: a result aligned to %d, which clang makes of no type of C: declare it in PTX alone", side, name, align)
			}
		}
	}
	return e.list
}

// elements are the types of C that give a record their own alignment, which clang's results
// have of nothing else.
var elements = map[int64]string{1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long", 16: "unsigned __int128"}

// declareC declares f in C, after the records that it needs.
func (s *Shim) declareC(b *bytes.Buffer, f *ptx.Func, name string) {
	typeOf := func(p *ptx.Formal, what string) string {
		if len(p.Dims) == 0 {
			switch p.Type {
			case ptx.F32:
				return "float"
			case ptx.F64:
				return "double"
			}
			if p.Type.Size() == 8 {
				return "unsigned long long"
			}
			return "unsigned int"
		}
		record := "struct " + name + "_" + what
		if elem := elements[alignOf(p)]; elem != "" {
			fmt.Fprintf(b, "%s { %s words[%d]; };\n", record, elem, sizeOf(p)/alignOf(p))
		} else {
			fmt.Fprintf(b, "%s { unsigned char words[%d]; } __attribute__((aligned(%d)));\n", record, sizeOf(p), alignOf(p))
		}
		return record
	}
	if slices.ContainsFunc(slices.Concat(f.Results, f.Params), func(p ptx.Formal) bool { return p.Type == ptx.F32 || p.Type == ptx.F64 }) {
		b.WriteString("// For GCC alone: nvcc and clang make .b32 and .b64 of float and double, and GCC has .f32 and\n// .f64 here. The linker refuses one with the other.\n")
	}
	result := "void"
	if len(f.Results) == 1 {
		result = typeOf(&f.Results[0], "result")
	}
	var params []string
	for i := range f.Params {
		params = append(params, typeOf(&f.Params[i], fmt.Sprintf("param_%d", i))+fmt.Sprintf(" param_%d", i))
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	fmt.Fprintf(b, "PTXABI_DEVICE %s %s(%s);\n", result, name, strings.Join(params, ", "))
}
