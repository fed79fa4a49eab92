package main

import (
	encoding "encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An entry is one of a fatbin.
type entry struct {
	kind   uint16 // 1: PTX, 2: a cubin, 8: NVVM
	arch   uint32
	packed uint32 // bytes said to be compressed
	flags  uint64
	data   string
}

func ptxEntry(text string) entry { return entry{kind: 1, arch: 80, flags: 1, data: text} }

// fatbin is a container of entries.
func fatbin(entries ...entry) string {
	le := encoding.LittleEndian
	var body []byte
	for _, e := range entries {
		data := e.data + strings.Repeat("\x00", -len(e.data)&7)
		head := make([]byte, 64)
		le.PutUint16(head, e.kind)
		le.PutUint16(head[2:], 0x0101)
		le.PutUint32(head[4:], 64)
		le.PutUint64(head[8:], uint64(len(data)))
		le.PutUint32(head[16:], e.packed)
		le.PutUint16(head[24:], 1)
		le.PutUint16(head[26:], 8)
		le.PutUint32(head[28:], e.arch)
		le.PutUint64(head[40:], e.flags)
		le.PutUint64(head[56:], uint64(len(data)))
		body = append(append(body, head...), data...)
	}
	head := le.AppendUint32(nil, 0xba55ed50)
	head = le.AppendUint64(le.AppendUint16(le.AppendUint16(head, 1), 16), uint64(len(body)))
	return string(head) + string(body)
}

func wideCubin(t *testing.T) entry {
	t.Helper()
	data, err := os.ReadFile(cubinData + "/cubins/wide-sm_80-12.4.cubin")
	require.NoError(t, err)
	return entry{kind: 2, arch: 80, flags: 1, data: string(data)}
}

// TestVerifyImages has PTX in a fatbin, with a cubin beside it that is right and
// without one.
func TestVerifyImages(t *testing.T) {
	schema := readSchema(t, "verify")
	wide := wideModule(t)
	good := writeSource(t, "wide.ptx", wide)
	drifted := strings.Replace(wide, "s[5000]", "s[5008]", 1)
	unversioned := strings.TrimPrefix(wide, ".version 8.1\n")
	require.NotEqual(t, wide, unversioned)
	for _, tt := range []struct {
		what     string
		entries  []entry
		source   string
		status   int
		want     []string
		unwanted string
	}{
		{
			"drifted beside a cubin that is right",
			[]entry{wideCubin(t), ptxEntry(drifted)},
			good, 1,
			[]string{
				"x.fatbin(0x10) (sm_80, toolkit 12.4) and ", "\nno difference\n",
				"x.fatbin(0x36f8, ptx image 1) (.target sm_80) and " + good, "\nkernel wide: differs\n",
				"parameter 0 (s) has 5008 bytes, 5000 in ", "parameter 1 (p) at offset 5008, at 5000 in ", "\n4 differences\n",
			},
			"",
		},
		{
			"alone, two texts",
			[]entry{ptxEntry(wide), ptxEntry(unversioned)},
			good, 0,
			[]string{"(0x10, ptx image 1) (.target sm_80)", "\nand 1 more image with the same report: sm_80\n", "kernel wide: same, c[0x0][0x1a80], 5010 bytes"},
			"toolkit",
		},
		{
			"a kernel that has come and one that has gone",
			[]entry{wideCubin(t), ptxEntry(strings.Replace(wide, ".entry wide", ".entry wade", 1))},
			good, 1,
			[]string{"kernel wide: only in source\n", "kernel wade: only in the PTX image\n", "\n2 differences\n"},
			"",
		},
		{
			"limits and blocks",
			[]entry{ptxEntry(wideHead + ".visible .entry k () .maxntid 64 .maxnreg 40 { ret; }\n")},
			writeSource(t, "k.ptx", wideHead+".visible .entry k () .maxntid 32 .maxnreg 32 { ret; }\n"), 1,
			[]string{".maxnreg allows 40 registers, .maxnreg of ", ":4 allows 32\n", "compiled for .maxntid 64, 1, 1; ", ":4 has 32, 1, 1\n", "\n2 differences\n"},
			"",
		},
		{
			"no limit",
			[]entry{ptxEntry(wideHead + ".visible .entry k () { ret; }\n")},
			writeSource(t, "k.ptx", wideHead+".visible .entry k () .maxnreg 32 { ret; }\n"), 1,
			[]string{"no directive limits its registers, .maxnreg of ", "\n1 difference\n"},
			"",
		},
		{
			"parameters without a place",
			[]entry{ptxEntry(wideHead + ".visible .entry k (.param .align 3 .b8 s[4]) { ret; }\n")},
			writeSource(t, "k.ptx", wideHead+".visible .entry k (.param .b8 s[4]) { ret; }\n"), 1,
			[]string{"its parameters have no place: ", "\n1 difference\n"},
			"0 parameters",
		},
		{
			"functions",
			[]entry{ptxEntry(wideHead + ".visible .func f (.param .b64 x) { ret; }\n.func own () { ret; }\n")},
			writeSource(t, "f.ptx", wideHead+".visible .func f (.param .b32 x) { ret; }\n"), 1,
			[]string{"parameter 0 (x) has 8 bytes, 4 in ", "function own: not of the source\n", "\n1 difference\n"},
			"",
		},
		{
			"for what the source is not",
			[]entry{ptxEntry(strings.Replace(wide, "sm_80", "sm_75", 1))},
			good, 1,
			[]string{"PTX, and so code for sm_75, which ", "\n1 difference\n"},
			"",
		},
		{
			"a declaration in C",
			[]entry{ptxEntry(wide)},
			writeSource(t, "k.cu", "struct __attribute__((aligned(16))) S { char c[4992]; };\nextern \"C\" __global__ void wide(S s, int *p, short h) {}\n"),
			1,
			[]string{"parameter 0 (s) has 5000 bytes, 4992 in "},
			"",
		},
	} {
		file := writeSource(t, "x.fatbin", fatbin(tt.entries...))
		r := ptxabi(nil, "verify", file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s%s", tt.what, r.stdout, r.stderr)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.what)
		}
		if tt.unwanted != "" {
			assert.NotContains(t, r.stdout, tt.unwanted, tt.what)
		}
		r = ptxabi(nil, "verify", "-format", "json", file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		schema.check(t, r.stdout)
		var doc struct {
			Reports []struct {
				Kind, Target string
				Image        int
			}
		}
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &doc), tt.what)
		last := doc.Reports[len(doc.Reports)-1]
		assert.Equal(t, "ptx", last.Kind, tt.what)
		assert.Positive(t, last.Image, tt.what)
	}
}

