package symexec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// lowered is what a module becomes.
func lowered(t *testing.T, src string, target *abi.Target) *sass.Program {
	t.Helper()
	m, err := ptx.Parse("module.ptx", []byte(src))
	require.NoError(t, err)
	prog, err := lower.Module(m, target, lower.Options{})
	require.NoError(t, err)
	require.NoError(t, sassverify.Verify("module.ptx", prog, target))
	return prog
}

// movesFile has a module whose functions move words and do nothing else, and what
// ptxas makes of it, in a section for each of movesOf.
const movesFile = "testdata/listings/moves.txtar"

var movesOf = []struct{ target, toolkit string }{{"sm_52", "12.4"}, {"sm_80", "12.4"}, {"sm_90", "12.4"}, {"sm_120", "12.9"}}

// moves returns the module and ptxas's listing for a target.
func moves(t *testing.T, target string) (src, listing string) {
	t.Helper()
	a, err := txtar.ParseFile(movesFile)
	require.NoError(t, err)
	require.Equal(t, "ptx", a.Files[0].Name)
	at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == target })
	require.Positive(t, at, target)
	return movesFor(string(a.Files[0].Data), target), string(a.Files[at].Data)
}

// movesFor is the module for a target.
func movesFor(src, target string) string {
	src = strings.Replace(src, "sm_50", target, 1)
	if target == "sm_120" {
		src = strings.Replace(src, ".version 7.8", ".version 8.7", 1)
	}
	return src
}

// TestListingsRecorded compares recorded listings of ptxas with ours.
func TestListingsRecorded(t *testing.T) {
	if *record {
		recordMoves(t)
	}
	for _, r := range recordings {
		t.Run("probes "+r.target, func(t *testing.T) {
			theirs := loadRecording(t, r.target)
			a, err := txtar.ParseFile(recordingFile(r.target))
			require.NoError(t, err)
			ours := lowered(t, string(a.Files[0].Data), row(t, r.target))
			got, err := CompareListings(theirs, ours, row(t, r.target), false)
			require.NoError(t, err)
			assert.Empty(t, got.Differences)
			assert.Empty(t, got.NotFollowed)
			assert.Equal(t, 9, got.Functions)
			assert.Equal(t, 4, got.Calls)
			assert.Greater(t, got.Words, 40)
			assert.LessOrEqual(t, got.Unknown, 1) // the address of the result in memory
		})
	}
	for _, r := range movesOf {
		t.Run("moves "+r.target, func(t *testing.T) {
			src, theirs := moves(t, r.target)
			got, err := CompareListings(theirs, lowered(t, src, row(t, r.target)), row(t, r.target), false)
			require.NoError(t, err)
			assert.Equal(t, &ListingReport{Functions: 2, Calls: 4, Words: 24, Unknown: 1}, got)
		})
	}
}

// TestListingsMeasured compares the code of every release and target that is
// recorded for the probes of thinProbes.
func TestListingsMeasured(t *testing.T) {
	releases, err := measured.Releases(os.DirFS(measuredDir))
	require.NoError(t, err)
	pairs, words := 0, 0
	for _, release := range releases {
		file, err := measured.Read(os.DirFS(measuredDir), release, "signatures")
		require.NoError(t, err)
		for _, s := range file.Sections {
			for _, name := range s.Targets {
				target := row(t, name)
				ours := lowered(t, module(thinProbes(), name, abi.Version{Major: 9, Minor: 4}, false), target)
				got, err := CompareListings(s.Code(), ours, target, false)
				require.NoError(t, err)
				assert.Empty(t, got.Differences, "%s: %s", release, name)
				assert.Empty(t, got.NotFollowed, "%s: %s", release, name)
				assert.Equal(t, 4, got.Calls)
				pairs++
				words += got.Words
			}
		}
	}
	assert.GreaterOrEqual(t, pairs, 157)
	t.Logf("%d pairs of release and target, %d words", pairs, words)
}

// recordMoves asks ptxas again.
func recordMoves(t *testing.T) {
	tools, err := Find()
	require.NoError(t, err)
	a, err := txtar.ParseFile(movesFile)
	require.NoError(t, err)
	for _, r := range movesOf {
		for _, tk := range tools.Toolkits {
			if !strings.HasPrefix(tk.Version.String(), r.toolkit+".") || !tk.Measures(r.target) {
				continue
			}
			cubin, err := tk.Assemble(context.Background(), movesFor(string(a.Files[0].Data), r.target), r.target)
			require.NoError(t, err)
			listing, err := tk.Disassemble(context.Background(), cubin, r.target)
			require.NoError(t, err)
			a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == r.target })
			a.Files = append(a.Files, txtar.File{Name: r.target, Data: []byte(codeOnly(listing))})
		}
	}
	require.NoError(t, os.WriteFile(movesFile, txtar.Format(a), 0o666))
}

