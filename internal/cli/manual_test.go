package cli_test

import (
	_ "embed"
	"flag"
	"io"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// values are those of the flags of set.
type values struct {
	all    bool
	types  []string
	header string
	form   string
	n      int
}

//go:embed testdata/help/read.txt
var read []byte

var files = fstest.MapFS{
	"help/read.txt":   {Data: read},
	"help/common.txt": {Data: []byte("-format FORM: text, json\n  text or json\n")},
	"help/short.txt":  {Data: []byte("usage: short\r\n\r\n-o FILE\r\n  output\r\n  or not\r\n")},
	"help/wrong.txt":  {Data: []byte("usage: wrong\n\n-missing\n")},
}

func set(v *values) *manual.Set {
	s := manual.NewSet(manual.Page(files, "read"))
	s.Bind(&v.all, "all")
	s.Bind(&v.types, "type")
	s.Bind(&v.header, "emit-header")
	v.form = "text"
	other := "not this one"
	s.BindCommon(map[string]any{"all": &other, "format": &v.form, "unknown": &other})
	s.Bind(&v.n, "n").Hints = []string{"1", "2"}
	return s
}

var help = set(new(values)).Help

func TestManualHelp(t *testing.T) {
	golden.Hold(t, "testdata/help.txt", help.String())
	assert.Equal(t, "usage: short\n\n  -o FILE        output or not\n", manual.Page(files, "short").Help.String())
	assert.Panics(t, func() { manual.Page(files, "wrong") })
	assert.Panics(t, func() { manual.Page(files, "none") })
}

func TestManualRoff(t *testing.T) {
	p := manual.Program{Name: "tool", Short: "reads files", Commands: []manual.Command{{Name: "read", Short: "reads one", Help: help}, {Name: "help"}}}
	golden.Hold(t, "testdata/tool.1", string(p.Roff()))
}

func TestManualScript(t *testing.T) {
	p := manual.Program{Name: "read", Help: help}
	script, err := p.Script("fish")
	require.NoError(t, err)
	assert.Equal(t, `# Completion of read for fish, printed by "read completion fish".
complete -c read -o all -d 'all of it'
complete -c read -o type -x -d 'these alone'
complete -c read -o emit-header -r -d 'a header, too; what follows would not fit into the line of the flag'
complete -c read -o format -x -a 'text json' -d 'text or json'
complete -c read -o n -x -a '1 2' -d 'how many; 0 for all'
`, script)
	_, err = p.Script("tcsh")
	assert.EqualError(t, err, `"tcsh" is none of bash, zsh, fish`)
}

func TestManualParse(t *testing.T) {
	var v values
	s := set(&v)
	rest, err := s.Parse([]string{"-type", "A", "x", "-all", "-type=B", "-n", "3", "--", "-n"})
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "-n"}, rest)
	assert.Equal(t, values{all: true, types: []string{"A", "B"}, form: "text", n: 3}, v)
	assert.True(t, s.Given("all"))
	assert.False(t, s.Given("format"))

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-typ", "A"}, "flag provided but not defined: -typ; did you mean -type?"},
		{[]string{"-N", "3"}, "flag provided but not defined: -N; did you mean -n?"},
		{[]string{"-x"}, "flag provided but not defined: -x"},
		{[]string{"-n", "x"}, `invalid value "x" for flag -n: not a number that it takes`},
		{[]string{"-all=x"}, `invalid boolean value "x" for -all: neither true nor false`},
		{[]string{"-emit-header", "-all"}, "-emit-header has no value: -all follows it"},
		{[]string{"-format", "xml"}, `-format "xml" is none of text, json`},
		{[]string{"-format", ""}, `-format "" is none of text, json`},
	} {
		_, err := set(new(values)).Parse(c.args)
		assert.EqualError(t, err, c.want, c.args)
	}
	_, err = set(new(values)).Parse([]string{"x", "-h"})
	assert.ErrorIs(t, err, flag.ErrHelp)

	s = set(&v)
	_, err = s.Parse([]string{"-emit-header="})
	require.NoError(t, err)
	assert.Equal(t, "emit-header", s.Empty())
	assert.Equal(t, "", s.Empty("format"))
	assert.Panics(t, func() { s.Bind(io.Discard, "n") })
	assert.Panics(t, func() { s.Bind(new(string), "w") })
}
