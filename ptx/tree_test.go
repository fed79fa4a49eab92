package ptx_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/ptx"
)

// The sections of the cases under testdata/tree:
//
//	tree    every node with its positions and the fields that are not zero
//	print   the module as the printer writes it
//	fields  the same from the nodes' fields, without the text that they keep
//
// Each case is read with other line ends and a byte-order mark as well, and is
// held against the promises of the printer.
func TestTree(t *testing.T) {
	section := func(text func(m *ptx.Module) []byte) golden.Section {
		return func(c *golden.Case, _ []string) ([]byte, error) {
			if len(c.Inputs) != 1 {
				return nil, errors.New("a case has one input")
			}
			m, err := ptx.Parse(c.Inputs[0].Name, c.Inputs[0].Data)
			if err != nil {
				return nil, err
			}
			return text(m), nil
		}
	}
	whole := section(dump)
	golden.Run(t, filepath.Join("testdata", "tree"), map[string]golden.Section{
		"tree": func(c *golden.Case, args []string) ([]byte, error) {
			want, err := whole(c, args)
			if err != nil {
				return nil, err
			}
			src := c.Inputs[0].Data
			t.Run(c.Name+"-other-line-ends", func(t *testing.T) { requireSameDump(t, src, want) })
			t.Run(c.Name+"-round-trip", func(t *testing.T) { roundTrip(t, c.Name, src) })
			t.Run(c.Name+"-fields", func(t *testing.T) { requireFieldsSuffice(t, c.Name, src) })
			return want, nil
		},
		"print": section(func(m *ptx.Module) []byte { return m.AppendText(nil) }),
		"fields": section(func(m *ptx.Module) []byte {
			forget(m)
			return m.AppendText(nil)
		}),
	})
}

// requireSameDump reads src with CRLF line ends, with a byte-order mark and
// without its last line end. Lines and columns stay what they are.
func requireSameDump(t *testing.T, src, want []byte) {
	t.Helper()
	crlf := bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
	cut := bytes.TrimSuffix(src, []byte("\n"))
	for name, text := range map[string][]byte{
		"CRLF":               crlf,
		"byte-order mark":    append([]byte("\ufeff"), src...),
		"no last line end":   cut,
		"mark, CRLF, no end": append([]byte("\ufeff"), bytes.TrimSuffix(crlf, []byte("\r\n"))...),
	} {
		m, err := ptx.Parse("in.ptx", text)
		require.NoError(t, err, name)
		got := bytes.ReplaceAll(dump(m), []byte(`\r\n`), []byte(`\n`)) // within kept text
		require.Equal(t, string(want), string(got), name)
	}
}
