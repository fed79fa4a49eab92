package places

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// preservedHead begins the probe of functions with .abi_preserve.
const preservedHead = `// Where values of functions with .abi_preserve are.
// internal/lab/places wrote this file from the signatures of its preserved_test.go.
// record: -c -O1
// show: code
`

// kept is a function with .abi_preserve n.
func kept(n int, s abitest.Function) *abitest.Function {
	s.Preserve = abi.Preserve{Given: true, N: n}
	return &s
}

func blob(size, align int) abitest.Formal { return abitest.Formal{Type: "b8", Len: size, Align: align} }

var (
	one = abitest.Formal{Type: "b32"}
	two = abitest.Formal{Type: "b64"}
)

// preserved are functions that have places. Of each budget of registers there is
// one that fills it to the last, and there are two that are a register too large
// for the one before; of the words that values take, every remainder by 4.
var preserved = []*abitest.Function{
	kept(4, abitest.Function{Params: []abitest.Formal{two, blob(44, 4)}}),                                             // 40, full
	kept(5, abitest.Function{Params: []abitest.Formal{two, blob(44, 4)}}),                                             // 48, the least
	kept(12, abitest.Function{Result: &abitest.Formal{Type: "b8", Len: 56, Align: 4}, Params: []abitest.Formal{one}}), // 48, full
	kept(20, abitest.Function{Params: []abitest.Formal{one, blob(56, 4)}}),                                            // 56, full
	kept(24, abitest.Function{Params: []abitest.Formal{one, two, blob(56, 1)}}),                                       // 64, full
	kept(24, abitest.Function{Params: []abitest.Formal{blob(64, 16), one, {Type: "b32", Len: 8}}}),                    // 72, full
	kept(44, abitest.Function{Params: []abitest.Formal{blob(62, 2)}}),                                                 // 80, full
	kept(44, abitest.Function{Params: []abitest.Formal{blob(100, 8), blob(18, 2)}}),                                   // 96, full
	kept(68, abitest.Function{Params: []abitest.Formal{{Reg: true, Type: "f64"}, blob(152, 4)}}),                      // 128, full
	kept(132, abitest.Function{Params: []abitest.Formal{blob(52, 4)}}),                                                // 168, full
	kept(133, abitest.Function{Params: []abitest.Formal{one, blob(53, 4)}}),                                           // 256, the least
	kept(188, abitest.Function{Params: []abitest.Formal{blob(192, 4)}}),                                               // 256, full
	kept(10, abitest.Function{Params: []abitest.Formal{{Type: "b8", Len: 2, Align: 8}, {Type: "b8", Len: 3, Align: 64}, {Type: "b8", Len: 4, Align: 8}, {Type: "b8", Len: 3, Align: 2}}}),
	kept(7, abitest.Function{Result: &abitest.Formal{Type: "b8", Len: 64, Align: 4}, Params: []abitest.Formal{one, blob(8, 8)}}),
	kept(9, abitest.Function{Params: []abitest.Formal{one, blob(52, 4), {Type: "b8", Len: -1, Align: 16}}, Tail: 8}),
	kept(237, abitest.Function{Result: &abitest.Formal{Type: "b8", Len: 48}, Params: []abitest.Formal{one, two, blob(32, 4)}}), // R4 …
	kept(0, abitest.Function{Params: []abitest.Formal{one, two, one, blob(20, 4)}}),                                            // R4 … R13
	kept(2, abitest.Function{Result: &abitest.Formal{Type: "b32"}, Params: []abitest.Formal{one, blob(44, 4)}}),                // R4 … R15
}

// unplaced are functions that have no places, by the names of their modules.
var unplaced = []struct {
	name string
	sig  *abitest.Function
}{
	{"most", kept(238, abitest.Function{})},
	{"words11", kept(0, abitest.Function{Params: []abitest.Formal{blob(44, 4)}})},
	{"words12", kept(1, abitest.Function{Result: &abitest.Formal{Type: "b8", Len: 48, Align: 4}})},
	{"beyond252", kept(200, abitest.Function{Params: []abitest.Formal{blob(56, 4)}})},
	{"beyond256", kept(189, abitest.Function{Params: []abitest.Formal{blob(196, 4)}})},
}

// preservedProbes have kernels for callers: a function would save all registers
// that it has to preserve and the callee does not.
func preservedProbes() []*trial {
	var all []*trial
	for i, s := range preserved {
		p := newTrial(s, i)
		p.Thin()
		p.Root = true
		all = append(all, p)
	}
	return all
}

// preservedText is the text of the probe.
func preservedText() string {
	split := func(probes []*trial) (head, functions string) {
		const last = ".address_size 64\n"
		head, functions, _ = strings.Cut(moduleOf(probes, "sm_80", ptx.Version{Major: 9}, false), last)
		return head + last, functions
	}
	head, functions := split(preservedProbes())
	text := preservedHead + head + "// module places" + functions
	for _, u := range unplaced {
		p := newTrial(u.sig, 0)
		p.Thin()
		_, functions := split([]*trial{p})
		text += "\n// module " + u.name + functions
	}
	return text
}

