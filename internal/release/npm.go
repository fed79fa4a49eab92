package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed npm/*
var npmFiles embed.FS

// npm is the command for WebAssembly with what calls it from JavaScript.
func (b *build) npm(work string, c *common) (name string, data []byte, err error) {
	out := filepath.Join(work, "ptxabi.wasm")
	if err := b.goBuild(platform{"js", "wasm"}, out, "./cmd/ptxabi"); err != nil {
		return "", nil, err
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return "", nil, err
	}
	goroot, err := b.goroot()
	if err != nil {
		return "", nil, err
	}
	support, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return "", nil, fmt.Errorf("what Go has for WebAssembly: %w", err)
	}
	files := []file{
		{"package/LICENSE", c.license, false},
		{"package/LICENSE-third-party", c.thirdParty, false},
		{"package/go.js", goModule(support), false},
		{"package/ptxabi.wasm", wasm, false},
	}
	list, err := npmFiles.ReadDir("npm")
	if err != nil {
		return "", nil, err
	}
	for _, f := range list {
		text, err := npmFiles.ReadFile("npm/" + f.Name())
		if err != nil {
			return "", nil, err
		}
		if f.Name() == "package.json" {
			text = bytes.Replace(text, []byte("VERSION"), []byte(b.version.String()), 1)
		}
		files = append(files, file{"package/" + f.Name(), text, f.Name() == "bin.js"})
	}
	data, err = tarball(files, b.time)
	return "ptxabi-" + b.version.String() + "-npm.tgz", data, err
}

// goModule makes a module of Go's script, in which globalThis is what its caller passes: the script leaves
// nothing in the page, and runs of the program have nothing in common. The script writes the text of a
// panic with fs, by that name alone.
func goModule(script []byte) []byte {
	var out bytes.Buffer
	out.WriteString("// Go's wasm_exec.js, under the licence in LICENSE-third-party, in a function.\nexport function goIn(globalThis) {\nconst { fs } = globalThis;\n")
	out.Write(script)
	out.WriteString("\nreturn globalThis.Go;\n}\n")
	return out.Bytes()
}
