package simtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/witness"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// witnessed is a program as the witness reads it, with the stores of the PTX. A change, if any, is made
// to the lowered program; the case is nil if there was nothing to change.
func witnessed(t *testing.T, name string, mod *ptx.Module, target *abi.Target, seed uint32, opts lower.Options, change func(*sass.Program) bool) *witness.Case {
	t.Helper()
	prog, err := lower.Module(mod, target, opts)
	require.NoError(t, err, name)
	if change != nil && !change(prog) {
		return nil
	}
	kernel, err := abi.Assign(resolve.NewFunction(nil, resolve.NewTable(mod).Lookup("k").Func).Signature(), target)
	require.NoError(t, err, name)
	ref := &ptxMachine{mod: mod, block: func(i int) int { return kernel.Params[i].Loc.Off - kernel.Block.Base }}
	ref.logs.seed = seed
	require.NoError(t, ref.run("k"), name)
	block := make([]byte, kernel.Block.Size)
	for i := range block {
		block[i] = kernelByte(seed, i).Val
	}
	c := witness.Of(target, []*ptx.Module{mod}, prog, "k", stackTop, kernel.Block.Base, block)
	c.Name, c.Seed, c.Narrow, c.Pointer = name, seed, mod.AddressSize == 32, mod.AddressSize/8
	c.Classes = [][2]any{{"rb", 1}, {"rs", 2}, {"rd", 8}, {"rq", 16}, {"r", 4}}
	for _, e := range ref.events {
		if e.kind == "observe" {
			c.Expected = append(c.Expected, witness.Store{At: e.addr, Bytes: e.bytes[0]})
		}
	}
	return c
}

// testify executes cases by the witness.
func testify(t *testing.T, cases []*witness.Case) (differ []string, equal int) {
	t.Helper()
	differ, equal, err := witness.Compare(cases)
	if errors.Is(err, witness.ErrNoPython) {
		t.Skip(err.Error())
	}
	require.NoError(t, err)
	require.Len(t, differ, len(cases))
	return differ, equal
}

// TestWitness executes random programs with an interpreter that shares nothing with the simulator:
// the interpreter stores each byte that the PTX stores.
func TestWitness(t *testing.T) {
	count := effort.Of(20, 1_000)
	var cases []*witness.Case
	for i := range count {
		target := abi.Targets()[i%len(abi.Targets())]
		seed := uint64(40_000 + i)
		s := randomSpec(seed, target)
		s.withoutPreserve() // its functions have a convention each
		mod := must.Parse(t, "random.ptx", []byte(s.source(target)))
		opts := lower.Options{}
		switch i % 3 {
		case 1:
			if with := allocated(&randomHomes{t: target, seed: seed, mod: mod}); !crowdedBy(mod, target, with) {
				opts = with
			}
		case 2:
			opts.Without = lower.Passes()
		}
		cases = append(cases, witnessed(t, target.Name+" "+s.source(target), mod, target, uint32(seed), opts, nil))
	}
	differ, equal := testify(t, cases)
	for i, text := range differ {
		if !assert.Empty(t, text, "program %d", i) {
			t.Logf("%s\n%s", cases[i].Name, cases[i].Text)
			break
		}
	}
	t.Logf("%d programs, %d bytes equal", count, equal)
	assert.Greater(t, equal, 100*count)
}

func crowdedBy(mod *ptx.Module, target *abi.Target, opts lower.Options) bool {
	_, err := lower.Module(mod, target, opts)
	return err != nil
}

// unseen are the defects about which the simulator and the witness disagree: the simulator checks
// which memory is whose and what is aligned to more than a word, and the witness sees values alone.
var unseen = map[string]bool{"the frame not realigned": true, "the frame too small": true}

