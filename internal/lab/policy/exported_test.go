package policy_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// public are the packages that others import.
var public = []string{"abi", "abi/abitest", "check", "diag", "layout", "lower", "lower/frame", "lower/lowertest", "ptx", "ptx/dataflow", "resolve", "sass"}

// TestPublicPackages holds that list against the module: whatever is neither
// internal nor a command is public.
func TestPublicPackages(t *testing.T) {
	module, pkgs := list(t)
	var all []string
	for _, p := range pkgs {
		if name := local(module, p.ImportPath); name != "." && !strings.HasPrefix(name, "internal/") && !strings.Contains(name+"/", "/internal/") && !strings.HasPrefix(name, "cmd/") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	assert.Equal(t, all, public)
}

// entryPoints are where users come in: each has a runnable example.
var entryPoints = map[string]string{
	"abi":             "Assign ParseSignature Lookup Assume ErrorList",
	"abi/abitest":     "CheckPlaces Corpus Disagreement Random",
	"check":           "Source Module Link Explain",
	"diag":            "List Printer Apply",
	"layout":          "Of Layout_ParamOf Layout_Loads",
	"lower":           "Module Homes",
	"lower/frame":     "New",
	"lower/lowertest": "Compare CheckAllocation",
	"ptx":             "Parse ParseOutline Module_All Module_WriteTo",
	"ptx/dataflow":    "New Operands",
	"resolve":         "Functions Function_Assign Function_Call NewTable Target",
	"sass":            "Parse Program",
}

// TestExamples holds that they are there, and that each has an output, without
// which it is not run.
func TestExamples(t *testing.T) {
	for _, dir := range public {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, dir+"/example_test.go", nil, parser.ParseComments)
		if err != nil { // it stands with other tests
			f, err = parser.ParseFile(set, dir+"/"+filepath.Base(dir)+"_test.go", nil, parser.ParseComments)
		}
		require.NoError(t, err)
		var names []string
		for _, e := range doc.Examples(f) {
			names = append(names, e.Name)
			assert.NotEmpty(t, e.Output, "%s: Example%s", dir, e.Name)
			assert.NotEmpty(t, e.Doc, "%s: Example%s", dir, e.Name)
		}
		assert.NotEmpty(t, strings.Fields(entryPoints[dir]), dir)
		assert.Subset(t, names, strings.Fields(entryPoints[dir]), dir)
	}
}

// load returns the documentation of a package with its examples.
func load(t *testing.T, dir string) (*doc.Package, *token.FileSet) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	names := must.Glob(t, dir+"/*.go")
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, "github.com/ptxabi/ptxabi/"+dir, doc.AllDecls|doc.PreserveAST)
	require.NoError(t, err)
	return p, set
}

// TestEverythingIsDocumented holds that every exported name of the public
// packages has a comment: functions, methods and types of their own, constants
// and variables of their own, with the group that they stand in, or with the type
// whose values they are. Fields are with their struct.
func TestEverythingIsDocumented(t *testing.T) {
	count := 0
	for _, dir := range public {
		p, set := load(t, dir)
		assert.NotEmpty(t, p.Doc, dir)
		want := func(pos token.Pos, name, text string) {
			count++
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s.%s has no comment", set.Position(pos), p.Name, name)
			}
		}
		funcs := func(list []*doc.Func, of string) {
			for _, f := range list {
				if ast.IsExported(f.Name) && !conventional(f) {
					want(f.Decl.Pos(), of+f.Name, f.Doc)
				}
			}
		}
		values := func(list []*doc.Value, of string) {
			for _, v := range list {
				for _, spec := range v.Decl.Specs {
					s := spec.(*ast.ValueSpec)
					for _, name := range s.Names {
						if name.IsExported() {
							want(s.Pos(), name.Name, v.Doc+s.Doc.Text()+s.Comment.Text()+of)
						}
					}
				}
			}
		}
		funcs(p.Funcs, "")
		values(p.Consts, "")
		values(p.Vars, "")
		for _, typ := range p.Types {
			if !ast.IsExported(typ.Name) {
				continue
			}
			want(typ.Decl.Pos(), typ.Name, typ.Doc)
			funcs(typ.Funcs, "")
			funcs(typ.Methods, typ.Name+".")
			values(typ.Consts, typ.Doc)
			values(typ.Vars, "")
		}
	}
	assert.Greater(t, count, 300)
}

// conventional reports a method that says itself what it does and whose contract
// is the interface's.
func conventional(f *doc.Func) bool {
	return f.Recv != "" && slices.Contains([]string{"Error", "Unwrap", "String"}, f.Name)
}
