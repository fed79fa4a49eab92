// Static writes the explorer as files that any file server can serve, without
// ptxabi behind it:
//
//	go run ./internal/tool/web/static OUT
//
// OUT gets the page, package web for WebAssembly, compressed, and Go's own
// wasm_exec.js. It runs in a clone of the repository.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/tool/web/static OUT")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files := web.Files(web.Wasm, manual.Version())
	root, err := goOutput("env", "GOROOT")
	if err != nil {
		return err
	}
	if files["wasm_exec.js"], err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js")); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d files", dir, len(files))
	for _, b := range builds {
		size, err := b.write(dir)
		if err != nil {
			return err
		}
		fmt.Printf(", %s of %.1f MB", b.name, float64(size)/1e6)
	}
	fmt.Println()
	return nil
}

// A build is package web for WebAssembly.
type build struct{ name, tags string }

// builds are those that the page's engine.js loads: one that leaves out what few
// texts need, one that reads Go and listings too, and one that has all.
var builds = []build{{"explorer.wasm.gz", "explorer"}, {"explorer-go.wasm.gz", "nopack"}, {"explorer-all.wasm.gz", ""}}

// uninlined are packages without inlined calls: those that are large and whose speed nothing
// notices. Without it in all of them, answers would take three times as long.
var uninlined = []string{
	"github.com/ptxabi/ptxabi/diag", "github.com/ptxabi/ptxabi/internal/source/cdecl", "github.com/ptxabi/ptxabi/internal/tool/diff", "github.com/ptxabi/ptxabi/internal/tool/layoutcmd",
	"github.com/ptxabi/ptxabi/internal/tool/picture", "github.com/ptxabi/ptxabi/internal/core/prose", "github.com/ptxabi/ptxabi/internal/tool/web", "fmt", "time",
}

// write builds and compresses it, so that it is small on file servers that do not
// compress, and returns its size.
func (b build) write(dir string) (int64, error) {
	raw := filepath.Join(dir, b.name+".raw")
	defer os.Remove(raw)
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-tags", b.tags, "-o", raw}
	for _, p := range uninlined {
		args = append(args, "-gcflags="+p+"=-l")
	}
	if _, err := goOutput(append(args, "github.com/ptxabi/ptxabi/internal/tool/web/wasm")...); err != nil {
		return 0, err
	}
	data, err := os.ReadFile(raw)
	if err != nil {
		return 0, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(data); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return int64(packed.Len()), os.WriteFile(filepath.Join(dir, b.name), packed.Bytes(), 0o666)
}

// goOutput runs the go command for WebAssembly.
func goOutput(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
