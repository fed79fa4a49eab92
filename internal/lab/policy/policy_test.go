// Package policy holds the module to its own rules: which package may import which, what the public
// packages export, and what workflows name.
package policy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// The groups of packages and the groups that each may import, outside its tests. A group is a folder with all below it that is no group of its own. Where the test below fails,
// the code is wrong; a new group, or a new arrow, is a decision about the design and is made there first.
//
//	cmd                                     programs: flags, files, exit codes
//	internal/tool                           a package for each command and page
//	lower                                   callee entries, call sites, returns, frames
//	check                                   rules of passing
//	resolve                                 from PTX to the convention and back
//	ptx   abi   sass   layout               text; conventions; registers, instructions; C types
//	internal/core   diag                    what the library and the tools share; diagnostics
//
// Beside the tower stand readers of languages (internal/source) and of binaries (internal/image), what
// programs share (internal/cli), the workshop (internal/lab), and what is handed out (internal/release).
var arrows = map[string]string{
	".": "", // the module's documentation

	"diag":          "",
	"internal/core": "", // arrival inorder lex machine opcodes prose reg round ruletext zero
	"layout":        "internal/core",
	"abi":           "internal/core",
	"sass":          "diag internal/core",
	"ptx":           "diag internal/core",

	"internal/core/body": "diag ptx",
	"internal/core/flow": "ptx internal/core/body",
	"resolve":            "diag ptx abi internal/core/body internal/core",
	"ptx/dataflow":       "ptx resolve internal/core/body internal/core/flow internal/core",

	"check": "diag ptx abi resolve internal/core/body internal/core/flow internal/core",
	"lower": "diag ptx abi sass check resolve internal/core/body internal/core",

	// Test kits for others, and what they compile.
	"abi/abitest":        "abi ptx internal/core",
	"internal/lab/probe": "abi/abitest ptx",
	"lower/frame":        "abi sass lower internal/core",
	"lower/lowertest":    "abi abi/abitest ptx ptx/dataflow resolve sass lower internal/image internal/lab/probe internal/core",

	"internal/source": "diag layout",
	"internal/image":  "abi sass", // cubin isa symexec
	"internal/cli":    "diag ptx", // disk display half jsonline manual near report textdiff workers

	"internal/tool": "diag sass ptx layout abi check lower lower/lowertest resolve internal/core/body internal/core internal/source internal/image internal/cli",
	"cmd":           "diag sass ptx layout abi check lower lower/lowertest resolve internal/core internal/source internal/image internal/cli internal/tool",

	"internal/release": "",
	"internal/lab":     "diag sass ptx abi layout check lower lower/lowertest resolve internal/source internal/image internal/cli abi/abitest internal/lab/probe",
}

// lab is the workshop: nothing outside imports it but tests. Its package probe is a group of its own: it makes the PTX of
// a test kit too.
const lab = "internal/lab"

// group returns the group of a package, the longest folder that the policy has; "" for none.
func group(pkg string) string {
	for dir := pkg; ; {
		if _, ok := arrows[dir]; ok {
			return dir
		}
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return ""
		}
		dir = dir[:i]
	}
}

// The packages of other modules that code may import, and the packages that
// may do so outside their tests: names, "*" for all, "" for none. All but
// jennifer and go-difflib may be used by every test.
var dependencies = map[string]string{
	"golang.org/x/exp/constraints":               "internal/core",
	"github.com/dave/jennifer/jen":               "internal/tool/packers",
	"github.com/pmezard/go-difflib/difflib":      "internal/cli/textdiff",
	"github.com/ianlancetaylor/demangle":         "internal/source/cxxname",
	"github.com/klauspost/compress/zstd":         "internal/image/cubin",
	"github.com/pierrec/lz4/v4":                  "internal/image/cubin",
	"golang.org/x/tools/txtar":                   "internal/lab/golden",
	"golang.org/x/tools/go/packages":             "internal/tool/packers",
	"golang.org/x/exp/jsonrpc2":                  "internal/tool/lsp",
	"golang.org/x/sys/unix":                      "cmd/ptxabi",
	"golang.org/x/exp/ebnf":                      "",
	"github.com/stretchr/testify/assert":         "",
	"github.com/stretchr/testify/require":        "",
	"pgregory.net/rapid":                         "",
	"github.com/rogpeppe/go-internal/testscript": "",
}

