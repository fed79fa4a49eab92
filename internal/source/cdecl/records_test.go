package cdecl

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/layout"
)

// A record is a case of testdata/layout/records.json: what clang 19 says of a
// record for nvptx64, and the parameters it and NVIDIA's front end make of it.
type record struct {
	Name, Lang, Source string
	Size, Align        int64
	Fields             []struct {
		Offset int64
		Bits   []int64
		Depth  int
		Decl   string
	}
	Arg         *string `json:"arg"`
	Ret         *string `json:"ret"`
	InternalArg *string `json:"internal_arg"`
	InternalRet *string `json:"internal_ret"`
	KernelArg   *string `json:"kernel_arg"`
	NVCC        *struct {
		Arg, Ret, Kernel *string
	}
}

func records(t *testing.T) []record {
	t.Helper()
	data := must.Read(t, "../../../testdata/layout/records.json")
	var rs []record
	require.NoError(t, json.Unmarshal(data, &rs))
	require.Len(t, rs, 103)
	return rs
}

func rulesFor(lang string) layout.Rules {
	r := layout.LP64
	if lang == "c++" {
		r.Lang = layout.CXX
	}
	return r
}

// typeT returns the layout of what a case calls T.
func typeT(u *Unit) *layout.Layout {
	for _, r := range u.Records {
		if r.Name == "T" {
			return r.Layout
		}
	}
	return nil
}

type flat struct {
	offset, bit, bits int64
	depth             int
	decl              string
}

func flatten(l *layout.Layout, off int64, depth int) []flat {
	var out []flat
	for i := range l.Members {
		m := &l.Members[i]
		f := flat{offset: off + m.Offset, depth: depth}
		if m.Field.BitField {
			f.bit, f.bits = m.Bit, m.Field.Bits
		}
		f.decl = m.Field.Name
		out = append(out, f)
		if _, ok := layout.Unalias(m.Field.Type).(*layout.Record); ok {
			out = append(out, flatten(m.Layout, f.offset, depth+1)...)
		}
	}
	return out
}

func TestRecords(t *testing.T) {
	for _, r := range records(t) {
		t.Run(r.Name, func(t *testing.T) {
			u, err := Parse("<stdin>", []byte(r.Source), Options{Rules: rulesFor(r.Lang)})
			if r.Name == "cxx-virtual" {
				require.ErrorContains(t, err, "virtual functions are not supported")
				return
			}
			require.NoError(t, err)
			l := typeT(u)
			require.NotNil(t, l)
			require.Equal(t, r.Size, l.Size, "size")
			require.Equal(t, r.Align, l.Align, "alignment")
			got := flatten(l, 0, 1)
			require.Len(t, got, len(r.Fields))
			for i, f := range r.Fields {
				want := flat{offset: f.Offset, depth: f.Depth, decl: got[i].decl}
				if f.Bits != nil {
					want.bit, want.bits = f.Bits[0], f.Bits[1]-f.Bits[0]+1
				}
				require.Equal(t, want, got[i], f.Decl)
			}
		})
	}
}

// TestRecordParams holds the .param texts against those that clang 19 and
// NVIDIA's front end emitted.
func TestRecordParams(t *testing.T) {
	const pointer = ".param .b64 NAME"
	for _, r := range records(t) {
		if r.Name == "cxx-virtual" {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			parse := func(rules layout.Rules) *layout.Layout {
				u, err := Parse("<stdin>", []byte(r.Source), Options{Rules: rules})
				require.NoError(t, err)
				l := typeT(u)
				require.NotNil(t, l)
				return l
			}
			check := func(l *layout.Layout, p layout.Producer, role layout.Role, want *string, what string) {
				if want == nil {
					return
				}
				w := *want
				if strings.Contains(w, "pointer") {
					w = pointer
				}
				require.Equal(t, w, l.ParamOf(p, role, "NAME").String(), what)
			}
			l := parse(rulesFor(r.Lang))
			check(l, layout.Clang, layout.Argument, r.Arg, "clang argument")
			check(l, layout.Clang, layout.Result, r.Ret, "clang result")
			check(l, layout.Clang, layout.KernelArgument, r.KernelArg, "clang kernel argument")
			check(l, layout.Clang, layout.InternalArgument, r.InternalArg, "clang internal argument")
			check(l, layout.Clang, layout.InternalResult, r.InternalRet, "clang internal result")
			if r.NVCC != nil {
				l = parse(layout.LP64.NVCC())
				check(l, layout.NVCC, layout.Argument, r.NVCC.Arg, "nvcc argument")
				check(l, layout.NVCC, layout.Result, r.NVCC.Ret, "nvcc result")
				check(l, layout.NVCC, layout.KernelArgument, r.NVCC.Kernel, "nvcc kernel argument")
			}
		})
	}
}
