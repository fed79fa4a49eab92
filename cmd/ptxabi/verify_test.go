package main

import (
	"debug/elf"
	encoding "encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const cubinData = "../../internal/image/cubin/testdata"

// source writes a source to a file and returns its path.
func writeSource(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

const wideHead = ".version 8.1\n.target sm_80\n.address_size 64\n"

func wideModule(t *testing.T) string {
	t.Helper()
	body, err := os.ReadFile(cubinData + "/wide.ptx")
	require.NoError(t, err)
	return wideHead + string(body)
}

func TestVerify(t *testing.T) {
	schema := readSchema(t, "verify")
	good := writeSource(t, "wide.ptx", wideModule(t))
	bad := writeSource(t, "wide.ptx", strings.Replace(wideModule(t), "s[5000]", "s[5008]", 1))
	for _, tt := range []struct {
		what, file, source string
		status             int
		want               []string
	}{
		{"a cubin", "cubins/wide-sm_80-12.4.cubin", good, 0, []string{"(sm_80, toolkit 12.4)", "kernel wide: same, c[0x0][0x1a80], 5010 bytes", "\nno difference\n"}},
		{"a drifted struct", "cubins/wide-sm_80-12.4.cubin", bad, 1, []string{"\n  > 0      0 … 5008", "parameter 0 (s) has 5000 bytes, 5008 in ", "\n4 differences\n"}},
		{"all cubins of a fatbin", "fatbins/zstd-13.5.fatbin", good, 0, []string{"fatbin(0x", "(sm_80, toolkit 12.4)", "(sm_90, toolkit 12.4)", "c[0x0][0x210]"}},
		{
			"CUDA C++", "cubins/wide-sm_90-12.4.cubin",
			writeSource(t, "k.cu", "struct __attribute__((aligned(16))) S { char c[4992]; };\n"+
				"extern \"C\" __global__ void wide(S s, int *p, short h) {}\n"),
			1,
			[]string{"parameter 0 (s) has 5000 bytes, 4992 in ", "parameter 1 (p) at offset 5000, at 4992 in "},
		},
		{
			"a header", "cubins/narrow-sm_80-11.8.cubin",
			writeSource(t, "k.cu", "extern \"C\" __global__ void k(unsigned char c, unsigned p);\n"), 0,
			[]string{"kernel k: same, c[0x0][0x160], 8 bytes"},
		},
	} {
		r := ptxabi(nil, "verify", cubinData+"/"+tt.file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.what)
		}
		r = ptxabi(nil, "verify", "-format", "json", cubinData+"/"+tt.file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		schema.check(t, r.stdout)
	}
}

// TestVerifyChooses compares a part of what is there: the cubins for one target,
// those of a program that have something of the source, one kernel.
func TestVerifyChooses(t *testing.T) {
	good := writeSource(t, "wide.ptx", wideModule(t))
	fat := cubinData + "/fatbins/zstd-13.5.fatbin"
	r := ptxabi(nil, "verify", "-target", "90", fat, good)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "(sm_90, toolkit 12.4)")
	assert.NotContains(t, r.stdout, "sm_80,")

	lib := writeLibrary(t, cubinData+"/cubins/wide-sm_80-12.4.cubin", cubinData+"/cubins/sm_80-12.4.cubin")
	r = ptxabi(nil, "verify", lib, good)
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.Contains(t, r.stdout, "lib.a(wide.o, ")
	assert.NotContains(t, r.stdout, "sm_8.o")
	assert.Equal(t, lib+": note: "+good+" is module 1 of 2, at 0x44 in wide.o, which has 1 of what it defines; left out: 1 other module\n", r.stderr)
	other := writeSource(t, "x.ptx", wideHead+".visible .entry other () { ret; }\n")
	r = ptxabi(nil, "verify", lib, other)
	assert.Equal(t, 2, r.status)
	assert.Equal(t, "ptxabi: "+lib+": none of 2 cubins has anything that "+other+" defines\n", r.stderr)
	r = ptxabi(nil, "verify", "-kernel", "wade", lib, good)
	assert.Equal(t, 2, r.status)
	assert.Equal(t, "ptxabi: "+lib+": none of 2 cubins has a kernel wade; did you mean wide?\n", r.stderr)
	r = ptxabi(nil, "verify", "-kernel", "wide", lib, good)
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Contains(t, r.stderr, " is module 1 of 2, at 0x44 in wide.o, which has the kernel wide; ")
	r = ptxabi(nil, "verify", "-kernel", "wide", fat, other)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "\nptxabi: "+other+" has no kernel wide\n")
	r = ptxabi(nil, "verify", "-kernel", "wide", lib, writeSource(t, "x.ptx", wideHead+".visible .entry wade () { ret; }\n"))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "x.ptx has no kernel wide")
	none := writeSource(t, "lib.a", "!<arch>\n")
	r = ptxabi(nil, "verify", none, good)
	assert.Equal(t, 2, r.status)
	assert.Equal(t, "ptxabi: "+none+" has neither a cubin nor PTX in it\n", r.stderr)

	r = ptxabi(nil, "verify", "-kernel", "step", cxxCubin, writeSource(t, "k.cu", "struct P { double x[2]; int id; };\n__global__ void step(float dt, P p, double *x);\n"))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, "kernel step(float, Particle, double*): differs, the inside of p is unknown\n  named _Z4stepf8ParticlePd, ")
	assert.Contains(t, r.stdout, "\n1 difference\n")
	r = ptxabi(nil, "verify", "-kernel", "k", cubinData+"/cubins/sm_80-12.4.cubin", writeSource(t, "x.ptx", wideHead+".visible .entry k () { ret; }\n"))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, "kernel k: differs\n  6 parameters, 0 in ")
	assert.NotContains(t, r.stdout, "kernel empty")
}