// TestWitnessFindsDefects plants what the simulator finds.
func TestWitnessFindsDefects(t *testing.T) {
	for _, name := range effort.Of([]string{"sm_80"}, []string{"sm_35", "sm_61", "sm_80", "sm_90"}) {
		target := must.Target(t, name)
		mod := must.Parse(t, "defect.ptx", []byte(strings.Replace(defectModule, "sm_35", name, 1)))
		cases := []*witness.Case{witnessed(t, "right", mod, target, 1, lower.Options{}, nil)}
		for _, d := range defects {
			if c := witnessed(t, d.name, mod, target, 1, lower.Options{}, d.change); c != nil {
				cases = append(cases, c)
			}
		}
		require.Greater(t, len(cases), len(defects)-len(onlyNew))
		differ, _ := testify(t, cases)
		assert.Empty(t, differ[0], name)
		for i, c := range cases[1:] {
			assert.Equal(t, unseen[c.Name], differ[i+1] == "", "%s on %s: %s", c.Name, name, differ[i+1])
		}
	}
}

// TestWitnessBesideAssembler executes programs of which some functions are what the vendor's assembler made
// of them and the others what lower made: each calls the other.
func TestWitnessBesideAssembler(t *testing.T) {
	effort.NeedLong(t, "it assembles hundreds of programs")
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	count := 10
	for _, tk := range tools.Toolkits {
		for _, name := range []string{"sm_75", "sm_80", "sm_90", "sm_120"} {
			if !slices.Contains(tk.Targets, name) || !tk.Measures(name) {
				continue
			}
			target := must.Target(t, name)
			var cases []*witness.Case
			for seed := uint64(70_000); len(cases) < 2*count; seed++ {
				require.Less(t, seed, uint64(71_000), "too few of these can be assembled")
				s := randomSpec(seed, target)
				s.withoutPreserve()
				s.Narrow = false
				for one := &s; one != nil; one = one.Inner {
					for i := range one.Params {
						one.Params[i].passable()
					}
					if one.Result != nil {
						one.Result.passable()
					}
				}
				// The assembler may call a local function otherwise.
				src := strings.ReplaceAll(s.source(target), "\n.func", "\n.visible .func")
				if m, _ := ptx.Parse("random.ptx", []byte(src)); !tk.PTX.AtLeast(m.Version.Major, m.Version.Minor) {
					src = strings.Replace(src, m.Version.String(), tk.PTX.String(), 1)
				}
				mod, list := check.Source("random.ptx", []byte(src), check.Options{})
				if slices.ContainsFunc(list, func(d *diag.Diagnostic) bool {
					return slices.Contains([]diag.Code{check.MisalignedAccess, check.TruncatedQuad, check.StaleResult, check.SeparatedLoad}, d.Code)
				}) {
					continue // what the assembler makes of it traps, or is wrong, as check says
				}
				cubin, err := tk.Assemble(context.Background(), src, name, "-O0") // from -O1 on it uses what functions of the module change
				if err != nil {
					continue // what it refuses is of other tests
				}
				listing, err := tk.Disassemble(context.Background(), cubin, name)
				require.NoError(t, err)
				var names []string
				for _, f := range resolve.Functions(mod) {
					if f.Decl != nil && f.Decl.HasBody {
						names = append(names, f.Name)
					}
				}
				for odd := range 2 {
					c := witnessed(t, fmt.Sprintf("%s, %s, seed %d", tk, name, seed), mod, target, uint32(seed), lower.Options{}, nil)
					c.Other = listing
					for i, fn := range names {
						if i%2 == odd {
							c.From = append(c.From, fn)
						}
					}
					cases = append(cases, c)
				}
			}
			differ, equal := testify(t, cases)
			unknown := 0
			for i, text := range differ {
				if strings.Contains(text, "unknown instruction") || strings.Contains(text, "no meaning is known") {
					unknown++
					t.Log(text)
					continue
				}
				assert.Empty(t, text, "%s, from the assembler: %s", cases[i].Name, cases[i].From)
			}
			t.Logf("%s, %s: %d programs, %d not executed, %d bytes equal", tk, name, len(cases), unknown, equal)
			assert.LessOrEqual(t, unknown, len(cases)/5) // for sm_75, constants in a bank that no listing has
		}
	}
}
