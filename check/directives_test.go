package check_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
)

// directiveArgs are arguments that each directive takes; those that are not here take none.
var directiveArgs = map[string]string{
	".version": "9.0", ".target": "sm_90", ".address_size": "64", ".file": `2 "b.cu"`, ".section": ".debug_x { .b8 1 }",
	".nv_intermediate_source_section": "{ .code_block {\n.ir_name: \"ir\"\n.sourceFileName: 1\n.source_begin\n{ \" /* .func f(\n.source_end\n} }",
	".alias":                          "g, h;", ".pragma": `"nounroll";`, ".loc": "1 2 3", ".loc_intermediate": "1 2 3", ".maxnreg": "32", ".maxntid": "32, 1, 1",
	".reqntid": "32", ".minnctapersm": "1", ".maxnctapersm": "1", ".reqnctapercluster": "2, 1, 1", ".maxclusterrank": "8",
	".blocksareclusters": ".reqntid 32 .reqnctapercluster 1", ".minperctamemory": "64", ".language": `"NVVM", 2`, ".abi_preserve": "16", ".abi_preserve_control": "1",
}

// directivePlaces are modules with a directive in a place.
var directivePlaces = []struct{ name, text string }{
	{"module", "%s\n.visible .entry k() { ret; }"},
	{"entry", ".visible .entry k(.param .u64 a) %s { ret; }"},
	{"entry-name", ".visible .entry %s k(.param .u64 a) { ret; }"},
	{"entry-declared", ".entry k(.param .u64 a) %s;\n.visible .entry k(.param .u64 a) { ret; }"},
	{"func", ".visible .func f(.param .u32 a) %s { ret; }"},
	{"func-name", ".visible .func %s f(.param .u32 a) { ret; }"},
	{"func-declared", ".extern .func f(.param .u32 a) %s;"},
	{"prototype", ".visible .func f() { p: .callprototype _ (.param .b32 x) %s; ret; }"},
	{"body", ".visible .func f() { %s\n ret; }"},
}

// releases are those that were measured, each with its newest version of PTX and an architecture that it has.
var releases = []struct{ release, version, target string }{
	{"11.8", "7.8", "sm_90"},
	{"12.4", "8.4", "sm_90"},
	{"12.8", "8.7", "sm_100"},
	{"12.9", "8.8", "sm_100"},
	{"13.0", "9.0", "sm_100"},
	{"13.4", "9.4", "sm_100"},
	{"13.5", "9.5", "sm_100"},
}

// withDirective returns a module with a directive in a place.
func withDirective(name, place, version, target string) string {
	args := directiveArgs[name]
	for _, p := range directivePlaces {
		if p.name != place {
			continue
		}
		if strings.HasSuffix(args, ";") && strings.HasSuffix(strings.TrimSpace(p.text[:strings.Index(p.text, "%s")+3]), ";") {
			args = strings.TrimSuffix(args, ";")
		}
		head := fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.file 1 \"a.cu\"\n", version, target)
		if name == ".alias" {
			head += ".visible .func h() { ret; }\n.visible .func g();\n"
		}
		if name == ".loc_intermediate" && place == "body" {
			name = ".loc 1 2 3\n" + name
		}
		return head + fmt.Sprintf(p.text, strings.TrimSpace(name+" "+args)) + "\n"
	}
	panic("no place " + place)
}

// anywhere returns the directives that are not the head of a module and have no node of their own; testdata/check/forms.txt
// has the others.
func anywhere() (list []ptx.DirectiveInfo) {
	for _, d := range ptx.Directives() {
		if d.Name != ".version" && d.Name != ".target" && d.Name != ".address_size" && d.Args != ptx.OwnNode {
			list = append(list, d)
		}
	}
	return list
}

