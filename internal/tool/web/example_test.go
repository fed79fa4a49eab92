package web_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// TestRecords says of each field where its bits are and how a value is written.
func TestRecords(t *testing.T) {
	r := web.Answer(web.Request{Lang: "c++", Text: `enum E { no, yes }; struct P { int x, y; };
struct S { char c; float f[3]; unsigned a : 3, b : 5; bool ok; P p[2]; E e; void *q; long double l; };
struct Huge { char c[2000]; };`})
	require.Len(t, r.Records, 2)
	assert.Equal(t, web.RecordField{ID: "t0.f0", Name: "x", Type: "int", Start: 0, Bits: 32, Step: 32, Count: 1, Kind: "int"}, r.Records[0].Fields[0])
	s := r.Records[1]
	assert.Equal(t, "S", s.Name)
	got := map[string]web.RecordField{}
	for _, f := range s.Fields {
		f.ID, f.Type = "", ""
		got[f.Name] = f
	}
	assert.Equal(t, web.RecordField{Name: "f", Start: 32, Bits: 32, Step: 32, Count: 3, Kind: "float"}, got["f"])
	assert.Equal(t, web.RecordField{Name: "b", Start: 131, Bits: 5, Step: 32, Count: 1, Kind: "uint"}, got["b"])
	assert.Equal(t, web.RecordField{Name: "ok", Start: 136, Bits: 1, Step: 8, Count: 1, Kind: "uint"}, got["ok"])
	assert.Equal(t, web.RecordField{Name: "p[1].y", Start: 256, Bits: 32, Step: 32, Count: 1, Kind: "int"}, got["p[1].y"])
	assert.Equal(t, "uint", got["e"].Kind)
	assert.Equal(t, "uint", got["q"].Kind)
	assert.Equal(t, "", got["l"].Kind)
}
