package ptxabi_test

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
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The packages of this module and which of them each may import, outside its
// tests. This is a statement of policy: who may know of whom. Where the test
// below fails, the code is wrong; a new package, or a new arrow, is a decision
// about the design and is made there first.
//
//	cmd/ptxabi   cmd/ptxparam (+ gen)      programs: flags, files, exit codes
//	    │             │
//	    ├──── lower ──┤                    callee entries, call sites, returns, frames
//	    │   ╱   │  ╲  │
//	  check     │   internal/core/flow     rules of passing; control flow
//	    │ ╲     │
//	     │  abi │        layout            conventions; C types
//	     │      │
//	   ptx     sass                        text, versions; registers, instructions
var arrows = map[string]string{
	".": "", // the module's documentation

	"diag":    "",
	"sass":    "diag internal/core/arena internal/core/reg",
	"ptx":     "diag",
	"resolve": "diag ptx abi sass internal/core/resolved internal/prose",
	"layout":  "internal/core/round",
	"abi":     "internal/core/reg internal/core/round internal/prose",

	// What functions do with registers.
	"ptx/dataflow": "ptx resolve internal/core/resolved internal/core/flow",

	"check": "diag ptx abi resolve internal/core/resolved internal/core/arena internal/core/flow internal/core/round internal/prose",
	"lower": "diag ptx abi sass check resolve internal/core/resolved lower/internal/place lower/internal/isel lower/internal/opt lower/internal/sequence lower/internal/lir",

	// The stages of lowering: from a body to a plan, from a plan to code, and what changes code.
	"lower/internal/place":    "diag abi sass ptx resolve internal/core/resolved internal/core/arena internal/prose lower/internal/lir lower/internal/spill",
	"lower/internal/isel":     "diag abi sass ptx internal/core/resolved internal/core/arena lower/internal/place lower/internal/lir",
	"lower/internal/opt":      "abi sass internal/core/arena lower/internal/place lower/internal/isel lower/internal/lir",
	"lower/internal/lir":      "diag ptx sass",
	"lower/internal/sequence": "diag abi sass internal/core/parmove lower/internal/lir",
	"lower/internal/spill":    "diag abi sass lower/internal/lir",

	// Test kits for others: what they check is named before the slash.
	"abi/abitest":     "abi ptx",
	"lower/frame":     "abi sass internal/core/parmove internal/core/round",
	"lower/lowertest": "abi abi/abitest ptx lower internal/symexec internal/prose",

	"internal/core/reg":      "",
	"internal/core/round":    "",
	"internal/core/parmove":  "",
	"internal/cubin":         "sass",
	"internal/near":          "",
	"internal/prose":         "",
	"internal/disk":          "",
	"internal/manual":        "internal/near internal/prose",
	"internal/gotypes":       "diag layout internal/cdecl",
	"internal/core/resolved": "diag ptx",
	"internal/textdiff":      "",
	"internal/core/arena":    "",
	"internal/workers":       "",
	"internal/cxxname":       "layout",
	"internal/half":          "diag ptx",
	"internal/core/flow":     "ptx internal/core/resolved",
	"internal/cdecl":         "diag layout",
	"internal/picture":       "ptx abi layout resolve",
	"internal/export":        "abi internal/prose",
	"internal/lsp":           "diag ptx abi resolve internal/core/resolved internal/half check",
	"internal/symexec":       "sass ptx abi resolve ptx/dataflow abi/abitest",

	// Commands of cmd/ptxabi that are too large to stand there.
	"internal/verify":          "diag ptx abi layout resolve internal/cubin internal/cxxname internal/prose",
	"internal/verify/declared": "abi layout ptx resolve internal/cubin internal/layoutcmd internal/verify",
	"internal/layoutcmd":       "diag abi layout ptx internal/cdecl internal/gotypes internal/picture internal/prose",
	"internal/annotate":        "diag sass ptx abi resolve",
	"internal/diff":            "diag ptx abi resolve internal/cubin internal/cxxname internal/prose",
	"internal/link":            "diag sass ptx abi check resolve internal/cubin internal/verify internal/prose",
	"internal/adapt":           "diag abi layout ptx resolve internal/cdecl internal/layoutcmd",
	"internal/images":          "ptx abi resolve sass internal/cubin internal/cxxname internal/verify internal/prose",
	"internal/stack":           "abi internal/cubin internal/cxxname internal/link internal/picture internal/prose",

	// The explorer: what it answers, the page, and the programs that serve it.
	"internal/web": "diag sass ptx layout abi check lower resolve internal/core/resolved internal/half internal/cdecl internal/layoutcmd" +
		" internal/annotate internal/diff internal/picture internal/prose cmd/ptxparam/gen internal/cubin internal/verify internal/verify/declared",
	"internal/web/server": "internal/web internal/workers",
	"internal/web/static": "internal/web internal/manual",
	"internal/web/wasm":   "internal/web",

	"cmd/ptxabi": "diag internal/lsp internal/export internal/cxxname internal/web internal/web/server internal/workers sass ptx layout abi check lower resolve internal/cubin internal/cdecl lower/lowertest" +
		" internal/adapt internal/verify internal/verify/declared internal/annotate internal/diff internal/half internal/layoutcmd internal/images internal/link internal/stack internal/manual internal/near internal/prose internal/disk internal/picture",
	"cmd/ptxparam":     "diag cmd/ptxparam/gen abi internal/manual internal/prose internal/disk internal/textdiff",
	"cmd/ptxparam/gen": "diag layout abi ptx resolve internal/cdecl internal/cubin internal/cxxname internal/gotypes internal/near internal/prose internal/disk internal/verify",

	// What is handed out of a version: archives and packages for those without Go.
	"internal/release": "",

	// The workshop: what measures, proves and records. Nothing outside imports it but tests.
	"internal/lab/effort":            "",
	"internal/lab/golden":            "internal/textdiff",
	"internal/lab/sim":               "sass",
	"internal/lab/sassverify":        "diag sass abi",
	"internal/lab/oracle":            "ptx",
	"internal/lab/ptxmeasure":        "abi internal/symexec internal/lab/oracle",
	"internal/lab/linkmeasure":       "diag check ptx internal/cubin internal/link internal/stack internal/lab/oracle",
	"internal/lab/measured":          "sass abi",
	"internal/lab/record":            "internal/cubin internal/lab/measured internal/lab/oracle",
	"internal/lab/producers":         "ptx",
	"internal/lab/producers/measure": "internal/lab/producers",
	"internal/lab/pairs":             "diag sass ptx abi layout check lower resolve internal/cdecl internal/lab/sim internal/lab/producers",
	"internal/lab/bench":             "",
	"internal/lab/bench/module":      "internal/lab/bench",
	"internal/lab/bench/scale":       "internal/cubin internal/lab/bench",
	"internal/lab/bench/peers":       "ptx lower internal/lab/bench internal/lab/oracle",
}

