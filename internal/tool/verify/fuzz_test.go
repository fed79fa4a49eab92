package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

// FuzzCompare compares any bytes that read as a cubin with any text that reads as PTX, and with a
// struct: the text has as many differences as it says, and the JSON can be written.
func FuzzCompare(f *testing.F) {
	for _, name := range []string{"narrow-sm_52-11.8", "handles-sm_80-12.4", "sm_80-12.4", "sm_100-13.5", "linked-sm_80-12.4"} {
		data := must.Read(f, filepath.Join(cubins, name+".cubin"))
		for _, module := range []string{"module", "narrow", "handles"} {
			src := must.Read(f, filepath.Join(cubins, "..", module+".ptx"))
			f.Add(data, ".version 8.6\n.target sm_80\n.address_size 64\n"+string(src))
		}
	}
	data := must.Read(f, "testdata/frames-sm_35-11.8.cubin")
	src, err := os.ReadFile("testdata/frames.ptx")
	require.NoError(f, err)
	f.Add(data, string(src))
	if data, err = os.ReadFile("testdata/debug-sm_80-12.4.cubin"); err != nil {
		f.Fatal(err)
	}
	f.Add(data, ".version 7.8\n.target sm_80\n.address_size 64\n")
	record := &layout.Record{Name: "S", Fields: []layout.Field{
		{Name: "a", Type: layout.Scalar{Kind: layout.Double}}, {Name: "b", Type: layout.Scalar{Kind: layout.Char}},
	}}
	l, err := layout.Of(record, layout.LP64)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte, src string) {
		file, err := cubin.Open(data)
		if err != nil {
			return
		}
		row, err := abi.Assume(file.Arch)
		if err != nil {
			return
		}
		m, _ := ptx.Parse("x.ptx", []byte(src))
		reports := []*verify.Report{(&verify.Binary{File: file, Name: "x.cubin"}).Compare(verify.NewModule(m).On(row))}
		for i := range file.Functions {
			fn := &file.Functions[i]
			if verify.Base(fn.Name); !fn.Kernel || len(reports) > 4 {
				continue
			}
			s := verify.Struct{File: "x.h", Name: "S", Line: 1, Layout: &l, Size: 16}
			reports = append(reports, (&verify.Binary{File: file, Name: "x.cubin"}).CompareStruct(s, row, fn.Name, verify.Whole),
				(&verify.Binary{File: file, Name: "x.cubin"}).CompareStruct(s, row, fn.Name, i))
		}
		for _, r := range reports {
			text := r.Text()
			if r.OK() != strings.HasSuffix(text, "\nno difference\n") {
				t.Errorf("%d differences, and the text ends %q", len(r.Findings()), text[max(0, len(text)-40):])
			}
			out, err := verify.JSON([]*verify.Report{r})
			require.NoError(t, err)
			require.True(t, utf8.Valid(out))
		}
	})
}
