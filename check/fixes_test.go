package check_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestFixes applies each fix of the modules with recorded verdicts and of real ones, alone,
// and holds that what it is for is gone, and that the text has no error that it had not
// before.
func TestFixes(t *testing.T) {
	fixed := make(map[diag.Code]int)
	for _, pattern := range []string{"../testdata/check/modules/*.ptx", "../testdata/real/*.ptx"} {
		files := must.Glob(t, pattern)
		for _, file := range files {
			src := must.Read(t, file)
			if len(src) > 100_000 {
				continue
			}
			for _, opts := range []check.Options{{}, {Compile: true}} {
				_, before := check.Source(file, src, opts)
				for _, d := range before {
					if len(d.Fixes) == 0 {
						continue
					}
					only := *d
					only.Fixes = d.Fixes[:1]
					out, applied, _, err := diag.Apply(string(src), diag.List{&only})
					require.NoError(t, err, d)
					require.Len(t, applied, 1, d)
					_, after := check.Source(file, []byte(out), opts)
					assert.Less(t, number(after, d.Code), number(before, d.Code), "%v\n%s:\n%v", d, d.Fixes[0].Msg, after)
					assert.LessOrEqual(t, len(after.Errors()), len(before.Errors()), "%v\n%s:\n%v\nbefore:\n%v", d, d.Fixes[0].Msg, after, before)
					fixed[d.Code]++
				}
			}
		}
	}
	t.Log(fixed)
	assert.Greater(t, len(fixed), 10)
}

func number(list diag.List, code diag.Code) int {
	n := 0
	for _, d := range list {
		if d.Code == code {
			n++
		}
	}
	return n
}

var lineComment = regexp.MustCompile(`//.*`)

// TestFixesKeepComments puts a comment that looks like all that fixes look for into every
// blank of the modules, and holds that each of them is there after all fixes.
func TestFixesKeepComments(t *testing.T) {
	const comment = " /* [8] -4 .align .b32 x ::entry .ptr 1 ( ) ld.b32 { } ; */ "
	files := must.Glob(t, "../testdata/check/modules/*.ptx")
	applied := 0
	for _, file := range files {
		src := must.Read(t, file)
		if strings.Contains(string(src), "\"") || strings.Contains(string(src), "/*") {
			continue
		}
		text := strings.ReplaceAll(lineComment.ReplaceAllString(string(src), ""), " ", comment)
		_, list := check.Text(file, text, check.Options{Compile: true})
		out, fixes, _, err := diag.Apply(text, list)
		require.NoError(t, err, file)
		require.Equal(t, strings.Count(text, comment[1:len(comment)-1]), strings.Count(out, comment[1:len(comment)-1]), "%s: %v", file, fixes)
		_, after := check.Text(file, out, check.Options{Compile: true})
		assert.LessOrEqual(t, len(after.Errors()), len(list.Errors()), "%s: %v\nbefore: %v", file, after, list)
		applied += len(fixes)
	}
	assert.Greater(t, applied, 20)
}
