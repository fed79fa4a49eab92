package producers

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Default is the level of a compiler that gets no option for one.
const Default = "default"

// A Compiler is a program that makes PTX.
type Compiler struct {
	Name    string // "clang"
	Version string // "19.1.7"
	// Language is the language that it reads: "cuda", "headers" (CUDA with its headers), "c" or "c++".
	Language string
	// Levels are words for optimisation: what takes the place of {level}, Default nothing.
	Levels []string
	// Command is the command that is run, with {in}, {out} and {level} replaced. Of words in
	// it that name a file, recordings show the last element alone.
	Command []string
	// Words are the spellings of D, N, G, X, E and BOOL of sources.
	Words map[string]string
	Ext   string // of the source file
	// Before and After stand around sources.
	Before, After string
}

var cudaWords = map[string]string{
	"D": "__attribute__((device))", "G": "__attribute__((global))", "N": "__attribute__((noinline))", "X": `extern "C"`, "E": `extern "C"`, "BOOL": "bool",
}

var cxxWords = map[string]string{"D": "", "N": "__attribute__((noinline))", "X": `extern "C"`, "E": `extern "C"`, "BOOL": "bool"}

var cWords = map[string]string{"D": "", "N": "__attribute__((noinline))", "X": "", "E": "extern", "BOOL": "_Bool"}

//go:embed nvrtc.py
var nvrtcProgram string

// Arch is the architecture that sources are compiled for; all of these compilers have it.
const Arch = "75"

// Open makes a compiler of a word such as "clang=/usr/bin/clang-14", which names its kind and
// its program, or for nvrtc its library. Kinds are clang (of one without a back end for nvptx, also an llc, after a
// comma), cicc, nvrtc, nvrtc-headers (NVRTC's library and, after a comma, the folder of CUDA's headers, for the types that
// they declare), and gcc and g++, of which the lto1 for nvptx-none is named. Other
// compilers of CUDA C++ are given as "cuda:NAME:VERSION=COMMAND {level} {in} {out}", of C as "c:…".
func Open(word string) (*Compiler, error) {
	kind, path, ok := strings.Cut(word, "=")
	if !ok {
		return nil, fmt.Errorf("%q is no KIND=PROGRAM", word)
	}
	if parts := strings.Split(kind, ":"); len(parts) == 3 && (parts[0] == "cuda" || parts[0] == "c") {
		c := &Compiler{Name: parts[1], Version: parts[2], Language: parts[0], Levels: []string{Default}, Command: strings.Fields(path), Ext: ".cu", Words: cudaWords}
		if parts[0] == "c" {
			c.Words, c.Ext = cWords, ".c"
		}
		if strings.Contains(path, "{level}") {
			c.Levels = []string{"-O0", "-O2"}
		}
		return c, nil
	}
	c := &Compiler{Name: kind, Language: "cuda", Words: cudaWords, Ext: ".cu"}
	var err error
	switch kind {
	case "clang":
		path, back, ok := strings.Cut(path, ",") // a clang without a back end for nvptx, and its llc
		c.Version, err = versionOf(regexp.MustCompile(`clang version (\d+(?:\.\d+)*)`), path, "--version")
		c.Levels = []string{"-O0", "-O2"}
		c.Command = []string{path, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only", "--cuda-gpu-arch=sm_" + Arch, "-std=c++17", "-w", "-S", "{level}", "{in}", "-o", "{out}"}
		if major, _, _ := strings.Cut(c.Version, "."); len(major) > 1 && major >= "22" { // which takes an old PTX where no toolkit is
			c.Command = slices.Insert(c.Command, 6, "--cuda-feature=+ptx63")
		}
		if ok {
			const both = `clang=$0; llc=$1; shift; in=$2; out=$3; level=$1; shift 3; $clang $@ -emit-llvm $level $in -o k.ll && $llc -mcpu=sm_` + Arch + ` -mattr=+ptx63 $level k.ll -o $out`
			c.Command = slices.Concat([]string{"sh", "-c", both, path, back, "{level}", "{in}", "{out}"}, c.Command[1:len(c.Command)-4])
		}
	case "cicc":
		c.Version, err = versionOf(regexp.MustCompile(`V(\d+\.\d+\.\d+)`), filepath.Join(filepath.Dir(path), "ptxas"), "--version")
		c.Levels, c.Ext = []string{"-O0", "-O3"}, ".ii"
		c.Command = []string{path, "--c++17", "--gnu_version=110000", "-arch", "compute_" + Arch, "-m64", "--orig_src_file_name", "k.cu", "-w", "--device-c", "{level}", "{in}", "-o", "{out}"}
	case "nvrtc":
		c.Version, err = versionOf(regexp.MustCompile(`(\d+\.\d+(\.\d+)?)`), "python3", "-c", nvrtcProgram, path)
		c.Levels = []string{"-G", Default}
		c.Command = []string{"python3", "nvrtc.py", path, "-arch=compute_" + Arch, "-std=c++17", "-rdc=true", "-device-int128", "-w", "{level}", "{in}", "{out}"}
	case "nvrtc-headers":
		lib, include, ok := strings.Cut(path, ",")
		if !ok {
			return nil, fmt.Errorf("%q is no LIBRARY,FOLDER: the folder has CUDA's headers", path)
		}
		c.Version, err = versionOf(regexp.MustCompile(`(\d+\.\d+(\.\d+)?)`), "python3", "-c", nvrtcProgram, lib)
		c.Language = "headers"
		c.Levels = []string{"-G", Default}
		c.Before = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include <cuComplex.h>\n"
		c.Command = []string{"python3", "nvrtc.py", lib, "-arch=compute_" + Arch, "-std=c++17", "-rdc=true", "-w", "-I", include, "{level}", "{in}", "{out}"}
	case "gcc", "g++":
		c.Version, err = versionOf(regexp.MustCompile(`(\d+\.\d+\.\d+)\s*$`), kind, "-dumpfullversion")
		c.Language, c.Words, c.Ext = "c", cWords, ".c"
		front := kind
		if kind == "g++" {
			c.Language, c.Words, c.Ext = "c++", cxxWords, ".cc"
			front += " -fno-exceptions" // which the target does not have
		}
		c.Levels = []string{"-O0", "-O2"}
		c.Before, c.After = "#pragma omp declare target\n", "#pragma omp end declare target\n"
		c.Command = []string{"sh", "-c", front + " -fopenmp -foffload=nvptx-none -w $1 -c $2 -o k.o && $0 -quiet $1 -fdisable-tree-nrv -fno-ipa-icf -m64 -mgomp k.o -o $3", path, "{level}", "{in}", "{out}"}
	default:
		return nil, fmt.Errorf("%q: %q is none of the kinds that are known", word, kind)
	}
	return c, err
}

// versionOf runs a program and takes the version from what it prints.
func versionOf(pattern *regexp.Regexp, program string, args ...string) (string, error) {
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		if out = bytes.TrimSpace(out); len(out) > 0 {
			err = fmt.Errorf("%w: %.200s", err, out)
		}
		return "", fmt.Errorf("%s: %w", program, err)
	}
	found := pattern.FindStringSubmatch(string(out))
	if found == nil {
		return "", fmt.Errorf("%s says no version: %.200s", program, out)
	}
	return found[1], nil
}