// lab is where the workshop is.
const lab = "internal/lab/"

// The packages of other modules that code may import, and the packages that
// may do so outside their tests: names, "*" for all, "" for none. All but
// jennifer and go-difflib may be used by every test.
var dependencies = map[string]string{
	"golang.org/x/exp/constraints":               "internal/core/round",
	"github.com/dave/jennifer/jen":               "cmd/ptxparam/gen",
	"github.com/pmezard/go-difflib/difflib":      "internal/textdiff",
	"github.com/ianlancetaylor/demangle":         "internal/cxxname",
	"github.com/klauspost/compress/zstd":         "internal/cubin",
	"github.com/pierrec/lz4/v4":                  "internal/cubin",
	"golang.org/x/tools/txtar":                   "internal/lab/golden",
	"golang.org/x/tools/go/packages":             "cmd/ptxparam/gen",
	"golang.org/x/exp/jsonrpc2":                  "internal/lsp",
	"golang.org/x/sys/unix":                      "cmd/ptxabi",
	"golang.org/x/exp/ebnf":                      "",
	"github.com/stretchr/testify/assert":         "",
	"github.com/stretchr/testify/require":        "",
	"pgregory.net/rapid":                         "",
	"github.com/rogpeppe/go-internal/testscript": "",
}

// Input and output are for the programs, for the packages with which they read flags and files,
// for the package that runs tools, and for the package that reads golden files.
const doesIO = "cmd/ptxabi cmd/ptxparam cmd/ptxparam/gen internal/manual internal/disk internal/lab/oracle internal/lab/effort internal/lab/golden internal/lab/record internal/lab/ptxmeasure internal/lab/linkmeasure internal/lab/producers internal/lab/producers/measure internal/lab/pairs" +
	" internal/lab/bench/module internal/lab/bench/scale internal/lab/bench/peers" +
	" internal/workers internal/web/server internal/web/static internal/web/wasm internal/release"

