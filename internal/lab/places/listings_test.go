package places

import (
	"context"
	"fmt"
	"math/rand/v2"
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
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// compared compares a listing with its source as lowered.
func compared(t *testing.T, theirs, src string, target *abi.Target) *lowertest.Report {
	t.Helper()
	r, err := lowertest.Compare([]byte(src), theirs, target)
	require.NoError(t, err)
	return r
}

// compareProbes compares the code of a toolkit for probes with the probes as lowered.
func compareProbes(t *testing.T, tk *oracle.Toolkit, target *abi.Target, batch []*trial) *lowertest.Report {
	t.Helper()
	src := moduleOf(batch, target.Name, tk.PTX, false)
	return compared(t, ptxasOf(t, tk, src, target), src, target)
}

// agree is compareProbes where nothing may differ.
func agree(t *testing.T, tk *oracle.Toolkit, target *abi.Target, batch []*trial) *lowertest.Report {
	t.Helper()
	r := compareProbes(t, tk, target, batch)
	for _, d := range r.Differences {
		t.Error(d)
	}
	assert.Empty(t, r.NotFollowed)
	t.Logf("%s; %d places not compared", r.Coverage, len(r.NotCompared))
	return r
}

// lowered is a module as lowered.
func lowered(t *testing.T, src string, target *abi.Target) *sass.Program {
	t.Helper()
	prog, err := lower.Module(must.Parse(t, "module.ptx", []byte(src)), target, lower.Options{})
	require.NoError(t, err)
	require.NoError(t, sassverify.Forms("module.ptx", prog, target))
	return prog
}

// movesFile has a module whose functions move words and do nothing else, and what
// ptxas makes of it, in a section for each of movesOf.
const movesFile = "testdata/listings/moves.txtar"

var movesOf = []struct{ target, toolkit string }{{"sm_52", "12.4"}, {"sm_80", "12.4"}, {"sm_90", "12.4"}, {"sm_120", "12.9"}}

// moves returns the module and ptxas's listing for a target.
func moves(t *testing.T, target string) (src, listing string) {
	t.Helper()
	a := golden.Archive(t, movesFile)
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
			a := golden.Archive(t, recordingFile(r.target))
			got := compared(t, theirs, string(a.Files[0].Data), must.Target(t, r.target))
			assert.Empty(t, got.Differences)
			assert.Empty(t, got.NotFollowed)
			assert.Equal(t, 9, got.Functions)
			assert.Equal(t, 4, got.Calls)
			assert.Greater(t, got.Words, 40)
			assert.Empty(t, got.NotCompared)
		})
	}
	for _, r := range movesOf {
		t.Run("moves "+r.target, func(t *testing.T) {
			src, theirs := moves(t, r.target)
			got := compared(t, theirs, src, must.Target(t, r.target))
			assert.Empty(t, got.Differences)
			assert.Empty(t, got.NotCompared)
			assert.Empty(t, got.NotFollowed)
			assert.Equal(t, []int{2, 4, 1, 24, 96}, []int{got.Functions, got.Calls, got.Returns, got.Words, got.Bytes})
			assert.Greater(t, got.Registers, 100)
		})
	}
}

