package oracle

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// EnvVar names the environment variable with the folders to look for toolkits
// in, before all others. They are separated as in PATH; each has ptxas in it or
// in its folder bin, or is the parent of such folders.
const EnvVar = "PTXABI_ORACLE"

// NotFound is the message where there is no toolkit.
const NotFound = "no ptxas found: not on PATH nor in the usual places; set " + EnvVar + " to the folder of a CUDA toolkit"

// Tools are the tools found on a machine. The zero Tools is none.
type Tools struct {
	// Toolkits have distinct versions, in ascending order.
	Toolkits []*Toolkit
	// Clangs have the target nvptx64 and distinct versions, in ascending order.
	Clangs []*Clang
}

// usualPlaces are patterns of folders in which toolkits install themselves.
var usualPlaces = []string{
	"/usr/local/cuda/bin",
	"/usr/local/cuda-*/bin",
	"/opt/cuda/bin",
	"/opt/cuda-*/bin",
	"/usr/bin",
	"/usr/lib/nvidia-cuda-toolkit/bin",
	"/usr/lib/llvm-*/bin",
}

// Find looks for toolkits and for clang: in the folders of [EnvVar], on PATH,
// and in the usual places, in this order. Of several tools of one version the
// first counts. Toolkits lend each other their disassemblers, since none has one
// for all architectures.
//
// The error says which folders of EnvVar hold no ptxas, or which ptxas does not
// run; what was found otherwise is returned with it.
func Find() (*Tools, error) {
	return find(EnvVar, os.Getenv(EnvVar), os.Getenv("PATH"), usualPlaces)
}

// FindIn is Find in a list of folders alone, of the form that [EnvVar] has. The
// error names from as the place that the list is from.
func FindIn(from, list string) (*Tools, error) { return find(from, list, "", nil) }

func find(from, list, path string, usual []string) (*Tools, error) {
	var dirs, problems []string
	for _, root := range filepath.SplitList(list) {
		if root == "" {
			continue
		}
		found := toolDirs(root)
		if len(found) == 0 {
			problems = append(problems, fmt.Sprintf("%s: no ptxas in %q", from, root))
		}
		dirs = append(dirs, found...)
	}
	dirs = append(dirs, filepath.SplitList(path)...)
	for _, pattern := range usual {
		found, err := filepath.Glob(pattern)
		if err != nil {
			problems = append(problems, err.Error())
		}
		dirs = append(dirs, found...)
	}

	tools := new(Tools)
	seen := make(map[string]bool)
	for _, dir := range dirs {
		if dir == "" || seen[dir] {
			continue
		}
		seen[dir] = true
		if ptxas := executable(dir, "ptxas"); ptxas != "" && !seen[realPath(ptxas)] {
			seen[realPath(ptxas)] = true
			tk, err := newToolkit(dir)
			if err != nil {
				problems = append(problems, err.Error())
				continue
			}
			if !slices.ContainsFunc(tools.Toolkits, func(have *Toolkit) bool { return have.Version == tk.Version }) {
				tools.Toolkits = append(tools.Toolkits, tk)
			}
		}
		tools.addClangs(dir, seen)
	}
	slices.SortFunc(tools.Toolkits, func(a, b *Toolkit) int { return a.Version.Compare(b.Version) })
	lend(tools.Toolkits)
	slices.SortFunc(tools.Clangs, func(a, b *Clang) int { return cmp.Compare(a.Major, b.Major) })
	if problems != nil {
		return tools, fmt.Errorf("%s", strings.Join(problems, "; "))
	}
	return tools, nil
}

// lend gives each toolkit the disassemblers of the others, the newest first.
// The toolkits are in ascending order.
func lend(toolkits []*Toolkit) {
	var all []disassembler
	for _, tk := range slices.Backward(toolkits) {
		all = append(all, tk.disassemblers...)
	}
	for _, tk := range toolkits {
		tk.disassemblers = append(tk.disassemblers, all...)
	}
}

// toolDirs returns the folders with ptxas in or under root, in order of name.
func toolDirs(root string) []string {
	var dirs []string
	for _, dir := range []string{root, filepath.Join(root, "bin")} {
		if executable(dir, "ptxas") != "" {
			return append(dirs, dir)
		}
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		for _, dir := range []string{filepath.Join(root, e.Name()), filepath.Join(root, e.Name(), "bin")} {
			if executable(dir, "ptxas") != "" {
				dirs = append(dirs, dir)
				break
			}
		}
	}
	return dirs
}

// executable returns the path of a program in dir, "" when it is not there.
func executable(dir, name string) string {
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return ""
	}
	return path
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