// writeLibrary writes a library with those cubins, whose members have the first four letters of
// their names.
func writeLibrary(t *testing.T, cubins ...string) string {
	t.Helper()
	library := "!<arch>\n"
	for _, file := range cubins {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		library += fmt.Sprintf("%-16s%-12d%-6d%-6d%-8d%-10d`\n", filepath.Base(file)[:4]+".o/", 0, 0, 0, 644, len(data)) + string(data)
		if len(data)%2 == 1 {
			library += "\n"
		}
	}
	return writeSource(t, "lib.a", library)
}

// TestSpan has architectures in another order than the file's.
// TestVerifyHalf has PTX with a mistake beside what a cubin was compiled from: verify and annotate use the rest.
func TestVerifyHalf(t *testing.T) {
	text, err := os.ReadFile("../../examples/drift/step.ptx")
	require.NoError(t, err)
	half := writeSource(t, "half.ptx", string(text)+".func bad(.param .b32 ) { ret; }\n")
	r := ptxabi(nil, "verify", "../../examples/drift/step.cubin", half)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "\nkernel step: same, ")
	assert.Contains(t, r.stderr, "half.ptx:")
	r = ptxabi(nil, "annotate", "-ptx", half, "../../examples/drift/step.sass")
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "// dt[0:4]")
	assert.Contains(t, r.stderr, "half.ptx:")
	none := writeSource(t, "none.ptx", ".version 7.8\n.target sm_80\n.func bad(.param .b32 ) { ret; }\n")
	for _, args := range [][]string{{"verify", "../../examples/drift/step.cubin", none}, {"annotate", "-ptx", none, "../../examples/drift/step.sass"}} {
		r = ptxabi(nil, args...)
		assert.Equal(t, 1, r.status)
		assert.Empty(t, r.stdout)
	}
}

func TestSpan(t *testing.T) {
	assert.Equal(t, "sm_52, sm_90, sm_90a, sm_100", spanOf([]string{"sm_100", "sm_90a", "sm_52", "sm_90"}))
	assert.Equal(t, "sm_50 … sm_121 (5 architectures)", spanOf([]string{"sm_100", "sm_121", "sm_50", "sm_80", "sm_90"}))
}

