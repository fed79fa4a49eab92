// Static writes the explorer as files that any file server can serve, without
// ptxabi behind it:
//
//	go run ./internal/web/static OUT
//
// OUT gets the page, explorer.wasm, which is package web for WebAssembly, and
// Go's own wasm_exec.js. It runs in a clone of the repository.
package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/web"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/web/static OUT")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files, err := web.Files(web.Wasm)
	if err != nil {
		return err
	}
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
	wasm := filepath.Join(dir, "explorer.wasm")
	if _, err := goOutput("build", "-trimpath", "-ldflags=-s -w", "-o", wasm, "github.com/ptxabi/ptxabi/internal/web/wasm"); err != nil {
		return err
	}
	info, err := os.Stat(wasm)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d files and explorer.wasm of %.1f MB\n", dir, len(files), float64(info.Size())/1e6)
	return nil
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
