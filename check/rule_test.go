package check_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

const exampleHead = ".version 8.3\n.target sm_90\n.address_size 64\n"

// TestRules holds each rule to having all that it is to have, and to its
// example: checked as it says, it draws the code at the severity that is stated,
// and no other code but those it names.
func TestRules(t *testing.T) {
	for _, code := range check.Codes() {
		t.Run(string(code), func(t *testing.T) {
			r, ok := check.Explain(code)
			require.True(t, ok)
			require.Equal(t, code, r.Code)
			assertTexts(t, r)
			if len(r.Modules) > 0 {
				assert.Empty(t, r.Example, "an example is one module or several")
				var mods []*ptx.Module
				for i, src := range r.Modules {
					m := must.Parse(t, []string{"a.ptx", "b.ptx", "c.ptx"}[i], []byte(exampleHead+src))
					mods = append(mods, m)
				}
				assertDrawn(t, r, check.Link(mods))
				return
			}
			require.NotEmpty(t, r.Example)
			src := r.Example
			if !strings.Contains(src, ".version") {
				src = exampleHead + src
			}
			m := must.Parse(t, "example.ptx", []byte(src))
			assertDrawn(t, r, check.Module(m, check.Options{Compile: r.Compile}))
		})
	}
}

// TestRuleOfSyntax holds the rule of the code that is declared in package ptx.
func TestRuleOfSyntax(t *testing.T) {
	r, ok := check.Explain(ptx.BadSyntax)
	require.True(t, ok)
	require.Equal(t, ptx.BadSyntax, r.Code)
	assertTexts(t, r)
	_, err := ptx.Parse("example.ptx", []byte(exampleHead+r.Example))
	var list diag.List
	require.ErrorAs(t, err, &list)
	assertDrawn(t, r, list)
}

func assertTexts(t *testing.T, r check.Rule) {
	t.Helper()
	assert.True(t, strings.HasPrefix(r.When, string(r.Code)+" occurs when "), r.When)
	for _, text := range []string{r.When, r.Fix, r.Source} {
		assert.Regexp(t, `^\S.*\.$`, text)
		assert.NotContains(t, text, "  ")
	}
}

func assertDrawn(t *testing.T, r check.Rule, all diag.List) {
	t.Helper()
	drawn := make(map[diag.Code]bool)
	for _, d := range all {
		drawn[d.Code] = true
		if d.Code == r.Code {
			assert.Equal(t, r.Severity, d.Severity)
			assert.True(t, d.Pos.IsValid(), "a diagnostic has a place")
			continue
		}
		assert.Contains(t, r.Also, d.Code, "the example draws another code: %v", d)
	}
	for _, code := range append(r.Also, r.Code) {
		assert.True(t, drawn[code], "the example does not draw %s:\n%v", code, all)
	}
}

func TestExplainUnknown(t *testing.T) {
	r, ok := check.Explain("NoSuchCode")
	assert.False(t, ok)
	assert.Zero(t, r)
}

// TestExplainCopies holds that callers cannot change the tables.
func TestExplainCopies(t *testing.T) {
	for _, code := range []diag.Code{check.MismatchedModules, check.BranchedStore} {
		want, _ := check.Explain(code)
		r, _ := check.Explain(code)
		for i := range r.Modules {
			r.Modules[i] = ""
		}
		for i := range r.Also {
			r.Also[i] = ""
		}
		got, _ := check.Explain(code)
		assert.Equal(t, want, got)
	}
}

// TestCodesAndRules reads the source of the package. The constants of codes
// stand in codes.go, in the order of the rules. What the rest of
// the package reports are these constants, each of them somewhere.
func TestCodesAndRules(t *testing.T) {
	var tables, rest []*ast.File
	set := token.NewFileSet()
	names := must.Glob(t, "*.go")
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "rule.go" { // which makes codes of the words of rules.txt
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		if name == "codes.go" {
			tables = append(tables, f)
		} else {
			rest = append(rest, f)
		}
	}

	codes := check.Codes()
	at := make(map[string]int) // of a code in the order of the rules
	for i, code := range codes {
		at[string(code)] = i
	}
	require.Len(t, at, len(codes), "a code has two rules")
	declared := 0
	for _, f := range tables {
		list := constants(t, f)
		require.NotEmpty(t, list)
		declared += len(list)
		first := at[list[0]]
		require.LessOrEqual(t, first+len(list), len(codes))
		for i, code := range codes[first : first+len(list)] {
			assert.Equal(t, string(code), list[i], "%s: not in the order of the rules", set.Position(f.Pos()).Filename)
		}
	}
	assert.Equal(t, len(codes), declared)

	for _, f := range rest {
		assert.Empty(t, constants(t, f), "a code outside of codes.go")
	}
	for _, e := range reported(rest) {
		if isBadSyntax(e) {
			continue
		}
		id, ok := e.(*ast.Ident)
		if !ok || ast.IsExported(id.Name) && !slices.Contains(codes, diag.Code(id.Name)) {
			t.Errorf("%s: not a code with a rule", set.Position(e.Pos()))
		}
	}
	used := make(map[string]bool)
	for _, f := range rest {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	for _, code := range codes {
		assert.True(t, used[string(code)], "nothing reports %s", code)
	}
}

// constants returns the names of the constants of type diag.Code in a file, each
// of which has its name as value.
func constants(t *testing.T, f *ast.File) []string {
	var list []string
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if !isCode(v.Type) {
				continue
			}
			require.Len(t, v.Names, 1)
			value := v.Values[0].(*ast.BasicLit).Value
			assert.Equal(t, strconv.Quote(v.Names[0].Name), value)
			list = append(list, v.Names[0].Name)
		}
	}
	return list
}

// reported returns the expressions that files give as a code: the arguments for
// parameters of type diag.Code, fields named Code, and conversions to the type.
func reported(files []*ast.File) []ast.Expr {
	params := make(map[string]int) // the index of the parameter
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			i := 0
			for _, p := range fn.Type.Params.List {
				if isCode(p.Type) {
					params[fn.Name.Name] = i
				}
				i += len(p.Names)
			}
		}
	}
	var list []ast.Expr
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := ""
				switch fn := n.Fun.(type) {
				case *ast.Ident:
					name = fn.Name
				case *ast.SelectorExpr:
					name = fn.Sel.Name
				}
				if i, ok := params[name]; ok && i < len(n.Args) {
					list = append(list, n.Args[i])
				}
				if isCode(n.Fun) {
					list = append(list, n)
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Code" {
					list = append(list, n.Value)
				}
			}
			return true
		})
	}
	return list
}

func isCode(e ast.Expr) bool { return isSelector(e, "diag", "Code") }

// isBadSyntax reports the code that is declared in package ptx.
func isBadSyntax(e ast.Expr) bool { return isSelector(e, "ptx", "BadSyntax") }

func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == pkg
}