// TestVerifyTarget has modules that the cubin cannot be of, whose layouts agree.
func TestVerifyTarget(t *testing.T) {
	body := strings.TrimPrefix(wideModule(t), wideHead)
	file := cubinData + "/cubins/wide-sm_80-12.4.cubin"
	for target, status := range map[string]int{"sm_70": 0, "sm_80": 0, "sm_86": 1, "sm_90a": 1, "sm_100f": 1} {
		src := writeSource(t, "wide.ptx", strings.Replace(wideHead, "sm_80", target, 1)+body)
		r := ptxabi(nil, "verify", file, src)
		assert.Equal(t, status, r.status, "%s: %s", target, r.stderr)
		want := "\ncode for sm_80, which " + src + " is not compiled for: its .target is " + target + "\n"
		assert.Equal(t, status != 0, strings.Contains(r.stdout, want), "%s: %s", target, r.stdout)
	}
	// No assembler takes the large block of a module for sm_60.
	r := ptxabi(nil, "verify", file, writeSource(t, "wide.ptx", strings.Replace(wideHead, "sm_80", "sm_60", 1)+body))
	assert.Equal(t, 1, r.status, r.stderr)
	assert.Contains(t, r.stdout, "of the parameter block, .target sm_60 passes at most 4352; .target sm_80 allows 32764")
}

func TestVerifyStdin(t *testing.T) {
	data, err := os.ReadFile(cubinData + "/cubins/wide-sm_80-12.4.cubin")
	require.NoError(t, err)
	good := writeSource(t, "wide.ptx", wideModule(t))
	r := ptxabi(data, "verify", "-", good)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "<stdin> (sm_80, toolkit 12.4) and "+good)
	r = ptxabi(data, "verify", "-", "-")
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "standard input is one of them at most")
	r = ptxabi(nil, "verify", "-", good)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "<stdin>: offset 0x0: an empty file")
}

