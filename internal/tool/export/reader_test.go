package export

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
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

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// cubins are all cubins of the project, and those in the files that PTXABI_CUBINS lists.
func cubins(t *testing.T) [][]byte {
	files := filepath.SplitList(os.Getenv("PTXABI_CUBINS"))
	require.NoError(t, filepath.WalkDir("../../..", func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); ext == ".cubin" || ext == ".fatbin" {
			files = append(files, path)
		}
		return err
	}))
	require.Greater(t, len(files), 60)
	var all [][]byte
	for _, file := range files {
		data := must.Read(t, file)
		images, err := cubin.Images(data)
		if err != nil {
			continue // which is damaged on purpose
		}
		for i := range images {
			if images[i].Kind == cubin.Cubin {
				one, err := images[i].Contents()
				require.NoError(t, err, file)
				all = append(all, one)
			}
		}
	}
	return all
}

// damaged changes a few bytes of a cubin, most of them in its tables, or cuts it short.
func damaged(r *rand.Rand, data []byte, places []int) []byte {
	out := slices.Clone(data)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(out))
		if r.IntN(4) > 0 {
			at = min(places[r.IntN(len(places))]+r.IntN(24), len(out)-1)
		}
		switch r.IntN(4) {
		case 0:
			out[at] = byte(r.IntN(256))
		case 1:
			out[at] ^= 1 << r.IntN(8)
		case 2:
			out[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
		default:
			from := out[r.IntN(len(out)):]
			copy(out[at:], from[:min(4, len(from))])
		}
	}
	if r.IntN(8) == 0 {
		out = out[:r.IntN(len(out))]
	}
	return out
}

// places are offsets of a cubin's tables.
func places(data []byte, f *cubin.File) []int {
	all := []int{0, 24, 40}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Type == 2 || strings.HasPrefix(s.Name, ".nv.info") || strings.HasSuffix(s.Name, "strtab") {
			for at := s.Offset; at < s.Offset+s.Size && at < uint64(len(data)); at += 12 {
				all = append(all, int(at))
			}
		}
	}
	const table = 40 // of the offset of the section table, which is at the end as a rule
	for at := int(data[table]) | int(data[table+1])<<8 | int(data[table+2])<<16; at < len(data) && f.AddressSize == 64; at += 16 {
		all = append(all, at)
	}
	return all
}