// Input and output are for the programs, for the packages with which they read flags and files, and
// for those that run tools or serve: these folders with all below them.
const doesIO = "cmd internal/cli internal/lab internal/release internal/tool/packers internal/tool/web/server internal/tool/web/static internal/tool/web/wasm"

// The packages of the standard library that only those of doesIO may import,
// with everything below them: they reach outside, or give another answer each
// time.
const outside = "os net log flag syscall plugin testing time math/rand io/ioutil path/filepath crypto/rand"

// The test kits draw with math/rand/v2, from the seed that their caller gives:
// the same answer each time.
const seeded = "abi/abitest internal/lab/pairs"

// A listed is the output of go list for a package.
type listed struct {
	Dir, ImportPath                     string
	Imports, TestImports, XTestImports  []string
	GoFiles, CgoFiles, IgnoredGoFiles   []string
	TestGoFiles, XTestGoFiles, CFiles   []string
	Module                              struct{ Path string }
	CXXFiles, MFiles, HFiles, SwigFiles []string
	SFiles                              []string
}

// violations returns what the packages do against the policy, in order.
func violations(module string, pkgs []listed) []string {
	var found []string
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, p := range pkgs {
		name := local(module, p.ImportPath)
		from := group(name)
		if from == "" {
			say("package %s is not in the policy: every package has a place in the architecture, with the groups it may import", name)
			continue
		}
		if len(p.CgoFiles)+len(p.CFiles)+len(p.CXXFiles)+len(p.MFiles)+len(p.HFiles)+len(p.SwigFiles)+len(p.SFiles) > 0 {
			say("package %s has files that are not Go: there is no cgo and no assembly here", name)
		}
		for _, imp := range p.Imports {
			to := local(module, imp)
			switch {
			case to != "":
				if to = group(to); to != from && !has(arrows[from], to) {
					say("%s imports %s, but the architecture has no such arrow: %s may import %s", name, local(module, imp), from, orNothing(arrows[from]))
				}
			case imp == "unsafe" || imp == "C":
				say("%s imports %q, which no package here does", name, imp)
			case isStd(imp):
				if !below(doesIO, name) && isOutside(imp) && !(imp == "math/rand/v2" && has(seeded, name)) {
					say("%s imports %s, but only programs reach outside: %s", name, imp, doesIO)
				}
			default:
				if users, known := dependencies[imp]; !known {
					say("%s imports %s, which is not one of the project's dependencies", name, imp)
				} else if users != "*" && !below(users, name) {
					say("%s imports %s, which is for %s", name, imp, orTests(users))
				}
			}
		}
		tests := slices.Concat(p.TestImports, p.XTestImports)
		slices.Sort(tests)
		for _, imp := range slices.Compact(tests) {
			if local(module, imp) != "" || isStd(imp) {
				continue
			}
			switch users, known := dependencies[imp]; {
			case !known:
				say("tests of %s import %s, which is not one of the project's dependencies", name, imp)
			case strings.Contains(imp, "jennifer") || strings.Contains(imp, "difflib"):
				if !below(users, name) {
					say("tests of %s import %s, which is for %s", name, imp, users)
				}
			}
		}
	}
	return found
}

