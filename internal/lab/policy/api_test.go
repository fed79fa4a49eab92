package policy_test

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestAPI holds testdata/api.txt against what the public packages export: who changes
// that sees it in the diff, where a line that goes or changes may break a caller.
// PTXABI_UPDATE=1 rewrites it.
func TestAPI(t *testing.T) {
	var b bytes.Buffer
	for _, dir := range public {
		exported(t, &b, dir)
	}
	golden.Hold(t, "testdata/api.txt", b.String())
}

// exported appends what a package exports: declarations without bodies and comments, in
// order of their names.
func exported(t *testing.T, b *bytes.Buffer, dir string) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	names := must.Glob(t, dir+"/*.go")
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, "github.com/ptxabi/ptxabi/"+dir)
	require.NoError(t, err)
	decl := func(node ast.Node) {
		b.WriteString(dir + ": ")
		require.NoError(t, (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(b, token.NewFileSet(), node))
		b.WriteByte('\n')
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			decl(v.Decl)
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			f.Decl.Body = nil
			decl(f.Decl)
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, typ := range p.Types {
		decl(typ.Decl)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
}
