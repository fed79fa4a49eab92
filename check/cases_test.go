package check_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

const casesDir = "../testdata/check"

// A measured is one record of testdata/check/check.json, whose README describes
// the fields.
type measured struct {
	File, Rule, Category, Manual string
	Options                      []string
	Expected, Error, Effect      string
	Line                         int
	Crash                        []string
}

func readCases(t *testing.T) []measured {
	t.Helper()
	data := must.Read(t, filepath.Join(casesDir, "check.json"))
	var list []measured
	require.NoError(t, json.Unmarshal(data, &list))
	require.NotEmpty(t, list)
	return list
}

// judge returns everything that the packages say of a module.
func judge(name string, src []byte, opts check.Options) diag.List {
	_, all := check.Source(name, src, opts)
	return all
}

// elsewhere lists the refused modules whose reason is neither parameters nor
// calls. Package check is silent about them.
var elsewhere = map[string]string{
	"634-debug-target": "the assembler wants debug information in a module that states .target debug",
}

// takenLater lists the modules that the releases of their records refuse and later ones
// take. Package check warns of them.
var takenLater = map[string]string{
	"236-align-order-type-first-kernel": "12.9, 13.0, 13.4 and 13.5 take .align after the type of a kernel's parameter",
	"852-ldtype_v8_b16":                 "12.9, 13.0, 13.4 and 13.5 take .v8 of 8 and 16 bits, and the last three crash on a load of it in a kernel",
	"853-sttype_v8_b16":                 "likewise",
}

func TestCases(t *testing.T) {
	for _, r := range readCases(t) {
		name := strings.TrimSuffix(filepath.Base(r.File), ".ptx")
		t.Run(name, func(t *testing.T) {
			src := must.Read(t, filepath.Join(casesDir, r.File))
			all := judge(name, src, check.Options{Compile: slices.Contains(r.Options, "-c")})
			errs := all.Errors()
			if r.Expected == "accepted" {
				assert.Empty(t, errs, "%s: the assembler accepts it", r.Rule)
				if r.Effect != "" || r.Manual == "invalid" {
					assert.NotEmpty(t, all, "%s: deserves a warning: %s", r.Rule, r.Effect)
				}
				return
			}
			if reason, ok := elsewhere[name]; ok {
				assert.Empty(t, errs, reason)
				return
			}
			if reason, ok := takenLater[name]; ok {
				assert.Empty(t, errs, reason)
				assert.NotEmpty(t, all, "deserves a warning: %s", reason)
				return
			}
			require.NotEmpty(t, errs, "%s: the assembler says: %s", r.Rule, r.Error)
			if r.Line > 0 {
				on := slices.ContainsFunc(errs, func(e *diag.Diagnostic) bool { return int(e.Pos.Line) == r.Line })
				assert.True(t, on, "%s: no error on line %d, where the assembler says: %s\n%v", r.Rule, r.Line, r.Error, errs)
			}
		})
	}
}