// taken is what a cubin's kernels take as package cubin reads it; nil: it does not. Odd are files that
// give two sections or kernels one name, of which either may count.
func taken(data []byte) (lines []string, odd bool) {
	f, err := cubin.Open(data)
	if err != nil {
		return nil, false
	}
	names := make(map[string]bool)
	for i := range f.Sections {
		s := &f.Sections[i]
		odd = odd || names[s.Name] && strings.HasPrefix(s.Name, ".nv.info.")
		names[s.Name] = true
	}
	names = make(map[string]bool)
	sm := strings.TrimSuffix(strings.TrimPrefix(f.Arch, "sm_"), "a")
	if sm == "" {
		sm = "0"
	}
	lines = []string{"sm " + sm}
	for i := range f.Functions {
		fn := &f.Functions[i]
		odd = odd || names[fn.Name] || strings.ContainsAny(fn.Name, "\n\r") || fn.ParamBank > 99
		if names[fn.Name] = true; !fn.Kernel {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s %d %d %d", fn.Name, fn.ParamBank, fn.ParamBase, max(fn.ParamSize, 0))
		for _, p := range fn.Params {
			fmt.Fprintf(&b, " %d,%d,%d,%d", p.Offset, p.Size, p.PointeeAlign, p.PointeeSpace)
		}
		lines = append(lines, b.String())
	}
	slices.Sort(lines)
	return lines, odd
}

// reads gives a program cubins, sound and damaged, and compares its answers with those of package cubin. Of a
// damaged one it may report an error; what it says without one has to be the same.
func reads(t *testing.T, n int, name string, args ...string) {
	t.Helper()
	sound := cubins(t)
	r := rand.New(rand.NewPCG(3, 4))
	tables := make([][]int, len(sound))
	next := func(i int) []byte { // nothing is kept of so many
		switch odd := [][]byte{nil, []byte("\x7fELF"), make([]byte, 100)}; {
		case i < len(sound):
			return sound[i]
		case i >= len(sound)+n:
			return odd[i-len(sound)-n]
		}
		i = r.IntN(len(sound))
		if tables[i] == nil {
			f, err := cubin.Open(sound[i])
			require.NoError(t, err)
			tables[i] = places(sound[i], f)
		}
		return damaged(r, sound[i], tables[i])
	}
	cmd := exec.Command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	type answer struct {
		lines []string
		odd   bool
	}
	var wants []answer
	for i := range len(sound) + n + 3 {
		data := next(i)
		lines, odd := taken(data)
		wants = append(wants, answer{lines, odd})
		if _, err := in.Write(append([]byte(strconv.Itoa(len(data))+"\n"), data...)); err != nil {
			break // the program has failed, and says so
		}
	}
	in.Close()
	require.NoError(t, cmd.Wait(), stderr.String())
	require.Empty(t, stderr.String())
	answers := strings.Split(strings.TrimSuffix(stdout.String(), "\n.\n"), "\n.\n")
	require.Len(t, answers, len(wants))
	kernels, refused, wrong := 0, 0, 0
	for i, want := range wants {
		got := strings.Split(answers[i], "\n")
		failed := strings.HasPrefix(got[len(got)-1], "error ")
		switch {
		case i < len(sound):
			require.False(t, failed, "%s", answers[i])
			kernels += len(want.lines) - 1
		case failed:
			refused++
			continue
		case want.lines == nil || want.odd:
			continue
		}
		if slices.Sort(got); !slices.Equal(want.lines, got) && wrong < 3 {
			wrong++
			assert.Equal(t, want.lines, got, "cubin %d of %d", i, len(sound))
		}
	}
	t.Logf("%d cubins with %d kernels, and %d damaged ones of which %d are refused", len(sound), kernels, n, refused)
}

// writeReader writes the reader in a language and its driver to a folder.
func writeReader(t *testing.T, dir, language, ext string) (driver string) {
	text, err := Reader(language)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ptxabi_cubin."+map[string]string{"c": "h"}[ext]+strings.TrimPrefix(ext, "c")), text, 0o644))
	src := must.Read(t, "testdata/reader."+ext)
	driver = filepath.Join(dir, "reader."+ext)
	require.NoError(t, os.WriteFile(driver, src, 0o644))
	return driver
}

func manyDamaged() int { return effort.Of(2_000, 100_000) }

func TestReaderC(t *testing.T) {
	for _, c := range []struct {
		compiler, std string
		flags, under  []string
	}{
		{"gcc", "c99", []string{"-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover"}, nil},
		{"g++", "c++11", []string{"-O2"}, nil},
		{"gcc", "c11", []string{"-O2", "-m32"}, nil},
		{"clang-19", "c99", []string{"-O3", "-fsanitize=undefined", "-fno-sanitize-recover=all"}, nil},
		{"s390x-linux-gnu-gcc", "c99", []string{"-O2", "-static"}, []string{"qemu-s390x", "qemu-s390x-static"}}, // big-endian
	} {
		t.Run(strings.Join(append([]string{c.compiler, c.std}, c.flags...), " "), func(t *testing.T) {
			if c.flags[0] != "-O1" {
				effort.NeedLong(t, "as the sanitizers")
			}
			compiler := found(t, c.compiler)
			dir := t.TempDir()
			driver, program := writeReader(t, dir, "c", "c"), filepath.Join(dir, "reader")
			args := []string{"-std=" + c.std, "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-o", program}
			if strings.HasSuffix(c.compiler, "++") {
				args = append(args, "-x", "c++", "-Wno-missing-field-initializers")
			}
			if probe(t, compiler, c.flags) {
				quietly(t, compiler, append(append(args, c.flags...), driver)...)
				if c.under == nil {
					reads(t, manyDamaged(), program)
				} else {
					reads(t, manyDamaged(), found(t, c.under...), program)
				}
			}
		})
	}
}

// TestReaderFuzz lets libFuzzer look for contents that break the reader in C.
func TestReaderFuzz(t *testing.T) {
	effort.NeedLong(t, "TestReaderC gives the sanitizers damaged cubins")
	clang := found(t, "clang-19", "clang")
	flags := []string{"-O1", "-g", "-DFUZZ", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"}
	dir := t.TempDir()
	driver, program, seeds := writeReader(t, dir, "c", "c"), filepath.Join(dir, "fuzz"), filepath.Join(dir, "seeds")
	if out, err := exec.Command(clang, append(flags, "-o", program, driver)...).CombinedOutput(); err != nil {
		t.Skipf("%s makes no fuzzer here: %s", clang, out)
	}
	require.NoError(t, os.Mkdir(seeds, 0o755))
	for i, data := range cubins(t) {
		require.NoError(t, os.WriteFile(filepath.Join(seeds, strconv.Itoa(i)), data, 0o644))
	}
	// The peak of memory that the system tells a process counts what the process had that began it: this one.
	cmd := exec.Command(program, "-max_total_time=60", "-max_len=65536", "-rss_limit_mb=0", "-malloc_limit_mb=512", seeds)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestReaderRust(t *testing.T) {
	rustc := found(t, "rustc")
	dir := t.TempDir()
	driver, program := writeReader(t, dir, "rust", "rs"), filepath.Join(dir, "reader")
	quietly(t, rustc, "--edition", "2018", "-D", "warnings", "-C", effort.Of("opt-level=0", "opt-level=3"), "-C", "overflow-checks=on", "-o", program, driver)
	reads(t, manyDamaged(), program)

	lib := filepath.Join(dir, "lib.rs")
	require.NoError(t, os.WriteFile(lib, []byte("#![no_std]\npub mod ptxabi_cubin;\n"), 0o644))
	quietly(t, rustc, "--edition", "2021", "-D", "warnings", "--crate-type", "lib", "--emit=metadata", "--out-dir", dir, lib)
}

func TestReaderPython(t *testing.T) {
	python := found(t, "python3")
	dir := t.TempDir()
	driver := writeReader(t, dir, "python", "py")
	reads(t, effort.Of(1_000, 20_000), python, "-B", "-W", "error", driver)
	mypy := found(t, "mypy")
	out, err := exec.Command(mypy, "--strict", "--cache-dir", dir, driver, filepath.Join(dir, "ptxabi_cubin.py")).CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestReaderDocument runs the program of docs/export.md, which has its output, and compiles the example at the head of the
// reader in C.
func TestReaderDocument(t *testing.T) {
	doc := must.Read(t, "../../../docs/export.md")
	m := regexp.MustCompile("(?s)\n```python\n([^`]*?ptxabi_cubin.*?)\n```\n\nWith `(.*?)` it prints\n\n```text\n(.*?\n)```\n").FindSubmatch(doc)
	require.NotNil(t, m)
	dir := t.TempDir()
	writeReader(t, dir, "python", "py")
	program := filepath.Join(dir, "x.py")
	require.NoError(t, os.WriteFile(program, append(m[1], '\n'), 0o644))
	out, err := exec.Command(found(t, "python3"), "-B", program, "../../../"+string(m[2])).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, string(m[3]), string(out))
	_, err = Reader("cobol")
	assert.EqualError(t, err, `export: no language "cobol", only c, rust, python`)

	text, err := Reader("c")
	require.NoError(t, err)
	example := regexp.MustCompile(`(?s) \*     ptxabi_cubin c;\n.*?\n \*\n`).FindString(string(text))
	example = strings.ReplaceAll("\n"+example, "\n *", "\n")
	writeReader(t, dir, "c", "c")
	src := "#define PTXABI_CUBIN_IMPLEMENTATION\n#include \"ptxabi_cubin.h\"\n#include <stdio.h>\nint main(void) {\nconst char *data = \"\";\nsize_t size = 0;" + example + "return 0;}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.c"), []byte(src), 0o644))
	quietly(t, found(t, "gcc"), "-std=c99", "-Wall", "-Werror", "-o", filepath.Join(dir, "x"), filepath.Join(dir, "x.c"))
}