// holdPreserved compares what a release made of the probe for a target with a
// row, and returns what differs, and how many pieces it has compared.
func holdPreserved(t *testing.T, file *measured.File, target string, row *abi.Target) (wrong []string, pieces int) {
	differ := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	section := func(module string) *measured.Section {
		s := file.Find(module, "-c -O1", target)
		require.NotNil(t, s, "%s for %s", module, target)
		return s
	}
	for _, u := range unplaced {
		_, err := abi.Assign(u.sig.ABI(), row)
		require.NotEmpty(t, section(u.name).Refusal(), "%s for %s", u.name, target)
		if err == nil {
			differ("%s has places", u.sig)
		}
	}
	s := section("places")
	if s.Refusal() != "" {
		for _, sig := range preserved {
			if _, err := abi.Assign(sig.ABI(), row); err == nil {
				differ("%s has places", sig)
			}
		}
		return wrong, 0
	}
	probes := preservedProbes()
	if err := examineAll(probes, row, s.Code()); err != nil {
		differ("%v", err)
		return wrong, 0
	}
	for _, p := range probes {
		if p.err != nil {
			differ("%s: %v", p.Function, p.err)
		}
		for _, m := range p.mismatches {
			differ("%s: %s", p.Function, m)
		}
		pieces += p.pieces
	}
	return wrong, pieces
}

// sincePreserve is the first release that has .abi_preserve.
const sincePreserve = "cuda-13.0"

// TestMeasuredPreserve compares Assign with the recorded code of functions with
// .abi_preserve, for every target of every release that has the directive.
func TestMeasuredPreserve(t *testing.T) {
	refused, pairs, pieces := 0, 0, 0
	for release, file := range measuredFiles(t, "preserved") {
		for _, target := range file.Targets() {
			if release < sincePreserve {
				assert.Contains(t, file.Find("places", "-c -O1", target).Refusal(), ".abi_preserve", "%s: %s", release, target)
				refused++
				continue
			}
			wrong, n := holdPreserved(t, file, target, must.Target(t, target))
			assert.Empty(t, wrong, "%s: %s", release, target)
			if n > 0 {
				pairs++
				pieces += n
			}
		}
	}
	t.Logf("%d pairs of release and target, %d pieces; %d pairs are before the directive", pairs, pieces, refused)
	assert.GreaterOrEqual(t, pairs, 72)
	assert.Equal(t, 186*pairs, pieces)
}

// TestBrokenPreservingIsNoticed changes each number of the rows' Preserving, one
// at a time, and requires that the recordings of the last release contradict it,
// for each architecture that has code of its own.
func TestBrokenPreservingIsNoticed(t *testing.T) {
	releases, err := measured.Releases(os.DirFS(measuredDir))
	require.NoError(t, err)
	sections, broken := 0, 0
	for _, release := range releases[len(releases)-1:] {
		file, err := measured.Read(os.DirFS(measuredDir), release, "preserved")
		require.NoError(t, err)
		for _, s := range file.Sections {
			target := s.Targets[0]
			if s.Module != "places" || s.Refusal() != "" {
				continue
			}
			sections++
			if sections > effort.Of(2, 100) {
				continue
			}
			for name, change := range changesOf(reflect.TypeFor[abi.PreserveRule]()) {
				for _, by := range []func(n int) int{
					func(n int) int { return n + 1 }, func(n int) int { return n - 1 },
					func(n int) int { return 2 * n }, func(n int) int { return n / 2 }, func(int) int { return 0 },
				} {
					r := *must.Target(t, target)
					was := r.Passing.Preserving
					change(reflect.ValueOf(&r.Passing.Preserving).Elem(), by)
					require.NotEqual(t, was, r.Passing.Preserving)
					wrong, _ := holdPreserved(t, file, target, &r)
					assert.NotEmpty(t, wrong, "%s of %s with %s: nothing notices %+v", name, target, release, r.Passing.Preserving)
					broken++
				}
			}
			r := *must.Target(t, target)
			r.Passing.Preserving = abi.PreserveRule{}
			wrong, _ := holdPreserved(t, file, target, &r)
			assert.NotEmpty(t, wrong, "%s with %s does not know the directive", target, release)
		}
	}
	t.Logf("%d recordings, %d broken rows", sections, broken)
	assert.GreaterOrEqual(t, sections, 8)
}

// changesOf returns, for each number of a structure, what changes it in a value.
func changesOf(typ reflect.Type) map[string]func(v reflect.Value, by func(int) int) {
	all := make(map[string]func(reflect.Value, func(int) int))
	number := func(v reflect.Value, by func(int) int) {
		if v.CanInt() {
			v.SetInt(int64(by(int(v.Int()))))
		} else {
			v.SetUint(uint64(uint8(by(int(v.Uint())))))
		}
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Type.Kind() != reflect.Array {
			all[f.Name] = func(v reflect.Value, by func(int) int) { number(v.Field(i), by) }
			continue
		}
		for j := range f.Type.Len() {
			all[fmt.Sprintf("%s[%d]", f.Name, j)] = func(v reflect.Value, by func(int) int) { number(v.Field(i).Index(j), by) }
		}
	}
	return all
}