// TestListingsMeasured compares the code of every release and target that is
// recorded for the probes of thinProbes.
func TestListingsMeasured(t *testing.T) {
	pairs, words := 0, 0
	for release, file := range measuredFiles(t, "signatures") {
		for _, s := range file.Sections {
			for _, name := range s.Targets {
				target := must.Target(t, name)
				got := compared(t, s.Code(), moduleOf(thinProbes(), name, ptx.Version{Major: 9, Minor: 4}, false), target)
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

// recordMoves records the moves of ptxas again.
func recordMoves(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	a := golden.Archive(t, movesFile)
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

// TestListingsNotice breaks what was lowered, one place at a time, and takes it for the
// listing of another compiler.
func TestListingsNotice(t *testing.T) {
	for _, tt := range []struct {
		name, begins string
		change       func(*sass.Instr)
		want         string
	}{
		{
			"another register", "MOV R5, 0xc8", func(in *sass.Instr) { in.Args[0] = sass.Register(10) },
			"mover, line 21, call 1 of first: R5 should hold argument b (the number 0xc8); it holds what R5 held at entry; " +
				"nothing puts it into R5; it is in R10 since line 18 (docs/abi.md, F5)",
		},
		{"another number", "MOV R5, 0xc8", func(in *sass.Instr) { in.Args[1] = sass.Imm(0xc9) }, "it holds the number 0xc9; nothing puts it into R5; no register ever holds it"},
		{
			"another word", "MOV R4, R9", func(in *sass.Instr) { in.Args[1] = sass.Register(8) },
			"R4 should hold argument a (bytes 4 to 8 of parameter c, which R9 held at entry)",
		},
		{
			"another stack word", "STL [R1+0x6c]", func(in *sass.Instr) { in.Args[0] = sass.Mem(1, 0x68) },
			"call 2 of large: [R1+0x6c] should hold bytes 108 to 112 of argument t (the number 0xb)",
		},
		{
			"another result", "MOV R5, %r2", func(in *sass.Instr) { in.Args[1] = sass.Virtual("%r1", sass.Whole) },
			"return: R5 should hold bytes 4 to 8 of result res (bytes 0 to 4 of parameter c, which R8 held at entry); it holds parameter a, which R4 held at entry",
		},
		{"another place of a result", "LDL R4", func(in *sass.Instr) { in.Args[1].Off -= 4 }, "it holds bytes 56 to 60 of result res of call 2 of large"},
		{"another place of a parameter", "LDL %r5", func(in *sass.Instr) { in.Args[1].Off += 4 }, "it holds what lay at [R1+0x70] at entry, where nothing was stored"},
		{"another call", "CALL.ABS.NOINC `(first)", func(in *sass.Instr) { in.Args[0] = sass.Symbol("large") }, "call 1: the call should be of first; it is of large"},
		{"another spelling", "RET.ABS.NODEC", func(in *sass.Instr) { in.Op = "RET.REL.NODEC" }, "return: the return should be RET.ABS.NODEC R20 0x0; it is RET.REL.NODEC R20 0x0"},
		{"beyond the return address", "RET.ABS.NODEC", func(in *sass.Instr) { in.Args[1].Off = 4 }, "return: the return should be RET.ABS.NODEC R20 0x0; it is RET.ABS.NODEC R20 0x4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, _ := moves(t, "sm_80")
			theirs := lowered(t, src, must.Target(t, "sm_80"))
			assert.Empty(t, compared(t, theirs.String(), src, must.Target(t, "sm_80")).Differences)
			found := false
			for i := range theirs.Funcs[0].Items {
				in := &theirs.Funcs[0].Items[i].Instr
				if strings.HasPrefix(in.String(), tt.begins) {
					in.Args = slices.Clone(in.Args)
					tt.change(in)
					found = true
					break
				}
			}
			require.True(t, found, "no %s in\n%s", tt.begins, theirs)
			got := compared(t, theirs.String(), src, must.Target(t, "sm_80"))
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
	eachTarget(t, func(t *testing.T, tk *oracle.Toolkit, target *abi.Target, _ int) {
		var batch []*trial
		for i := range n {
			p := newTrial(abitest.Random(7, i, abitest.DialectOf(target, tk.PTX)), i)
			if _, err := abi.Assign(p.Function.ABI(), target); err != nil {
				continue // disputed
			}
			if i%4 > 0 {
				p.Thin()
			}
			batch = append(batch, p)
		}
		r := agree(t, tk, target, batch)
		assert.Empty(t, r.NotCompared)
		assert.Positive(t, r.Functions)
	})
}

// TestListingsOfRealModules compares code of every release at three levels for nine targets, of modules drawn among the
// real ones. PTXABI_ORACLE_N=1000 draws more.
func TestListingsOfRealModules(t *testing.T) {
	if testing.Short() {
		t.Skip("it assembles real modules")
	}
	type job struct {
		module, target, level string
		tk                    *oracle.Toolkit
	}
	var jobs []job
	for _, file := range effort.RealModules(t, "../../..") {
		for _, tk := range toolkits(t) {
			for _, target := range []string{"sm_35", "sm_52", "sm_60", "sm_70", "sm_75", "sm_80", "sm_90", "sm_100", "sm_120"} {
				for _, level := range []string{"-O0", "-O1", "-O3"} {
					if info, err := os.Stat(file); err == nil && info.Size() < 1e6 && tk.Measures(target) {
						jobs = append(jobs, job{strings.TrimSuffix(filepath.Base(file), ".ptx"), target, level, tk})
					}
				}
			}
		}
	}
	rand.New(rand.NewPCG(46, 0)).Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	var sum lowertest.Report
	n := 0
	for _, j := range jobs[:min(len(jobs), setting(t, "PTXABI_ORACLE_N", effort.Of(20, 150)))] {
		src, target := realFor(t, j.module, j.target), must.Target(t, j.target)
		cubin, err := j.tk.Assemble(context.Background(), src, j.target, j.level)
		if err != nil {
			continue // of a PTX version that this release does not take, or what the target lacks
		}
		theirs, err := j.tk.Disassemble(context.Background(), cubin, j.target)
		require.NoError(t, err)
		r := compared(t, theirs, src, target)
		for _, d := range r.Differences {
			if d.Func == "run" && strings.HasSuffix(j.module, "-variadic") && j.level == "-O1" && target.SM < 70 {
				continue // a defect: docs/abi.md, Remarks
			}
			t.Errorf("%s by %s for %s, %s: %s", j.module, j.tk.Version, j.target, j.level, d)
		}
		n++
		sum.Functions += r.Functions
		sum.Calls += r.Calls
		sum.Words += r.Words
		sum.NotFollowed = append(sum.NotFollowed, r.NotFollowed...)
	}
	assert.Positive(t, sum.Functions)
	t.Logf("%d listings: %d functions with %d calls and %d words followed, %d functions not", n, sum.Functions, sum.Calls, sum.Words, len(sum.NotFollowed))
}