// TestListingsNotice breaks what was lowered, one place at a time.
func TestListingsNotice(t *testing.T) {
	for _, tt := range []struct {
		name, begins string
		nth          int
		change       func(*sass.Instr)
		want         string
	}{
		{"another register", "MOV R5, 0xc8", 0, func(in *sass.Instr) { in.Args[0] = sass.R(10) }, "mover, call 1 of first, R5: ptxas has "},
		{"another number", "MOV R5, 0xc8", 0, func(in *sass.Instr) { in.Args[1] = sass.I(0xc9) }, "we have the number 0xc9"},
		{"another word", "MOV R6, %rd1.lo", 0, func(in *sass.Instr) { in.Args[1] = sass.V("%rd1", sass.Hi) }, "mover, call 1 of first, R6: ptxas has R6, we have R7"},
		{"another stack word", "STL [R1+0x6c]", 0, func(in *sass.Instr) { in.Args[0] = sass.M(1, 0x70) }, "mover, call 2 of large, [R1+0x6c]: ptxas has the number 0xb"},
		{"another result", "MOV R5, %r2", 0, func(in *sass.Instr) { in.Args[1] = sass.V("%r1", sass.Whole) }, "mover, return, R5: ptxas has R8, we have R4"},
		{"another place of a result", "LDL R4", 0, func(in *sass.Instr) { in.Args[1].Off -= 4 }, "mover, return, R4: ptxas has "},
		{"another place of a parameter", "LDL %r5", 0, func(in *sass.Instr) { in.Args[1].Off += 4 }, "mover, call 2 of large, [R1]: ptxas has "},
		{"another call", "CALL.ABS.NOINC `(first)", 0, func(in *sass.Instr) { in.Args[0] = sass.Sym("large") }, "mover, calls and return: ptxas has CALL.ABS.NOINC `(first) ;"},
		{"another spelling", "RET.ABS.NODEC", 0, func(in *sass.Instr) { in.Op = "RET.REL.NODEC" }, "we have CALL.ABS.NOINC `(first) ;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, theirs := moves(t, "sm_80")
			ours := lowered(t, src, row(t, "sm_80"))
			found := false
			for i := range ours.Funcs[0].Items {
				in := &ours.Funcs[0].Items[i].Instr
				if strings.HasPrefix(in.String(), tt.begins) {
					in.Args = slices.Clone(in.Args)
					tt.change(in)
					found = true
					break
				}
			}
			require.True(t, found, "no %s in\n%s", tt.begins, ours)
			got, err := CompareListings(theirs, ours, row(t, "sm_80"), false)
			require.NoError(t, err)
			require.NotEmpty(t, got.Differences)
			assert.Contains(t, fmt.Sprint(got.Differences), tt.want)
		})
	}
}

// TestListingsAgree compares ptxas's code and ours for probes of random
// signatures. PTXABI_ORACLE_N sets how many for each target.
func TestListingsAgree(t *testing.T) {
	count := 40
	if testing.Short() {
		count = 8
	}
	n := setting(t, "PTXABI_ORACLE_N", count)
	for _, tk := range toolkits(t) {
		for _, target := range rowsOf(tk) {
			t.Run(tk.Version.String()+"/"+target.Name, func(t *testing.T) {
				t.Parallel()
				var batch []*probe
				for i := range n {
					p := newProbe(abitest.Random(7, i, abitest.DialectFor(target, tk.ISA())), i)
					if _, err := abi.Assign(p.sig.ABI(), target); err != nil {
						continue // disputed
					}
					if i%4 > 0 {
						p.thin()
					}
					batch = append(batch, p)
				}
				src := module(batch, target.Name, tk.PTX, false)
				cubin, err := tk.Assemble(context.Background(), src, target.Name)
				require.NoError(t, err)
				theirs, err := tk.Disassemble(context.Background(), cubin, target.Name)
				require.NoError(t, err)
				r, err := CompareListings(theirs, lowered(t, src, target), target, false)
				require.NoError(t, err)
				for _, d := range r.Differences {
					t.Error(d)
				}
				assert.Empty(t, r.NotFollowed)
				assert.Positive(t, r.Functions)
				t.Logf("%d functions, %d calls, %d words, %d of them not followed or undefined, %d bytes stored",
					r.Functions, r.Calls, r.Words, r.Unknown, r.Stored)
			})
		}
	}
}

// TestListingsOfRealModules compares what can be followed of the real modules:
// functions without branches, whose words are moved and not made.
func TestListingsOfRealModules(t *testing.T) {
	if testing.Short() {
		t.Skip("it assembles every real module")
	}
	files, err := filepath.Glob("../../testdata/real/*.ptx")
	require.NoError(t, err)
	all := toolkits(t)
	var sum ListingReport
	modules := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := ptx.Parse(file, data)
		require.NoError(t, err)
		for _, tk := range slices.Backward(all) {
			target, err := abi.Lookup(m.Target)
			if err != nil || !tk.Measures(m.Target) || len(data) > 30_000 {
				continue
			}
			cubin, err := tk.Assemble(context.Background(), string(data), target.Name)
			if err != nil {
				continue // of a PTX version that this release does not know
			}
			theirs, err := tk.Disassemble(context.Background(), cubin, target.Name)
			require.NoError(t, err)
			r, err := CompareListings(theirs, lowered(t, string(data), target), target, false)
			require.NoError(t, err)
			for _, d := range r.Differences {
				t.Errorf("%s: %s", filepath.Base(file), d)
			}
			modules++
			sum.Functions += r.Functions
			sum.Calls += r.Calls
			sum.Words += r.Words
			sum.NotFollowed = append(sum.NotFollowed, r.NotFollowed...)
			break
		}
	}
	if modules == 0 {
		t.Skip("no toolkit here assembles one of the real modules for its own target")
	}
	assert.Positive(t, sum.Functions)
	t.Logf("%d modules: %d functions with %d calls and %d words followed in both listings, %d functions not",
		modules, sum.Functions, sum.Calls, sum.Words, len(sum.NotFollowed))
}
