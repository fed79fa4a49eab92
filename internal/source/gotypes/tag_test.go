package gotypes

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestParseTag holds what each option of a tag means, and what is said of one
// that means nothing.
func TestParseTag(t *testing.T) {
	for _, test := range []struct {
		tag  string
		want Tag
		err  string
	}{
		{tag: ``},
		{tag: `json:"x"`},
		{tag: `ptxabi:"align=16"`, want: Tag{Align: 16}},
		{tag: `json:"x" ptxabi:"type=float4,name=n_rows"`, want: Tag{Type: "float4", Name: "n_rows"}},
		{tag: `ptxabi:"ptr"`, want: Tag{Ptr: true}},
		{tag: `ptxabi:"ptr=shared"`, want: Tag{Ptr: true, Space: "shared"}},
		{
			tag: `ptxabi:"bits=mode:3|:1|bias:-4"`,
			want: Tag{Bits: []Bit{
				{Name: "mode", Width: 3},
				{Width: 1},
				{Name: "bias", Width: 4, Signed: true},
			}},
		},
		{
			tag:  `ptxabi:"union=I:int32|V:float4"`,
			want: Tag{Union: []Alternative{{Name: "I", Type: "int32"}, {Name: "V", Type: "float4"}}},
		},

		{tag: `ptxabi:align=16`, err: "tag \"ptxabi:align=16\" is not of the form `ptxabi:\"…\"`"},
		{tag: `ptxabi:"align=3"`, err: `tag "align=3" is not align=N with a power of two`},
		{tag: `ptxabi:"align=-8"`, err: `tag "align=-8" is not align=N with a power of two`},
		{tag: `ptxabi:"type="`, err: `tag "type=" names no type`},
		{tag: `ptxabi:"ptr=heap"`, err: `tag "ptr=heap": "heap" is none of global, shared, local, const, param`},
		{tag: `ptxabi:"ptr="`, err: `tag "ptr=": "" is none of global, shared, local, const, param`},
		{tag: `ptxabi:"name=2x"`, err: `tag "name=2x": "2x" is not a name of C`},
		{tag: `ptxabi:"bits=a:0"`, err: `bit-field "a:0" is not name:width, or name:-width of a signed one`},
		{tag: `ptxabi:"bits=a:65"`, err: `bit-field "a:65" is not name:width, or name:-width of a signed one`},
		{tag: `ptxabi:"bits=a:-128"`, err: `bit-field "a:-128" is not name:width, or name:-width of a signed one`},
		{tag: `ptxabi:"align=4,align=8"`, err: `tag "align=4,align=8" says align twice`},
		{tag: `ptxabi:"bits=:16"`, err: `no bit-field of ":16" has a name; a field _ without a tag is padding`},
		{tag: `ptxabi:"bits=:3|:-5"`, err: `no bit-field of ":3|:-5" has a name; a field _ without a tag is padding`},
		{tag: `ptxabi:"bits=a:1|a:2"`, err: `there are two bit-fields a`},
		{tag: `ptxabi:"union=a"`, err: `member "a" of the union is not name:type`},
		{tag: `ptxabi:"union=a:int8|a:int16"`, err: `there are two members a in the union`},
		{tag: `ptxabi:"bits=a:1,ptr"`, err: `tag "bits=a:1,ptr": bits, union, ptr and type exclude each other`},
		{tag: `ptxabi:"volatile"`, err: `tag "volatile" is none of align=N, type=NAME, ptr, ptr=SPACE, bits=…, union=…, name=NAME`},
	} {
		got, err := ParseTag(test.tag)
		if test.err != "" {
			assert.EqualError(t, err, test.err, test.tag)
			continue
		}
		assert.NoError(t, err, test.tag)
		assert.Equal(t, test.want, got, test.tag)
	}
}

// TestDirective holds the same for the comments of types.
func TestDirective(t *testing.T) {
	for _, test := range []struct {
		comment string
		want    Directive
		err     string
	}{
		{comment: "// ptxabi:align 16 is prose"},
		{comment: "//ptxabi:align 16", want: Directive{Align: 16}},
		{comment: "//ptxabi:packed", want: Directive{Packed: true}},
		{comment: "//ptxabi:type half2", want: Directive{Type: "half2"}},
		{comment: "//ptxabi:ptr", want: Directive{Ptr: true}},
		{comment: "//ptxabi:ptr global", want: Directive{Ptr: true, Space: "global"}},
		{comment: "//ptxabi:header a.h", want: Directive{Header: "a.h"}},
		{comment: "//ptxabi:header a.h Params", want: Directive{Header: "a.h", Record: "Params"}},

		{comment: "// ptxabi:align 16", err: "a space makes this a comment like others; //ptxabi:align 16 is meant"},
		{comment: "//ptxabi:", err: "a directive without a name"},
		{comment: "//ptxabi:align", err: "alignment  is not a power of two"},
		{comment: "//ptxabi:align 12", err: "alignment 12 is not a power of two"},
		{comment: "//ptxabi:packed yes", err: `//ptxabi:packed: "yes" is too much`},
		{comment: "//ptxabi:type", err: "//ptxabi:type names no type"},
		{comment: "//ptxabi:ptr heap", err: "//ptxabi:ptr heap: not one of global, shared, local, const, param"},
		{comment: "//ptxabi:header", err: "//ptxabi:header names no file"},
		{comment: "//ptxabi:header a.h T more", err: `//ptxabi:header: "more" is too much`},
		{comment: "//ptxabi:aligned 8", err: "//ptxabi:aligned is none of align, packed, type, ptr, header"},
	} {
		var d Directive
		err := d.parse(&ast.Comment{Text: test.comment})
		if test.err != "" {
			assert.EqualError(t, err, test.err, test.comment)
			continue
		}
		assert.NoError(t, err, test.comment)
		assert.Equal(t, test.want, d, test.comment)
	}
}
