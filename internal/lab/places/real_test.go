package places

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

const realFile = "testdata/listings/real.txtar"

// realOf are modules of testdata/real, and the assemblers whose listings of them are recorded: right code that
// is not easy to follow.
var realOf = []struct{ module, toolkit, target, level string }{
	{"clang19-tokens", "11.8", "sm_60", "-O1"},       // PRET names a label that is not after the call
	{"gcc12-plain", "11.8", "sm_60", "-O1"},          // a call of .text.gcd
	{"gcc12-subword", "11.8", "sm_60", "-O0"},        // video instructions
	{"clang19-inlineasm", "11.8", "sm_60", "-O1"},    // CS2R of one word
	{"gcc12-recursion", "12.8", "sm_75", "-O1"},      // registers kept over a recursive function
	{"gcc12-manyargs", "12.8", "sm_75", "-O1"},       // sums that are passed
	{"cicc124-switch", "12.4", "sm_90", "-O1"},       // jumps through registers
	{"cicc130-recursion", "13.5", "sm_80", "-O1"},    // likewise
	{"cicc124-system", "13.5", "sm_90", "-O1"},       // registers kept over free
	{"cicc124-packed", "13.5", "sm_80", "-O1"},       // misaligned stores to a result
	{"gcc12-indirect", "12.9", "sm_100", "-O1"},      // calls through registers
	{"cicc124-variadic", "12.9", "sm_100", "-O1"},    // tails
	{"cicc124-overaligned", "13.5", "sm_120", "-O3"}, // frames that are aligned
}

// realFor returns a module for a target: with its name, and a version that has it.
func realFor(t *testing.T, module, target string) string {
	src := must.Read(t, "../../../testdata/real/"+module+".ptx")
	version := map[string]string{"sm_35": "3.1", "sm_52": "4.2", "sm_60": "5.0", "sm_70": "6.0", "sm_75": "6.3", "sm_80": "7.0", "sm_90": "7.8"}[target]
	if version == "" {
		version = "8.7"
	}
	text := regexp.MustCompile(`(\.target\s+)sm_\d+[af]?`).ReplaceAllString(string(src), "${1}"+target)
	return regexp.MustCompile(`\.version\s+\d+\.\d+`).ReplaceAllStringFunc(text, func(line string) string {
		if have := line[len(line)-3:]; have < version {
			return ".version " + version
		}
		return line
	})
}

// noPadding matches the padding after the end of functions.
var noPadding = regexp.MustCompile(`(?m)^.*\bNOP ?;.*\n`)

func recordReal(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	a := &txtar.Archive{Comment: []byte("Listings of ptxas -c and nvdisasm -c for modules of testdata/real: go test ./internal/lab/places -run TestReal -record\n\n")}
	for _, r := range realOf {
		for _, tk := range tools.Toolkits {
			if !strings.HasPrefix(tk.Version.String(), r.toolkit+".") {
				continue
			}
			cubin, err := tk.Assemble(context.Background(), realFor(t, r.module, r.target), r.target, r.level)
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "cubin")
			require.NoError(t, os.WriteFile(file, cubin, 0o666))
			listing, err := exec.Command(tk.Nvdisasm, "-c", file).Output() // with the targets of jumps through registers
			require.NoError(t, err)
			a.Files = append(a.Files, txtar.File{Name: r.module + " " + r.target, Data: []byte(noPadding.ReplaceAllString(codeOnly(string(listing)), ""))})
		}
	}
	require.Len(t, a.Files, len(realOf))
	require.NoError(t, os.WriteFile(realFile, txtar.Format(a), 0o666))
}

const leftOut = "a call is left out"

// plantings are mistakes in machine code that break the convention wherever they are: a register that is not
// brought back, a return address that is not set, another stack pointer.
var plantings = []struct {
	name  string
	of    *regexp.Regexp
	wrong string
}{
	{"a register is not brought back", regexp.MustCompile(`\bLDL R(?:2|1[6-9]|2[0-9]|3[01]), \[R1(?:\+0x[0-9a-f]+)?\] ;`), "NOP ;"},
	{"a return address is not set", regexp.MustCompile(`\b\S+ R2[01], 32@(?:lo|hi)\(\(\w+ \+ \.L_x_\d+@srel\)\) ;`), "NOP ;"},
	{"the frame is not given back", regexp.MustCompile(`\b(?:IADD3?|IADD32I|VIADD) R1, (?:PT, PT, )?R1, 0x[0-9a-f]+(?:, RZ)? ;`), "NOP ;"},
	{leftOut, regexp.MustCompile("\\b(?:JCAL|CAL|CALL\\.\\S+) `\\([a-zA-Z]\\w*\\) ;"), "NOP ;"},
	{"a register is saved elsewhere", regexp.MustCompile(`\bSTL \[R1(?:\+0x[0-9a-f]+)?\], R(?:16|20) ;`), "STL [R1+0x1004], R16 ;"},
}

// TestReal holds that recorded listings of the assembler are not accused, and that mistakes that are planted in
// them are found.
func TestReal(t *testing.T) {
	if *record {
		recordReal(t)
	}
	a := golden.Archive(t, realFile)
	require.Len(t, a.Files, len(realOf))
	planted, found, calls, bytes, functions := 0, 0, 0, 0, 0
	for i, r := range realOf {
		src, target, listing := realFor(t, r.module, r.target), must.Target(t, r.target), string(a.Files[i].Data)
		got := compared(t, listing, src, target)
		assert.Empty(t, got.Differences, "%s of %s", r.module, r.toolkit)
		assert.Empty(t, got.NotFollowed, r.module)
		bytes, functions = bytes+got.Bytes, functions+got.Functions
		for _, p := range plantings {
			all := p.of.FindAllStringIndex(listing, -1)
			step := max(1, len(all)/effort.Of(1, 30))
			for k := 0; k < len(all); k += step {
				planted++
				bad := listing[:all[k][0]] + p.wrong + listing[all[k][1]:]
				switch {
				case len(compared(t, bad, src, target).Differences) > 0:
					found++
				case p.name == leftOut: // of a loop that is unrolled, or on a way that may never be taken
					planted--
					calls++
				default:
					t.Logf("not found: %s, %s: %s", r.module, p.name, listing[all[k][0]:all[k][1]])
				}
			}
		}
	}
	t.Logf("%d functions, %d bytes; %d of %d mistakes found, and not %d calls that are left out", functions, bytes, found, planted, calls)
	assert.LessOrEqual(t, calls, effort.Of(10, 40))
	assert.GreaterOrEqual(t, 100*found, effort.Of(96, 97)*planted)
	assert.Greater(t, planted, effort.Of(40, 80))
	assert.Greater(t, bytes, 1400)
}
