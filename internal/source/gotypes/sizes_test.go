package gotypes_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/source/gotypes"
)

// TestSizes holds the sizes against those of go/types, which take too long for nested structs alone.
func TestSizes(t *testing.T) {
	var b strings.Builder
	b.WriteString("package x\ntype (\n")
	for i, f := range []string{"int8", "int16", "int32", "int64", "int", "complex64", "complex128", "string", "[]int", "*int", "any", "struct{}", "[0]int64", "[3]int16", "func()", "map[int]int"} {
		fmt.Fprintf(&b, "A%d struct { A %s }\nB%d struct { A int8; B %[2]s }\nC%[1]d struct { A %[2]s; B int8 }\nD%[1]d struct { A B%[1]d; B [2]C%[1]d; C A%[1]d }\n", i, f, i)
	}
	b.WriteString(")\n")
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", b.String(), 0)
	require.NoError(t, err)
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("x", fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	for _, arch := range []string{"amd64", "386", "arm", "arm64", "mips", "riscv64"} {
		want, got := types.SizesFor("gc", arch), gotypes.SizesFor(arch)
		for _, name := range pkg.Scope().Names() {
			typ := pkg.Scope().Lookup(name).Type()
			assert.Equal(t, want.Sizeof(typ), got.Sizeof(typ), "%s %s", arch, name)
			assert.Equal(t, want.Alignof(typ), got.Alignof(typ), "%s %s", arch, name)
			var fields []*types.Var
			for i := range typ.Underlying().(*types.Struct).NumFields() {
				fields = append(fields, typ.Underlying().(*types.Struct).Field(i))
			}
			assert.Equal(t, want.Offsetsof(fields), got.Offsetsof(fields), "%s %s", arch, name)
		}
	}
	assert.Nil(t, gotypes.SizesFor("none"))
}

// TestSizesNested has structs in structs, of which go/types would take 2^200 steps.
func TestSizesNested(t *testing.T) {
	var typ types.Type = types.Typ[types.Int32]
	for range 200 {
		typ = types.NewStruct([]*types.Var{types.NewField(0, nil, "A", typ, false)}, nil)
	}
	assert.Equal(t, int64(4), gotypes.SizesFor("amd64").Sizeof(typ))
}