// TestVerifyImagesUnread has PTX that is not compared, of which a note tells.
func TestVerifyImagesUnread(t *testing.T) {
	wide := wideModule(t)
	good := writeSource(t, "wide.ptx", wide)
	packed := ptxEntry(wide)
	packed.packed = 100
	broken := ptxEntry("\n.target sm_80\n.visible .entry wide (\n")
	lz4 := packed
	lz4.flags |= 1 << 13
	for _, tt := range []struct {
		what, note string
		e          entry
	}{
		{"an unknown compression", "it is compressed in a way that is not known here; flags 0x1", packed},
		{"a damaged one", "LZ4: ", lz4},
		{"syntax", "line ", broken},
		{"nothing", "no PTX in it", ptxEntry("// none\n")},
		{"a target of the future", `unknown target "sm_999"`, ptxEntry(strings.Replace(wide, "sm_80", "sm_999", 1))},
	} {
		r := ptxabi(nil, "verify", writeSource(t, "x.fatbin", fatbin(wideCubin(t), tt.e)), good)
		assert.Equal(t, 0, r.status, "%s: %s", tt.what, r.stderr)
		assert.Contains(t, r.stderr, "x.fatbin(0x36f8, ptx image 1): note: left out, it is compared with nothing: ", tt.what)
		assert.Contains(t, r.stderr, tt.note, tt.what)
		assert.Equal(t, 1, strings.Count(r.stdout, " and "+good), tt.what)

		r = ptxabi(nil, "verify", writeSource(t, "x.fatbin", fatbin(tt.e)), good)
		assert.Equal(t, 2, r.status, tt.what)
		assert.Contains(t, r.stderr, tt.note, tt.what)
		assert.Contains(t, r.stderr, "x.fatbin: no cubin in it and no PTX that can be compared\n", tt.what)
	}
	r := ptxabi(nil, "verify", writeSource(t, "x.fatbin", fatbin(wideCubin(t), entry{kind: 8, arch: 80, flags: 1, data: "BC"})), good)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stderr, "x.fatbin(0x36f8): note: left out: it is nvvm, neither a cubin nor PTX\n")
}