// unused returns what the policy allows and nothing does.
func unused(t *testing.T, module string, pkgs []listed) []string {
	t.Helper()
	used := make(map[string]bool) // "from to", "from" alone, "dir does I/O"
	for _, p := range pkgs {
		name := local(module, p.ImportPath)
		used[group(name)] = true
		for _, f := range p.IgnoredGoFiles { // those for other systems
			p.Imports = append(p.Imports, importsOf(t, filepath.Join(p.Dir, f))...)
		}
		for _, imp := range p.Imports {
			if to := local(module, imp); to != "" {
				used[group(name)+" "+group(to)] = true
			}
			for _, dir := range strings.Fields(doesIO) {
				used["I/O of "+dir] = used["I/O of "+dir] || below(dir, name) && isOutside(imp)
			}
			for _, dir := range strings.Fields(dependencies[imp]) {
				used[imp+" "+dir] = used[imp+" "+dir] || below(dir, name)
			}
		}
	}
	var found []string
	for _, from := range slices.Sorted(maps.Keys(arrows)) {
		if !used[from] {
			found = append(found, fmt.Sprintf("the policy has a group %s, where no package is", from))
		}
		for _, to := range strings.Fields(arrows[from]) {
			if !used[from+" "+to] {
				found = append(found, fmt.Sprintf("the policy has an arrow from %s to %s, which nothing uses", from, to))
			}
		}
	}
	for _, dir := range strings.Fields(doesIO) {
		if !used["I/O of "+dir] {
			found = append(found, fmt.Sprintf("the policy lets %s do input and output, which it does not do", dir))
		}
	}
	for _, imp := range slices.Sorted(maps.Keys(dependencies)) {
		for _, dir := range strings.Fields(strings.TrimPrefix(dependencies[imp], "*")) {
			if !used[imp+" "+dir] {
				found = append(found, fmt.Sprintf("the policy lets %s import %s, which it does not", dir, imp))
			}
		}
	}
	return found
}

func TestImportPolicy(t *testing.T) {
	module, pkgs := list(t)
	require.NotEmpty(t, pkgs)
	for _, v := range violations(module, pkgs) {
		t.Error(v)
	}
	for _, u := range unused(t, module, pkgs) {
		t.Error(u)
	}
	if t.Failed() {
		t.Log("policy_test.go states the architecture; it is not changed to make a build pass")
	}
}

// importsOf returns what a file imports.
func importsOf(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	require.NoError(t, err)
	var list []string
	for _, spec := range file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		list = append(list, imp)
	}
	return list
}

// TestPolicyIsConsistent checks the tables above for names that are no
// groups, for circles, and for arrows from a product's package to the workshop.
func TestPolicyIsConsistent(t *testing.T) {
	for from, to := range arrows {
		for _, name := range strings.Fields(to) {
			assert.Contains(t, arrows, name)
			assert.NotEqual(t, lab, name, "%s: nothing imports the workshop but its own packages and tests", from)
		}
	}
	done := make(map[string]bool)
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		require.NotContains(t, path, name, "a circle of imports")
		if done[name] {
			return
		}
		for _, to := range strings.Fields(arrows[name]) {
			visit(to, append(path, name))
		}
		done[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(arrows)) {
		visit(name, nil)
	}
}

