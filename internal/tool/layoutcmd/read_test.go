package layoutcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRecords reads layouts that C has, and those that only padding makes.
func TestRecords(t *testing.T) {
	doc := func(size, align, fields string) string {
		return `{"format": "ptxabi.layout/1", "types": [{"name": "S", "size": ` + size + `, "align": ` + align + `, "fields": [` + fields + `]}]}`
	}
	const n, x = `{"path": "n", "type": "Int32", "offset": 0, "size": 4}`, `{"path": "x", "type": "Float64", "offset": `
	for _, tt := range []struct {
		text string
		want []string // type, name and offset of each member
	}{
		{doc("16", "8", n+","+x+`8, "size": 8}`), []string{"n", "x"}},
		{doc("24", "8", x+`16, "size": 8},`+n), []string{"n", "_", "x"}},
		{doc("12", "4", n+","+x+`4, "size": 8}`), []string{"n", "x"}},
		{doc("8", "8", n+`,{"path": "u", "type": "float", "offset": 0, "size": 4}, {"path": "b", "type": "int", "offset": 4, "bitOffset": 0, "bitWidth": 3}`), []string{"n", "b"}},
		{doc("8", "4", n+`,{"path": "a", "type": "int", "offset": 4, "bitOffset": 3, "bitWidth": 7}, {"path": "b", "type": "int", "offset": 6, "bitOffset": 1, "bitWidth": 9}`), []string{"n", "", "a", "", "b"}},
		{doc("16", "4", `{"path": "a", "type": "f32[4]", "offset": 0, "size": 16}`), []string{"a"}},
	} {
		all, err := Records([]byte(tt.text))
		require.NoError(t, err, tt.text)
		require.Len(t, all, 1)
		var names []string
		for _, m := range all[0].Members {
			names = append(names, m.Field.Name)
		}
		assert.Equal(t, tt.want, names, tt.text)
	}
	for text, want := range map[string]string{
		"[]":                           "not JSON of layout",
		`{"format": "x"}`:              `its format is "x", expected ptxabi.layout/1`,
		doc("8", "3", n):               "an alignment of 3, expected a power of two",
		doc("9", "8", n):               "its size of 9 bytes is not a multiple of its alignment of 8",
		doc("2", "1", n):               "field n has the bytes 0 to 4, and the type has 2",
		doc("4", "4", `{"path": "n"}`): "field n has no size",
		doc("4", "4", `{"path": "n", "offset": 3, "bitOffset": 1, "bitWidth": 8}`): "bit-field n has the bits 25 to 33, and the type has 32",
		doc("99999999", "1", n): "a size of 99999999 bytes",
	} {
		_, err := Records([]byte(text))
		assert.ErrorContains(t, err, want)
	}
}