func TestVerifyRefuses(t *testing.T) {
	good := writeSource(t, "wide.ptx", wideModule(t))
	file := cubinData + "/cubins/wide-sm_80-12.4.cubin"
	goFile := writeSource(t, "s.go", goStructs)
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{file}, 2, "verify: 1 file, expected two at least: CUBIN FILE"},
		{[]string{"-format", "xml", file, good}, 2, `-format "xml" is none of text, json`},
		{[]string{"../../examples/drift/step.sass", good}, 2, "step.sass: a listing of machine code, not the cubin that it lists"},
		{[]string{good, good}, 2, `wide.ptx; "ptxabi diff ` + good + " " + good + `" compares PTX with PTX`},
		{[]string{writeSource(t, "k.cu", "__global__ void k(int n);\n"), good}, 2, "text; the compiled file comes first, its source after it"},
		{[]string{cubinData + "/fatbins/zstd-13.5.fatbin", writeSource(t, "none.ptx", wideHead)}, 2, "none.ptx defines no kernel or function\n"},
		{[]string{writeSource(t, "x.cubin", "\x00\x01"), good}, 2, "neither a cubin nor a fatbin nor an ELF or PE file"},
		{[]string{file, file}, 2, "an ELF file, not PTX text"},
		{[]string{"nowhere.cubin", good}, 2, "nowhere.cubin: no such file"},
		{[]string{file, goFile}, 2, "s.go is a Go file, which declares no kernels: name the struct of a parameter with -type"},
		{[]string{"-type", "None", file, goFile}, 2, "s.go: no such type: None"},
		{[]string{"-type", "Bad", file, goFile}, 1, "s.go:14:2: error: field N: int has no fixed size on the device"},
		{[]string{"-type", "Whole", file, good}, 2, "-type is for a Go, C or CUDA file, and "},
		{[]string{"-param", "1", file, good}, 2, "-param needs -type: it chooses the parameter that the struct is for"},
		{[]string{"-type", "", file, goFile}, 2, "-type is empty: it names a struct of " + goFile},
		{[]string{"-type", "", "-param", "1", file, goFile}, 2, "-type is empty"},
		{[]string{"-kernel", "", file, good}, 2, "-kernel is empty: it names the kernel that is compared"},
		{[]string{"-kernel", "wide", file, writeSource(t, "x.ptx", wideHead+".visible .entry wade () { ret; }\n")}, 2, "x.ptx has no kernel wide; did you mean wade?"},
		{[]string{file, writeSource(t, "none.ptx", wideHead+".extern .func f;\n")}, 2, "none.ptx defines no kernel or function\n"},
		{[]string{cxxCubin, writeSource(t, "none.ptx", wideHead)}, 2, "none.ptx defines no kernel or function\n"},
		{[]string{"-kernel", "step", cxxCubin, writeSource(t, "k.cu", "__global__ void stpp(int n);\n")}, 2, "k.cu has no kernel step; did you mean stpp?"},
		{[]string{"-kernel", "wade", file, good}, 2, "wide.ptx: neither has a kernel wade; did you mean wide?"},
		{[]string{"-kernel", "stp", cxxCubin, writeSource(t, "k.cu", "__global__ void stpp(int n);\n")}, 2, "k.cu: neither has a kernel stp; did you mean stpp, step?"},
		{[]string{"-target", "sm_90", file, good}, 2, "wide-sm_80-12.4.cubin has no cubin for sm_90, only for sm_80"},
		{[]string{"-target", "sm_1", file, good}, 2, `unknown target "sm_1"`},
		{[]string{"-type", "Whole", "-param", "-2", file, goFile}, 2, "-param -2: parameters count from 0"},
		{[]string{"-type", "Whole", cxxCubin, goFile}, 2, "has 5 kernels; -kernel chooses the one that the struct is for: add(float), add(int), "},
		{[]string{"-type", "Whole", "-kernel", "wade", cubinData + "/fatbins/zstd-13.5.fatbin", goFile}, 2, "zstd-13.5.fatbin: none of 2 cubins and 1 PTX image has a kernel wade; did you mean wide?"},
		{[]string{"-type", "Whole", "-kernel", "add", cxxCubin, goFile}, 2, "-kernel add may mean any of add(float), add(int)"},
		{[]string{file, writeSource(t, "x.sass", "\t.target\tsm_80\n.text.f:\n\tMOV R0, R4 ;\n")}, 2, "x.sass: a listing of machine code, not source; "},
		{[]string{file, writeSource(t, "x.txt", wideHead)}, 2, "x.txt: PTX, which has to be in a file whose name ends in .ptx"},
		{[]string{file, writeSource(t, "x.ptx", "\n")}, 2, "x.ptx: no PTX module in it"},
		{[]string{file, writeSource(t, "x.h", "struct S { int x; };\n")}, 2, "declares no kernels"},
		{[]string{file, writeSource(t, "x.ptx", wideHead+".func (")}, 1, "x.ptx:4:"},
	} {
		r := ptxabi(nil, append([]string{"verify"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, tt.want)
		assert.Contains(t, r.stderr, tt.want)
		assert.Empty(t, r.stdout, tt.want)
	}
}

// TestVerifyStripped has a cubin without symbols: they begin where the section
// table says that they do, and there are none.
func TestVerifyStripped(t *testing.T) {
	data, err := os.ReadFile(cubinData + "/cubins/wide-sm_80-12.4.cubin")
	require.NoError(t, err)
	table := int(encoding.LittleEndian.Uint64(data[40:]))
	count := int(encoding.LittleEndian.Uint16(data[60:]))
	for i := range count {
		if s := data[table+64*i:]; encoding.LittleEndian.Uint32(s[4:]) == uint32(elf.SHT_SYMTAB) || encoding.LittleEndian.Uint32(s[44:]) != 0 ||
			strings.HasPrefix(sectionName(data, table, i), ".nv.info") {
			encoding.LittleEndian.PutUint32(s[4:], uint32(elf.SHT_NULL))
		}
	}
	r := ptxabi(data, "verify", "-", writeSource(t, "wide.ptx", wideModule(t)))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "<stdin>: it is stripped: without symbols its kernels have no names")
}

// sectionName is the name of a section of an ELF file of 64 bits.
func sectionName(data []byte, table, i int) string {
	order := encoding.LittleEndian
	names := table + 64*int(order.Uint16(data[62:]))
	at := int(order.Uint64(data[names+24:])) + int(order.Uint32(data[table+64*i:]))
	name, _, _ := strings.Cut(string(data[at:]), "\x00")
	return name
}
