package link_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestOtherLanguage: a header that declares in C++ what a file defines in C, or the other way
// round, is compared with nothing, which a note says; overloads are no such case.
func TestOtherLanguage(t *testing.T) {
	const head = ".version 7.0\n.target sm_80\n.address_size 64\n"
	for _, tt := range []struct {
		name, defined string
		declared      []string
		want          string
	}{
		{"C++ of C", "g", []string{"_Z1gm"}, `the linker calls this function _Z1gm, which no file knows, so that it is not compared; x.ptx defines g, which is C: declare it extern "C" here`},
		{"C of C++", "_Z1gm", []string{"g"}, `the linker calls this function g, which no file knows, so that it is not compared; x.ptx defines _Z1gm, which is C++: declare it extern "C" there, or without it here`},
		{"both", "g", []string{"g", "_Z1gm"}, ""},
		{"overload", "_Z1gi", []string{"_Z1gm"}, ""},
		{"another", "h", []string{"_Z1gm"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := ptx.ParseString("x.ptx", head+".visible .func "+tt.defined+" (.param .b64 x) { ret; }\n")
			require.NoError(t, err)
			var text string
			for _, name := range tt.declared {
				text += ".extern .func " + name + " (.param .b64 x);\n"
			}
			h, err := ptx.ParseString("x.h", head+text)
			require.NoError(t, err)
			var funcs []*ptx.Func
			for _, it := range h.Items {
				if f, ok := it.(*ptx.Func); ok {
					funcs = append(funcs, f)
				}
			}
			s := new(link.Set)
			s.AddPTX(link.Place{Name: "x.ptx", File: "x.ptx"}, m)
			s.AddHeader(link.Place{Name: "x.h", File: "x.h"}, funcs)
			list := s.Report(link.Options{}).Diags
			if tt.want == "" {
				assert.Empty(t, list)
				return
			}
			require.Len(t, list, 1)
			assert.Equal(t, tt.want, list[0].Msg)
			assert.Equal(t, check.MissingDefinition, list[0].Code)
			assert.NoError(t, list.Err())
		})
	}
}
