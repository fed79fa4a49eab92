package oracle

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Clang is a C compiler of LLVM that compiles for nvptx64.
type Clang struct {
	Path    string
	Version string // "19.1.7"
	Major   int    // 19
}

// addClangs adds the clangs in dir whose version is not there yet: clang, then
// clang-N in descending order of N.
func (t *Tools) addClangs(dir string, seen map[string]bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type candidate struct {
		path  string
		major int
	}
	var all []candidate
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), "clang-")
		major, err := strconv.Atoi(number)
		if e.Name() == "clang" {
			major = 1 << 20
		} else if !ok || err != nil {
			continue
		}
		if path := executable(dir, e.Name()); path != "" {
			all = append(all, candidate{path, major})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(b.major, a.major) })
	for _, c := range all {
		real := realPath(c.path)
		if seen[real] {
			continue
		}
		seen[real] = true
		clang, ok := newClang(c.path)
		if ok && !slices.ContainsFunc(t.Clangs, func(have *Clang) bool { return have.Version == clang.Version }) {
			t.Clangs = append(t.Clangs, clang)
		}
	}
}

// newClang reports false for a compiler that does not run or has no target nvptx64.
func newClang(path string) (*Clang, bool) {
	out, err := exec.Command(path, "--print-targets").Output()
	if err != nil || !strings.Contains(string(out), "nvptx64") {
		return nil, false
	}
	out, err = exec.Command(path, "--version").Output()
	if err != nil {
		return nil, false
	}
	_, rest, ok := strings.Cut(string(out), "clang version ")
	if !ok {
		return nil, false
	}
	version := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
	head, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(head)
	if err != nil {
		return nil, false
	}
	return &Clang{Path: filepath.Clean(path), Version: version, Major: major}, true
}