// has reports whether the language has the type of a case.
func (c *Compiler) has(one Case) bool {
	if one.Only != "" || c.Language == "headers" {
		return one.Only == c.Language
	}
	return !one.CXX || c.Language == "cuda" || c.Language == "c++"
}

// source is the source with the functions of cases.
func (c *Compiler) source(cases []Case) string {
	return source(cases, c.Language == "cuda" || c.Language == "headers")
}

// ErrRefused says that a compiler does not take a source.
var ErrRefused = errors.New("refused")

// Compile makes PTX of a source. An error that is ErrRefused has the first diagnostic of the compiler.
func (c *Compiler) Compile(ctx context.Context, src, level string) (string, error) {
	dir, err := os.MkdirTemp("", "producers-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "k"+c.Ext), filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(in, []byte(c.Before+spell(src, c.Words)+c.After), 0o600); err != nil {
		return "", err
	}
	var args []string
	for _, w := range c.Command {
		switch {
		case w == "nvrtc.py":
			args = append(args, "-c", nvrtcProgram)
		case w == "{level}" && level == Default && (c.Language == "cuda" || c.Language == "headers"):
		default:
			args = append(args, strings.NewReplacer("{in}", in, "{out}", out, "{level}", level).Replace(w))
		}
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir) // where a compiler that crashes leaves what it was given
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("%w: %s", ErrRefused, first(output, dir))
	}
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(out)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%w: %s", ErrRefused, first(output, dir))
	}
	return string(bytes.TrimRight(text, "\x00")), err
}

// first is the first error in what a compiler says, without places.
func first(output []byte, dir string) string {
	lines := strings.Split(strings.ReplaceAll(string(output), dir+"/", ""), "\n")
	for _, l := range lines {
		if _, text, ok := strings.Cut(l, "error: "); ok {
			return text
		}
	}
	for _, l := range lines {
		if strings.Contains(l, "note: ") {
			continue
		}
		if strings.Contains(strings.ToLower(l), "error") || strings.Contains(l, "ssertion") || strings.Contains(l, "signal") {
			return strings.TrimSpace(l)
		}
	}
	if line := strings.TrimSpace(lines[0]); line != "" {
		return line
	}
	return "it writes no PTX, and says nothing"
}

// Shown is the command as recordings have it: programs without their folders.
func (c *Compiler) Shown() string {
	var words []string
	for _, w := range c.Command {
		if strings.HasPrefix(w, "/") {
			w = filepath.Base(w)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// Spell replaces the words of sources by their spellings for the compiler.
func (c *Compiler) Spell(src string) string { return spell(src, c.Words) }