// TestDirectives holds what check says of each directive in each place against the verdicts of the
// assemblers, which testdata/check/directives.txt records: a sign for each of releases, + if it takes the module.
// With PTXABI_ORACLE, the assemblers that are found are asked again.
func TestDirectives(t *testing.T) {
	file := filepath.Join(casesDir, "directives.txt")
	recorded := make(map[string]string)
	data := must.Read(t, file)
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && f[0][0] == '.' {
			recorded[f[0]+" "+f[1]] = f[2]
		}
	}
	for _, d := range anywhere() {
		for _, p := range directivePlaces {
			signs, ok := recorded[d.Name+" "+p.name]
			require.True(t, ok && len(signs) == len(releases), "%s %s is not in %s", d.Name, p.name, file)
			for i, r := range releases {
				src := withDirective(d.Name, p.name, r.version, r.target)
				_, all := check.Source("x.ptx", []byte(src), check.Options{Compile: true})
				assert.Equal(t, signs[i] == '+', all.Err() == nil, "%s %s with %s: %v\n%s", d.Name, p.name, r.release, all, src)
			}
		}
	}
}

// TestDirectivesLive derives testdata/check/directives.txt again, where the assemblers are found.
func TestDirectivesLive(t *testing.T) {
	tools, err := oracle.Find()
	if err != nil {
		t.Log(err)
	}
	byRelease := make(map[string]*oracle.Toolkit)
	for _, k := range tools.Toolkits {
		byRelease[fmt.Sprintf("%d.%d", k.Version.Major, k.Version.Minor)] = k
	}
	if len(byRelease) == 0 {
		t.Skip(oracle.NotFound)
	}
	file := filepath.Join(casesDir, "directives.txt")
	was, err := os.ReadFile(file)
	if err != nil && !golden.Update() {
		require.NoError(t, err)
	}
	dir := t.TempDir()
	var b bytes.Buffer
	fmt.Fprint(&b, "# What ptxas -c says of each directive in each place: + takes, - refuses, by release:\n#")
	for _, r := range releases {
		fmt.Fprintf(&b, " %s (.version %s, %s)", r.release, r.version, r.target)
	}
	fmt.Fprint(&b, "\n# TestDirectives of package check has the modules; TestDirectivesLive derives this file again.\n")
	for _, d := range anywhere() {
		for _, p := range directivePlaces {
			fmt.Fprintf(&b, "%-32s %-14s ", d.Name, p.name)
			for _, r := range releases {
				k := byRelease[r.release]
				if k == nil {
					t.Skipf("release %s is not there", r.release)
				}
				src := filepath.Join(dir, "x.ptx")
				require.NoError(t, os.WriteFile(src, []byte(withDirective(d.Name, p.name, r.version, r.target)), 0o600))
				sign := byte('+')
				if exec.CommandContext(context.Background(), k.Ptxas, "-c", "-arch", r.target, "-o", filepath.Join(dir, "x.cubin"), src).Run() != nil {
					sign = '-'
				}
				b.WriteByte(sign)
			}
			b.WriteByte('\n')
		}
	}
	if _, err := os.Stat(file); err != nil { // a measurement is never rewritten, but by removing it
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
		return
	}
	assert.Equal(t, string(was), b.String())
}

// TestDirectiveVersions checks that check asks for the version and the target of each directive.
func TestDirectiveVersions(t *testing.T) {
	for _, d := range ptx.Directives() {
		if d.Args == ptx.OwnNode || d.Since == (ptx.Version{}) || d.Since.Major < 6 {
			continue // the modules are of functions as PTX 6.0 has them
		}
		place := map[ptx.Place]string{ptx.InModule: "module", ptx.InEntry: "entry", ptx.InFunc: "func", ptx.InBody: "body"}[d.Places&-d.Places]
		before := ptx.Version{Major: d.Since.Major, Minor: d.Since.Minor - 1}
		if before.Minor < 0 {
			before = ptx.Version{Major: d.Since.Major - 1, Minor: 8}
		}
		target := fmt.Sprintf("sm_%d", max(d.Arch, 70))
		for _, v := range []ptx.Version{before, d.Since} {
			_, all := check.Source("x.ptx", []byte(withDirective(d.Name, place, v.String(), target)), check.Options{Compile: true})
			found := false
			for _, e := range all {
				found = found || e.Code == check.NewerFeature && strings.HasPrefix(e.Msg, d.Name+":")
			}
			assert.Equal(t, v == before, found, "%s at %v: %v", d.Name, v, all)
		}
	}
}

