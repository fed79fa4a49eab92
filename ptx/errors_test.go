package ptx_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// A wanted is an error that a file under testdata/errors expects.
type wanted struct {
	pos diag.Pos // Col is 0 where any will do
	rx  *regexp.Regexp
}

var marker = regexp.MustCompile(`/\* (ERROR|MISSING) "((?:[^"\\]|\\.)*)" \*/[ \t]*|// (ERROR) "((?:[^"\\]|\\.)*)"`)

// wants collects the errors that comments in the text expect:
//
//	/* ERROR "regexp" */    at what follows the comment
//	/* MISSING "regexp" */  where the comment begins, after what precedes it
//	// ERROR "regexp"       anywhere in the line
func wants(t *testing.T, text string) (list []wanted) {
	t.Helper()
	for _, m := range marker.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		at := m[1]
		if group(1) == "MISSING" {
			at = m[0]
		}
		pos := diag.Pos{
			Line: uint32(strings.Count(text[:at], "\n") + 1),
			Col:  uint32(at - strings.LastIndexByte(text[:at], '\n')),
		}
		pattern := group(2)
		if group(3) != "" {
			pos.Col, pattern = 0, group(4)
		}
		rx, err := regexp.Compile(strings.ReplaceAll(pattern, `\"`, `"`))
		require.NoError(t, err)
		list = append(list, wanted{pos, rx})
	}
	return list
}

// TestErrors checks that every error of the files under testdata/errors is
// found where it is, that there is no other, and that what could be built of
// the tree prints.
func TestErrors(t *testing.T) {
	files := must.Glob(t, "testdata/errors/*.ptx")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := must.Read(t, file)
			want := wants(t, string(text))
			require.NotEmpty(t, want, "a case without errors belongs into testdata/tree")
			checkErrors(t, text, want)
			crlf := strings.ReplaceAll(string(text), "\n", "\r\n")
			checkErrors(t, []byte(crlf), want)
			checkErrors(t, []byte("\ufeff"+crlf), want)
		})
	}
}

func checkErrors(t *testing.T, text []byte, want []wanted) {
	t.Helper()
	m, err := ptx.Parse("in.ptx", text)
	var list diag.List
	require.ErrorAs(t, err, &list)
	require.NotNil(t, m)
	m.AppendText(nil)
	want = slices.Clone(want)
	for _, e := range list {
		assert.Equal(t, ptx.BadSyntax, e.Code)
		assert.Equal(t, diag.Error, e.Severity)
		assert.NotRegexp(t, `\.$|^[A-Z]`, e.Msg)
		i := slices.IndexFunc(want, func(w wanted) bool {
			return w.pos.Line == e.Pos.Line && (w.pos.Col == 0 || w.pos.Col == e.Pos.Col) && w.rx.MatchString(e.Msg)
		})
		if i < 0 {
			t.Errorf("not expected: %v", e)
			continue
		}
		want = slices.Delete(want, i, i+1)
	}
	for _, w := range want {
		t.Errorf("no error at %v: %v", w.pos, w.rx)
	}
}

// TestNothingIsLost checks that a broken item or statement takes nothing else
// with it: the good ones around it are in the tree.
func TestNothingIsLost(t *testing.T) {
	files := must.Glob(t, "testdata/errors/*.ptx")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := must.Read(t, file)
			m, _ := ptx.Parse(file, text)
			printed := string(m.AppendText(nil))
			for _, good := range regexp.MustCompile(`good\w*`).FindAllString(string(text), -1) {
				assert.Contains(t, printed, good)
			}
		})
	}
}

// TestOtherFormats checks that a file that is no text gets one line.
func TestOtherFormats(t *testing.T) {
	for text, want := range map[string]string{
		"\xff\xfe.\x00v\x00\n\x00": "in.ptx:1:1: error: the file is UTF-16 text; convert it to UTF-8 [BadSyntax]",
		"\xfe\xff\x00.\x00v\x00\n": "in.ptx:1:1: error: the file is UTF-16 text; convert it to UTF-8 [BadSyntax]",
		"\x7fELF\x02\x01\x01\n\n":  "in.ptx:1:1: error: the file is an ELF object such as a cubin, not PTX [BadSyntax]",
	} {
		m, err := ptx.Parse("in.ptx", []byte(text))
		assert.EqualError(t, err, want)
		assert.NotNil(t, m)
	}
	m, err := ptx.Parse("in.ptx", []byte(".global .b32 x;\n\x00\x00"))
	require.NoError(t, err, "C programs end text with a zero byte")
	assert.Len(t, m.Items, 1)
	m, err = ptx.Parse("in.ptx", nil)
	require.NoError(t, err)
	assert.Empty(t, m.Items)
	assert.Empty(t, m.AppendText(nil))
}

// TestManyErrors checks that all of many errors are reported, in order.
func TestManyErrors(t *testing.T) {
	text := ".version 8.0\n" + strings.Repeat("garbage;\n", 200_000)
	_, err := ptx.Parse("in.ptx", []byte(text))
	var list diag.List
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 200_000)
	require.True(t, slices.IsSortedFunc(list, func(a, b *diag.Diagnostic) int {
		return int(a.Pos.Line) - int(b.Pos.Line)
	}))
}
