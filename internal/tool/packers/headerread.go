package packers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
)

// parseC reads a header by its name and its language. A mistake in it costs the declaration that it is in: see notRead.
func (g *generator) parseC(name string) (*cdecl.Unit, error) {
	src, err := g.readFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, disk.Reason(err))
	}
	r := g.host()
	r.Lang = g.language(name)
	g.header = true
	options := cdecl.Options{
		Rules: r, FS: g.fileSystem(), Include: g.Include, System: g.System, First: g.First,
		Defines: slices.Concat(cdecl.NVCC(r.Lang), g.Defines), Partial: true,
	}
	u, err := cdecl.Parse(filepath.ToSlash(name), src, options)
	d := cdecl.GuessedTensorMap(u)
	if d == nil {
		return u, err
	}
	options.System = slices.Concat(g.System, g.toolkit())
	if found, err := cdecl.Parse(filepath.ToSlash(name), src, options); err == nil && cdecl.GuessedTensorMap(found) == nil {
		return found, nil
	}
	if g.Warn != nil {
		guess := *d
		guess.File = g.shown(d.File)
		g.Warn(&guess)
	}
	return u, err
}

// toolkit returns the folders of CUDA's headers: of a toolkit, or where pip installs them.
func (g *generator) toolkit() []string {
	var roots, out []string
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if root := g.getenv(name); root != "" {
			roots = append(roots, filepath.Join(root, "include"))
		}
	}
	roots = append(roots, "/usr/local/cuda/include")
	for _, prefix := range []string{g.getenv("VIRTUAL_ENV"), g.getenv("CONDA_PREFIX")} {
		if prefix != "" {
			roots = append(roots, filepath.Join(prefix, "lib", "python3*", "*-packages", "nvidia", "*", "include"))
			roots = append(roots, filepath.Join(prefix, "Lib", "*-packages", "nvidia", "*", "include")) // on Windows
		}
	}
	for _, dir := range g.session.python(g.Env) {
		roots = append(roots, filepath.Join(dir, "nvidia", "*", "include"))
	}
	for _, root := range roots {
		found, _ := filepath.Glob(root) // none where a name has brackets
		for _, dir := range found {
			if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(out, filepath.ToSlash(dir)) {
				out = append(out, filepath.ToSlash(dir))
			}
		}
	}
	return out
}

// python returns the folders of packages that Python itself knows, and asks it once for an environment.
func (s *Session) python(env []string) []string {
	key := fmt.Sprintf("%q", ofPackage(env))
	if dirs, ok := s.folders[key]; ok {
		return dirs
	}
	// -I keeps folders out that are the user's work.
	python := exec.Command("python3", "-I", "-c", "import site, sys; print(*sys.path, site.getusersitepackages(), sep='\\n')")
	python.Env = env
	var dirs []string
	if found, err := python.Output(); err == nil {
		for dir := range strings.Lines(string(found)) {
			dirs = append(dirs, strings.TrimSpace(dir))
		}
	}
	if s.folders == nil {
		s.folders = map[string][]string{}
	}
	s.folders[key] = dirs
	return dirs
}

// notRead reports why declarations of a header could not be read, and whether there are any: of kernels, or else of
// types, whose name is one of those.
func (g *generator) notRead(u *cdecl.Unit, kernels bool, is func(name string) bool) bool {
	lost := u.Lost
	if kernels {
		lost = slices.Concat(u.Unread, u.Templates)
	}
	found := false
	for _, l := range lost {
		if !is(l.Name) {
			continue
		}
		found = true
		at, code := l.At, l.Code
		if code == "" {
			at, code = l.Pos, badType
			for _, d := range u.Warnings {
				if d.File == at.File && d.Pos == at.Pos {
					code = d.Code
				}
			}
		}
		if !at.IsValid() {
			at = l.Pos
		}
		why := l.Why
		if !strings.HasPrefix(why, l.Name[strings.LastIndex(l.Name, ":")+1:]) {
			why = l.Name + " could not be read: " + why
		}
		if code == unknownName {
			why += notFound(u)
		}
		g.report(at, code, "%s", why)
	}
	return found
}

// notFound names the included files that are not there, which may declare what is missing. Those without a dot are
// C++'s own.
func notFound(u *cdecl.Unit) string {
	var names []string
	for _, d := range u.Warnings {
		name, ok := strings.CutSuffix(d.Msg, " is not read")
		if !ok {
			name, ok = strings.CutPrefix(d.Msg, "cannot find ")
		}
		if ok && strings.Contains(name, ".") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("; not found: %s; -I DIR names the folder of a file", strings.Join(names, ", "))
}