// TestPolicyNotices checks that what the policy forbids is found.
func TestPolicyNotices(t *testing.T) {
	const m = "example.org/m"
	tests := []struct {
		pkg  listed
		want string
	}{
		{listed{ImportPath: m + "/abi", Imports: []string{m + "/internal/core/prose", "fmt", "io"}}, ""},
		{listed{ImportPath: m, XTestImports: []string{m + "/lower", "os/exec"}}, ""},
		{listed{ImportPath: m + "/abi", Imports: []string{m + "/resolve"}}, "abi imports resolve, but the architecture has no such arrow: abi may import internal/core"},
		{listed{ImportPath: m + "/ptx", Imports: []string{m}}, "ptx imports ., but the architecture has no such arrow: ptx may import diag"},
		{listed{ImportPath: m + "/new"}, "package new is not in the policy"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"unsafe"}}, `ptx imports "unsafe"`},
		{listed{ImportPath: m + "/cmd/ptxabi", Imports: []string{"C"}}, `cmd/ptxabi imports "C"`},
		{listed{ImportPath: m + "/ptx", SFiles: []string{"x.s"}}, "package ptx has files that are not Go"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"os"}}, "ptx imports os, but only programs reach outside"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"os/exec"}}, "ptx imports os/exec, but only programs"},
		{listed{ImportPath: m + "/internal/source/cdecl", Imports: []string{"net/http"}}, "internal/source/cdecl imports net/http, but only"},
		{listed{ImportPath: m + "/internal/lab/oracle", Imports: []string{"os/exec"}}, ""},
		{listed{ImportPath: m + "/abi/abitest", Imports: []string{m + "/abi", "math/rand/v2"}}, ""},
		{listed{ImportPath: m + "/abi/abitest", Imports: []string{"math/rand"}}, "abi/abitest imports math/rand, but only"},
		{listed{ImportPath: m + "/abi", Imports: []string{"math/rand/v2"}}, "abi imports math/rand/v2, but only"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"golang.org/x/exp/maps"}}, "not one of the project's dependencies"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"pgregory.net/rapid"}}, "ptx imports pgregory.net/rapid, which is for tests"},
		{listed{ImportPath: m + "/abi", Imports: []string{"github.com/dave/jennifer/jen"}}, "which is for internal/tool/packers"},
		{listed{ImportPath: m + "/ptx", TestImports: []string{"github.com/x/y"}}, "tests of ptx import github.com/x/y"},
		{listed{ImportPath: m + "/ptx", TestImports: []string{"github.com/pmezard/go-difflib/difflib"}}, "which is for internal/cli/textdiff"},
	}
	for _, tt := range tests {
		got := violations(m, []listed{tt.pkg})
		if tt.want == "" {
			assert.Empty(t, got)
			continue
		}
		if assert.Len(t, got, 1, "%+v", tt.pkg) {
			assert.Contains(t, got[0], tt.want)
		}
	}
}

// list returns the module's path and what go list says of its packages.
func list(t *testing.T) (module string, pkgs []listed) {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json", "./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	require.NoError(t, err)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return module, pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		module = p.Module.Path
		pkgs = append(pkgs, p)
	}
}

// local is the path of an imported package below the module, "." for the
// module's own and "" for a package of another module.
func local(module, imp string) string {
	if imp == module {
		return "."
	}
	if rest, ok := strings.CutPrefix(imp, module+"/"); ok {
		return rest
	}
	return ""
}

// isStd reports whether imp is in the standard library: the first element of
// other packages' paths has a dot.
func isStd(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func isOutside(imp string) bool {
	for _, root := range strings.Fields(outside) {
		if imp == root || strings.HasPrefix(imp, root+"/") {
			return true
		}
	}
	return false
}

func has(names, name string) bool { return slices.Contains(strings.Fields(names), name) }

// below reports whether a package is in one of the folders, or is one of them.
func below(dirs, pkg string) bool {
	return slices.ContainsFunc(strings.Fields(dirs), func(dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") })
}

func orNothing(names string) string {
	if names == "" {
		return "nothing of this module"
	}
	return names
}

func orTests(users string) string {
	if users == "" {
		return "tests"
	}
	return users
}

// TestWorkflowPackages holds that the packages that workflows name are there: a job of a
// package that has moved is found here, and not by the service.
func TestWorkflowPackages(t *testing.T) {
	files := must.Glob(t, ".github/workflows/*.yml")
	require.NotEmpty(t, files)
	named := regexp.MustCompile(`[ ,]\./([a-z/]+[a-z])`)
	found := 0
	for _, file := range append(files, ".ci/run") {
		text := must.Read(t, file)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			info, err := os.Stat(m[1])
			if assert.NoError(t, err, file) {
				assert.True(t, info.IsDir(), "%s: %s", file, m[1])
			}
			found++
		}
	}
	assert.Greater(t, found, 10)
}

// TestMain runs the tests where the module is.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