// TestVerifyImagesChosen has several texts and modules, of which some are meant.
func TestVerifyImagesChosen(t *testing.T) {
	wide := wideModule(t)
	good := writeSource(t, "wide.ptx", wide)
	later := strings.Replace(wide, "sm_80", "sm_90", 1)
	newer := ptxEntry(later)
	newer.arch = 90
	file := writeSource(t, "x.fatbin", fatbin(wideCubin(t), newer))
	r := ptxabi(nil, "verify", "-target", "sm_90", file, good)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "ptx image 1) (.target sm_90)")
	assert.NotContains(t, r.stdout, "toolkit")
	r = ptxabi(nil, "verify", "-target", "sm_75", file, good)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "x.fatbin has neither cubin nor PTX for sm_75, only for sm_80, sm_90")

	// Another module of the program has a container of its own.
	other := fatbin(ptxEntry(wideHead + ".visible .entry other () { ret; }\n"))
	file = writeSource(t, "x.fatbin", fatbin(wideCubin(t), ptxEntry(wide))+other)
	r = ptxabi(nil, "verify", file, good)
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Equal(t, file+": note: "+good+" is module 1 of 2, at 0x0, which has 1 of what it defines; left out: 1 other module\n", r.stderr)

	// A module that defines nothing is found by its text.
	empty := writeSource(t, "x.ptx", wideHead)
	file = writeSource(t, "x.fatbin", fatbin(wideCubin(t), ptxEntry(wide))+fatbin(ptxEntry(wideHead)))
	r = ptxabi(nil, "verify", file, empty)
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Contains(t, r.stderr, empty+" is module 2 of 2, at 0x")
	assert.Contains(t, r.stderr, ", which contains its text; left out: 1 other module\n")

	header := writeSource(t, "s.h", "struct S { char s[5000]; long p; short h; };\n")
	alone := writeSource(t, "x.fatbin", fatbin(ptxEntry(wide)))
	r = ptxabi(nil, "verify", "-type", "S", alone, header)
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.Contains(t, r.stdout, "kernel wide: same as struct S, c[0x0][0x1a80], 5010 bytes")
	r = ptxabi(nil, "verify", "-kernel", "wade", alone, good)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "neither has a kernel wade; did you mean wide?")
	r = ptxabi([]byte(fatbin(ptxEntry(wide))), "verify", "-", good)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "<stdin>(0x10, ptx image 1) (.target sm_80)")
}

// TestDiffImage compares the PTX of a fatbin without cubins.
func TestDiffImage(t *testing.T) {
	wide := wideModule(t)
	alone := writeSource(t, "x.fatbin", fatbin(ptxEntry(wide)))
	r := ptxabi(nil, "diff", alone, writeSource(t, "y.ptx", strings.Replace(wide, "s[5000]", "s[5008]", 1)))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, fmt.Sprintf("%s(0x10, ptx image 1) on sm_80 and ", alone))
	r = ptxabi(nil, "diff", alone, writeSource(t, "y.ptx", wide))
	assert.Equal(t, 0, r.status, r.stderr)
	r = ptxabi(nil, "diff", writeSource(t, "x.fatbin", fatbin(ptxEntry(wide), ptxEntry(wide))), alone)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "x.fatbin: no cubin in it, only ptx, ptx")
}
