package annotate_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// FuzzText annotates any text that reads as a listing, with the names of any that reads as PTX:
// nothing but comments is added.
func FuzzText(f *testing.F) {
	paths := must.Glob(f, "testdata/golden/*.txtar")
	for _, path := range paths {
		data := must.Read(f, path)
		files := txtar.Parse(data).Files
		f.Add(files[1].Data, files[0].Data)
	}
	f.Fuzz(func(t *testing.T, listing, module []byte) {
		prog, err := sass.Parse("in.sass", listing)
		if err != nil {
			return
		}
		row, err := abi.Lookup(prog.Target)
		if err != nil {
			return
		}
		o := annotate.Options{Target: row, Registers: true}
		m, _ := ptx.Parse("in.ptx", module)
		o.Funcs, _ = annotate.FromPTX(m, row)
		out, err := text(listing, o)
		require.NoError(t, err)
		require.NoError(t, unchanged(listing, out))
		a, d := annotate.New(o), annotate.Document{File: "in.sass"}
		var doc []byte
		r := annotate.NewReader("in.sass", bytes.NewReader(listing))
		for s, err := r.Next(); s != nil; s, err = r.Next() {
			require.NoError(t, err)
			if s.Func != nil {
				doc = d.Append(doc, a.Func(s), &o)
			}
		}
		if doc != nil {
			require.True(t, json.Valid(append(doc, d.End()...)))
		}
	})
}