// aroundForm is a function with an instruction or a statement in it.
const aroundForm = `.visible .global .b32 g[8];
.extern .func (.param .b32 r) h(.param .b32 a);
.extern .func h0();
.visible .func (.param .b32 res) f(.param .b32 x, .param .align 8 .b8 s[16]) {
.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p<9>; .reg .f32 %%f<4>; .reg .b16 %%h<4>; .reg .v4 .b32 %%v; .shared .b32 sh[4]; .local .b32 lo[4];
{
.param .b32 a; .param .b32 o; .param .align 8 .b8 sa[16];
%s
}
ret;
}`

// A form is one line of testdata/check/forms.txt.
type form struct{ signs, kind, quoted string }

// forms returns what testdata/check/forms.txt records.
func forms(t *testing.T) (list []form) {
	data := must.Read(t, filepath.Join(casesDir, "forms.txt"))
	for line := range strings.Lines(string(data)) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3); f[0] != "#" {
			require.Len(t, f[0], len(releases), line)
			list = append(list, form{f[0], f[1], f[2]})
		}
	}
	return list
}

// module returns a module with the form in it, of a release's version.
func (f form) module(t *testing.T, i int) string {
	text, err := strconv.Unquote(f.quoted)
	require.NoError(t, err, f.quoted)
	if f.kind == "body" || f.kind == "operand" {
		text = fmt.Sprintf(aroundForm, text)
	}
	return fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n%s\n", releases[i].version, releases[i].target, text)
}

// TestForms checks that no form of declarations, functions, operands and text is refused which the assembler of
// the module's version takes, and that one error is reported of each form of
// operands, and of those of kind head, that it does not take.
func TestForms(t *testing.T) {
	taken := 0
	for _, f := range forms(t) {
		for i, r := range releases {
			if f.signs[i] == '+' {
				taken++
				_, all := check.Source("x.ptx", []byte(f.module(t, i)), check.Options{Compile: true})
				assert.NoError(t, all.Err(), "%s takes\n%s", r.release, f.module(t, i))
			} else if f.kind == "operand" || f.kind == "head" {
				_, all := check.Source("x.ptx", []byte(f.module(t, i)), check.Options{Compile: true})
				assert.Len(t, all, 1, "%s refuses\n%s", r.release, f.module(t, i))
			}
		}
	}
	require.Greater(t, taken, 2000)
}

// TestFormsLive asks the assemblers again, where they are found: about some of the forms, in the gate about all.
func TestFormsLive(t *testing.T) {
	tools, err := oracle.Find()
	if err != nil {
		t.Log(err)
	}
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	dir := t.TempDir()
	src := filepath.Join(dir, "x.ptx")
	for n, f := range forms(t) {
		for i, r := range releases {
			if k := ofRelease(tools, r.release); k != nil && n%effort.Of(40, 1) == 0 {
				require.NoError(t, os.WriteFile(src, []byte(f.module(t, i)), 0o600))
				err := exec.CommandContext(context.Background(), k.Ptxas, "-c", "-arch", r.target, "-o", filepath.Join(dir, "x.cubin"), src).Run()
				assert.Equal(t, f.signs[i] == '+', err == nil, "%s: %s", r.release, f.quoted)
			}
		}
	}
}

// ofRelease returns the assembler of a release; nil if it is not found.
func ofRelease(tools *oracle.Tools, release string) *oracle.Toolkit {
	for _, k := range tools.Toolkits {
		if fmt.Sprintf("%d.%d", k.Version.Major, k.Version.Minor) == release {
			return k
		}
	}
	return nil
}
