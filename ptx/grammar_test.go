package ptx_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/exp/ebnf"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/ptx"
)

const grammarFile = "grammar.ebnf"

func grammar(t *testing.T) ebnf.Grammar {
	t.Helper()
	f, err := os.Open(grammarFile)
	require.NoError(t, err)
	defer f.Close()
	g, err := ebnf.Parse(grammarFile, f)
	require.NoError(t, err)
	return g
}

func TestGrammarIsComplete(t *testing.T) {
	require.NoError(t, ebnf.Verify(grammar(t), "Module"), "a production is not defined, or is not used")
}

// TestGrammarOfNodes checks that the productions in the comments of nodes.go,
// which are the lines that are indented in them, are those of the grammar.
func TestGrammarOfNodes(t *testing.T) {
	g := grammar(t)
	file, err := parser.ParseFile(token.NewFileSet(), "nodes.go", nil, parser.ParseComments)
	require.NoError(t, err)
	inNodes := make(map[string]bool)
	for _, c := range file.Comments {
		var b strings.Builder
		for _, line := range strings.Split(c.Text(), "\n") {
			if strings.HasPrefix(line, "\t") {
				b.WriteString(line + "\n")
			}
		}
		local, err := ebnf.Parse("nodes.go", strings.NewReader(b.String()))
		require.NoError(t, err, b.String())
		for name, p := range local {
			require.Contains(t, g, name)
			assert.Equal(t, format(g[name].Expr), format(p.Expr), "%s in nodes.go and in %s", name, grammarFile)
			inNodes[name] = true
		}
	}
	// Every node type has its production.
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			continue
		}
		for _, spec := range d.Specs {
			switch name := spec.(*ast.TypeSpec).Name.Name; name {
			case "Version", "ParamQual", "OperandKind", "Open", "Close": // values, and the ends of a Block
			default:
				assert.True(t, inNodes[name], "the comment of %s has no production", name)
			}
		}
	}
	assert.True(t, inNodes["Block"])
}

func TestGrammarOfTypes(t *testing.T) {
	g := grammar(t)
	var names []string
	for _, p := range []string{"type", "handle"} {
		for _, alt := range g[p].Expr.(ebnf.Alternative) {
			if tok, ok := alt.(*ebnf.Token); ok {
				names = append(names, tok.String)
			}
		}
	}
	var want []string
	for typ := ptx.NoType + 1; typ.String() != ".type?"; typ++ {
		want = append(want, typ.String())
		assert.Equal(t, typ, ptx.TypeOf(typ.String()))
	}
	assert.Equal(t, want, names)
	assert.Equal(t, ptx.NoType, ptx.TypeOf(".b31"))
	assert.Equal(t, ptx.NoType, ptx.TypeOf(""))
}

// format writes an expression in one way.
func format(e ebnf.Expression) string {
	switch e := e.(type) {
	case nil:
		return ""
	case ebnf.Alternative:
		return formatList(e, " | ")
	case ebnf.Sequence:
		return formatList(e, " ")
	case *ebnf.Name:
		return e.String
	case *ebnf.Token:
		return fmt.Sprintf("%q", e.String)
	case *ebnf.Range:
		return format(e.Begin) + " … " + format(e.End)
	case *ebnf.Group:
		return "( " + format(e.Body) + " )"
	case *ebnf.Option:
		return "[ " + format(e.Body) + " ]"
	case *ebnf.Repetition:
		return "{ " + format(e.Body) + " }"
	}
	panic(fmt.Sprintf("%T", e))
}

func formatList[E ebnf.Expression](list []E, between string) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = format(e)
	}
	return strings.Join(out, between)
}

// beyondGrammar matches the diagnostics about what a grammar cannot say.
var beyondGrammar = regexp.MustCompile("division by zero|too large|does not fit|nested too deeply|a range of no names|names in ranges")

// TestGrammarIsRead parses random sentences of the grammar.
func TestGrammarIsRead(t *testing.T) {
	modules := effort.Of(2000, 3000)
	if testing.Short() {
		modules = 300
	}
	s := &sentences{g: grammar(t), r: rand.New(rand.NewPCG(5, 6))}
	s.used = make(map[string]bool)
	read := 0
	for range modules {
		s.b.Reset()
		s.make(&ebnf.Name{String: "Module"}, 0, false)
		text := s.b.String()
		if _, err := ptx.Parse("in.ptx", []byte(text)); err != nil && !beyondGrammar.MatchString(err.Error()) {
			t.Fatalf("%v\n%s", err, text)
		} else if err == nil {
			read++
			roundTrip(t, "in.ptx", []byte(text))
			requireFieldsSuffice(t, "in.ptx", []byte(text))
		}
	}
	assert.Greater(t, read, modules*9/10)
	if testing.Short() {
		return // too few sentences to use every production
	}
	for name := range s.g {
		assert.True(t, s.used[name], "no sentence has used %s", name)
	}
}

// A sentences makes sentences of a grammar.
type sentences struct {
	g    ebnf.Grammar
	r    *rand.Rand
	b    strings.Builder
	used map[string]bool
}

// make writes what e describes. Within a token nothing stands between parts;
// deep down, options are left out.
func (s *sentences) make(e ebnf.Expression, depth int, inToken bool) {
	deep := depth > 40
	switch e := e.(type) {
	case ebnf.Alternative:
		i := s.r.IntN(len(e))
		if deep {
			i = len(e) - 1 // the simplest stands last where it matters
			if _, ok := e[0].(*ebnf.Token); ok {
				i = 0
			}
		}
		s.make(e[i], depth+1, inToken)
	case ebnf.Sequence:
		for _, part := range e {
			s.make(part, depth+1, inToken)
		}
	case *ebnf.Name:
		s.used[e.String] = true
		lexical := e.String[0] >= 'a'
		s.make(s.g[e.String].Expr, depth+1, inToken || lexical)
		if lexical && !inToken {
			s.blank()
		}
		switch e.String {
		case "Item", "Stmt", "dwarf":
			s.b.WriteByte('\n')
		}
	case *ebnf.Token:
		s.b.WriteString(e.String)
		if !inToken {
			s.blank()
		}
	case *ebnf.Range:
		from, to := e.Begin.String[0], e.End.String[0]
		s.b.WriteByte(from + byte(s.r.IntN(int(to-from)+1)))
	case *ebnf.Group:
		s.make(e.Body, depth+1, inToken)
	case *ebnf.Option:
		if !deep && s.r.IntN(2) == 0 {
			s.make(e.Body, depth+1, inToken)
		}
	case *ebnf.Repetition:
		for !deep && s.r.IntN(5) < 3 {
			s.make(e.Body, depth+1, inToken)
		}
	}
}

func (s *sentences) blank() {
	if s.r.IntN(20) == 0 {
		s.b.WriteString(" /* c */")
	}
	s.b.WriteByte(" \t"[s.r.IntN(2)])
}