// The packages of the standard library that only those of doesIO may import,
// with everything below them: they reach outside, or give another answer each
// time.
const outside = "os net log flag syscall plugin testing time math/rand io/ioutil path/filepath crypto/rand"

// The test kits draw with math/rand/v2, from the seed that their caller gives:
// the same answer each time.
const seeded = "abi/abitest internal/lab/linkmeasure internal/lab/pairs"

// A listed is what go list says of a package.
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
		allowed, known := arrows[name]
		if !known {
			say("package %s is not in the policy: every package has a place in the architecture, with the packages it may import", name)
			continue
		}
		if len(p.CgoFiles)+len(p.CFiles)+len(p.CXXFiles)+len(p.MFiles)+len(p.HFiles)+len(p.SwigFiles)+len(p.SFiles) > 0 {
			say("package %s has files that are not Go: there is no cgo and no assembly here", name)
		}
		for _, imp := range p.Imports {
			to := local(module, imp)
			switch {
			case to != "":
				if !has(allowed, to) {
					say("%s imports %s, but the architecture has no such arrow: %s may import %s", name, to, name, orNothing(allowed))
				}
			case imp == "unsafe" || imp == "C":
				say("%s imports %q, which no package here does", name, imp)
			case isStd(imp):
				if !has(doesIO, name) && isOutside(imp) && !(imp == "math/rand/v2" && has(seeded, name)) {
					say("%s imports %s, but only programs reach outside: %s", name, imp, doesIO)
				}
			default:
				if users, known := dependencies[imp]; !known {
					say("%s imports %s, which is not one of the project's dependencies", name, imp)
				} else if users != "*" && !has(users, name) {
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
				if !has(users, name) {
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
	var found []string
	seen, users := make(map[string]bool), make(map[string]bool)
	for _, p := range pkgs {
		name := local(module, p.ImportPath)
		seen[name] = true
		for _, f := range p.IgnoredGoFiles { // those for other systems
			p.Imports = append(p.Imports, importsOf(t, filepath.Join(p.Dir, f))...)
		}
		var imports []string
		for _, imp := range p.Imports {
			imports = append(imports, local(module, imp))
			users[imp+" "+name] = true
		}
		for _, to := range strings.Fields(arrows[name]) {
			if !slices.Contains(imports, to) {
				found = append(found, fmt.Sprintf("the policy has an arrow from %s to %s, which nothing uses", name, to))
			}
		}
		if has(doesIO, name) && !slices.ContainsFunc(p.Imports, isOutside) {
			found = append(found, fmt.Sprintf("the policy lets %s do input and output, which it does not do", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(arrows)) {
		if !seen[name] {
			found = append(found, fmt.Sprintf("the policy has a package %s, which is not there", name))
		}
	}
	for _, imp := range slices.Sorted(maps.Keys(dependencies)) {
		for _, name := range strings.Fields(strings.TrimPrefix(dependencies[imp], "*")) {
			if !users[imp+" "+name] {
				found = append(found, fmt.Sprintf("the policy lets %s import %s, which it does not", name, imp))
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

// TestOneFileDiffs checks that go-difflib can be replaced in one place.
func TestOneFileDiffs(t *testing.T) {
	_, pkgs := list(t)
	var files []string
	for _, p := range pkgs {
		for _, f := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			path := filepath.Join(p.Dir, f)
			for _, imp := range importsOf(t, path) {
				if strings.HasPrefix(imp, "github.com/pmezard/go-difflib") {
					files = append(files, path)
				}
			}
		}
	}
	assert.Len(t, files, 1, "files that import go-difflib")
}

// TestPolicyIsConsistent checks the tables above for names that are no
// packages, for circles, and for arrows from a product's package to the workshop.
func TestPolicyIsConsistent(t *testing.T) {
	lists := []string{doesIO, seeded}
	for _, to := range arrows {
		lists = append(lists, to)
	}
	for _, users := range dependencies {
		lists = append(lists, strings.TrimPrefix(users, "*"))
	}
	for _, l := range lists {
		for _, name := range strings.Fields(l) {
			assert.Contains(t, arrows, name)
		}
	}
	for from, to := range arrows {
		if !strings.HasPrefix(from, lab) {
			assert.NotContains(t, to, lab, "%s: nothing imports the workshop but its own packages and tests", from)
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
		{listed{ImportPath: m + "/abi", Imports: []string{m + "/internal/prose", "fmt", "io"}}, ""},
		{listed{ImportPath: m, XTestImports: []string{m + "/lower", "os/exec"}}, ""},
		{listed{ImportPath: m + "/abi", Imports: []string{m + "/resolve"}}, "abi imports resolve, but the architecture has no such arrow: abi may import internal/core/reg internal/core/round"},
		{listed{ImportPath: m + "/ptx", Imports: []string{m}}, "ptx imports ., but the architecture has no such arrow: ptx may import diag"},
		{listed{ImportPath: m + "/new"}, "package new is not in the policy"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"unsafe"}}, `ptx imports "unsafe"`},
		{listed{ImportPath: m + "/cmd/ptxabi", Imports: []string{"C"}}, `cmd/ptxabi imports "C"`},
		{listed{ImportPath: m + "/ptx", SFiles: []string{"x.s"}}, "package ptx has files that are not Go"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"os"}}, "ptx imports os, but only programs reach outside"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"os/exec"}}, "ptx imports os/exec, but only programs"},
		{listed{ImportPath: m + "/internal/cdecl", Imports: []string{"net/http"}}, "internal/cdecl imports net/http, but only"},
		{listed{ImportPath: m + "/internal/lab/oracle", Imports: []string{"os/exec"}}, ""},
		{listed{ImportPath: m + "/abi/abitest", Imports: []string{m + "/abi", "math/rand/v2"}}, ""},
		{listed{ImportPath: m + "/abi/abitest", Imports: []string{"math/rand"}}, "abi/abitest imports math/rand, but only"},
		{listed{ImportPath: m + "/abi", Imports: []string{"math/rand/v2"}}, "abi imports math/rand/v2, but only"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"golang.org/x/exp/maps"}}, "not one of the project's dependencies"},
		{listed{ImportPath: m + "/ptx", Imports: []string{"pgregory.net/rapid"}}, "ptx imports pgregory.net/rapid, which is for tests"},
		{listed{ImportPath: m + "/abi", Imports: []string{"github.com/dave/jennifer/jen"}}, "which is for cmd/ptxparam/gen"},
		{listed{ImportPath: m + "/ptx", TestImports: []string{"github.com/x/y"}}, "tests of ptx import github.com/x/y"},
		{listed{ImportPath: m + "/ptx", TestImports: []string{"github.com/pmezard/go-difflib/difflib"}}, "which is for internal/textdiff"},
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
