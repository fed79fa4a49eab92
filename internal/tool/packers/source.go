package packers

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
)

// errNotRead is said of files that a run with a Config.Source would have to read.
var errNotRead = errors.New("no file is read here: the input is a text by itself")

// readFile reads a file by its name in the Config.
func (g *generator) readFile(name string) ([]byte, error) {
	switch {
	case g.Source == nil:
		return disk.ReadFile(g.path(name))
	case name == g.Input:
		return g.Source, nil
	}
	return nil, errNotRead
}

// fileSystem is where included files are looked for; nil is nowhere.
func (g *generator) fileSystem() fs.FS {
	if g.Source != nil {
		return nil
	}
	return disk.System(g.Dir)
}

// goFiles are the paths of the Go files of a folder.
func (g *generator) goFiles(dir string) []string {
	if g.Source != nil {
		return nil
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go")) // none where the name has brackets
	return paths
}

// sourcePackage is the package of a Go file that is given as text: of that file alone,
// without what it imports.
func (g *generator) sourcePackage() *packages.Package {
	p := &packages.Package{Name: "main", PkgPath: "main", GoFiles: []string{g.Input}}
	if file, err := parser.ParseFile(token.NewFileSet(), g.Input, g.Source, parser.PackageClauseOnly); err == nil {
		p.Name, p.PkgPath = file.Name.Name, file.Name.Name
	}
	return p
}
