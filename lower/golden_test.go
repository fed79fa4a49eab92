package lower_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	cases "github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The sections of the cases under testdata/golden:
//
//	print          the module as the printer writes it
//	assign sm_80   every function with its assignment, once, and prototypes below
//	               the function that declares them
//	lower sm_80    the pseudo-SASS of a module that has no errors
//	homes sm_80    the same with the homes and slots that a second input,
//	               homes.txt, has for registers
//	dump plan sm_80  what lowering has after a stage: body, plan, selected or code
//	diags sm_80    every diagnostic about a module; "none" where there is none
func TestGolden(t *testing.T) {
	cases.Run(t, "../testdata/golden", map[string]cases.Section{
		"print":  printSection,
		"assign": assignSection,
		"lower":  lowerSection,
		"homes":  homesSection,
		"diags":  diagsSection,
		"dump":   dumpSection,
	})
}

// TestGoldenReadme runs the case that testdata/README.md shows.
func TestGoldenReadme(t *testing.T) {
	text := must.Read(t, "../testdata/README.md")
	_, example, ok := strings.Cut(string(text), "```txtar\n")
	require.True(t, ok)
	example, _, ok = strings.Cut(example, "```\n")
	require.True(t, ok)
	dir := filepath.Join(t.TempDir(), "topic")
	require.NoError(t, os.Mkdir(dir, 0o777))
	file := filepath.Join(dir, "case.txtar")
	require.NoError(t, os.WriteFile(file, []byte(example), 0o666))
	cases.Run(t, filepath.Dir(dir), map[string]cases.Section{"lower": lowerSection})
	after, err := os.ReadFile(file) // PTXABI_UPDATE=1 writes there what the document should show
	require.NoError(t, err)
	require.Equal(t, string(after), example, "../testdata/README.md is stale")
}

// goldenModule reads the case's module, its only input but for homes. The list is what the parser says
// of it.
func goldenModule(c *cases.Case) (*ptx.Module, diag.List, error) {
	if n := len(c.Inputs); n != 1 && (n != 2 || c.Inputs[1].Name != homesInput) {
		return nil, nil, fmt.Errorf("%d inputs, expected in.ptx alone, or %s after it", n, homesInput)
	}
	m, err := ptx.Parse(c.Inputs[0].Name, c.Inputs[0].Data)
	var list diag.List
	if err != nil && !errors.As(err, &list) {
		return nil, nil, err
	}
	return m, list, nil
}

// goldenTarget returns the row that a section names. It may not be older than
// the architecture that the module names.
func goldenTarget(m *ptx.Module, args []string) (*abi.Target, error) {
	if len(args) != 1 {
		return nil, errors.New("the section's name has to have a target after its first word")
	}
	t, err := abi.Lookup(args[0])
	if err != nil {
		return nil, err
	}
	if of, err := abi.Lookup(m.Target); err == nil && of.SM > t.SM {
		return nil, fmt.Errorf("%s is older than the module's %s", t.Name, of.Name)
	}
	return t, nil
}

func dumpSection(c *cases.Case, args []string) ([]byte, error) {
	m, _, err := goldenModule(c)
	if err != nil {
		return nil, err
	}
	if len(args) != 2 {
		return nil, errors.New("the section's name has to be dump, a stage and a target")
	}
	t, err := goldenTarget(m, args[1:])
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = lower.Write(&b, m.Source(), lower.Options{File: m.Name, Target: t, Stage: lower.Stage(args[0])})
	return b.Bytes(), err
}

func printSection(c *cases.Case, _ []string) ([]byte, error) {
	m, _, err := goldenModule(c)
	if err != nil {
		return nil, err
	}
	return m.AppendText(nil), nil
}

func assignSection(c *cases.Case, args []string) ([]byte, error) {
	m, _, err := goldenModule(c)
	if err != nil {
		return nil, err
	}
	t, err := goldenTarget(m, args)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	one := func(name string, s abi.Signature) {
		a, err := abi.Assign(s, t)
		if err != nil {
			fmt.Fprintf(&b, "%s: %s: error: %v\n", name, s, err)
			return
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", name, s, a)
	}
	table := resolve.NewTable(m)
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || table.Lookup(f.Name).Func != f {
			continue // a declaration of what is defined or declared elsewhere
		}
		one(f.Name, resolve.NewFunction(m, f).Signature())
		for _, st := range f.Body {
			if p, ok := st.(*ptx.Prototype); ok {
				one(f.Name+"."+p.Name, resolve.NewPrototype(nil, p).Signature())
			}
		}
	}
	return []byte(b.String()), nil
}

// lowered is the program, or nil where the module has errors, and every
// diagnostic about it.
func lowered(c *cases.Case, args []string, opts lower.Options) (*sass.Program, diag.List, error) {
	m, _, err := goldenModule(c)
	if err != nil {
		return nil, nil, err
	}
	t, err := goldenTarget(m, args)
	if err != nil {
		return nil, nil, err
	}
	var list diag.List
	opts.Diags = &list
	prog, err := lower.Module(m, t, opts)
	var more diag.List
	if err != nil && !errors.As(err, &more) {
		return nil, nil, err
	}
	list = append(list, more...)
	list.Sort()
	if list.Err() != nil {
		return nil, list, nil
	}
	if err := sassverify.Verify(m, prog, t); err != nil {
		return nil, nil, fmt.Errorf("lowered to what cannot be:\n%w", err)
	}
	return prog, list, nil
}

func lowerSection(c *cases.Case, args []string) ([]byte, error) {
	return lowerWith(c, args, lower.Options{})
}

func lowerWith(c *cases.Case, args []string, opts lower.Options) ([]byte, error) {
	prog, list, err := lowered(c, args, opts)
	switch {
	case err != nil:
		return nil, err
	case prog == nil:
		return nil, fmt.Errorf("the module has errors, which stand in a section diags:\n%w", list.Err())
	}
	return prog.AppendText(nil), nil
}

func diagsSection(c *cases.Case, args []string) ([]byte, error) {
	_, list, err := lowered(c, args, lower.Options{})
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return []byte("none\n"), nil
	}
	return []byte(list.Error() + "\n"), nil
}
