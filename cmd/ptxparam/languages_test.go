package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

// inGo reports whether nothing in a folder is of another language.
func inGo(dir string) bool {
	for _, end := range []string{"*.rs", "*.py"} {
		if found, _ := filepath.Glob(filepath.Join(dir, end)); found != nil {
			return false
		}
	}
	return true
}

// crate stands in for the crate cudarc.
const crate = `pub mod driver {
    pub unsafe trait DeviceRepr {}
    pub unsafe trait ValidAsZeroBits {}
}
`

// translated compiles what is generated in Rust, in all editions, with cudarc and without, and imports what
// is generated in Python, where the tools are installed.
func translated(t *testing.T, dir string) {
	t.Helper()
	out := t.TempDir()
	rust, _ := filepath.Glob(filepath.Join(dir, "*.rs"))
	if rustc, version := effort.Rustc(); rustc != "" && rust != nil {
		require.NoError(t, os.WriteFile(filepath.Join(out, "cudarc.rs"), []byte(crate), 0o666))
		tool(t, out, nil, rustc, "--edition=2021", "--crate-type=rlib", "cudarc.rs")
		for _, file := range rust {
			for _, args := range []string{
				"--edition=2018", "--edition=2021", "--edition=2024 --check-cfg=cfg(feature,values(\"x\"))",
				"--edition=2021 --cfg=feature=\"cudarc\" --extern=cudarc=libcudarc.rlib",
			} {
				if strings.Contains(args, "2024") && version < 85 {
					continue
				}
				list := append(strings.Fields(args), "-Dwarnings", "--crate-type=lib", "--emit=metadata", file)
				tool(t, out, nil, rustc, list...)
			}
			// A program that uses nothing of it gets no warning, as the document states.
			program := fmt.Sprintf("#[allow(dead_code)]\n#[path = %q]\nmod params;\n\nfn main() {}\n", file)
			require.NoError(t, os.WriteFile(filepath.Join(out, "main.rs"), []byte(program), 0o666))
			tool(t, out, nil, rustc, "--edition=2021", "-Dwarnings", "--check-cfg=cfg(feature,values(\"cudarc\"))", "--emit=metadata", "main.rs")
		}
	}
	if rustfmt, err := exec.LookPath("rustfmt"); err == nil && rust != nil {
		tool(t, dir, nil, rustfmt, append([]string{"--check", "--edition=2021"}, rust...)...)
	}
	python, _ := filepath.Glob(filepath.Join(dir, "*.py"))
	if python3, err := exec.LookPath("python3"); err == nil {
		for _, file := range python {
			tool(t, dir, nil, python3, "-BWerror", filepath.Base(file))
		}
	}
	if effort.Long() {
		lint(t, dir, rust, python)
	}
}

// pedantic are the lints of clippy that generated code is not held against.
const pedantic = "dead_code, clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, clippy::struct_field_names, clippy::trivially_copy_pass_by_ref, clippy::unused_self"

// lint runs the linters that are installed.
func lint(t *testing.T, dir string, rust, python []string) {
	t.Helper()
	if mypy, err := exec.LookPath("mypy"); err == nil && python != nil {
		quiet(t, dir, nil, mypy, append([]string{"--cache-dir=" + os.DevNull}, python...)...)
	}
	if ruff, err := exec.LookPath("ruff"); err == nil && python != nil {
		quiet(t, dir, nil, ruff, append([]string{"check", "--no-cache"}, python...)...)
	}
	if clippy, err := exec.LookPath("clippy-driver"); err == nil {
		out := t.TempDir()
		for _, file := range rust {
			program := fmt.Sprintf("#![warn(clippy::pedantic)]\n#[allow(%s)]\n#[path = %q]\nmod params;\n\nfn main() {}\n", pedantic, file)
			require.NoError(t, os.WriteFile(filepath.Join(out, "main.rs"), []byte(program), 0o666))
			tool(t, out, nil, clippy, "--edition=2021", "-Dwarnings", "--check-cfg=cfg(feature,values(\"cudarc\"))", "--emit=metadata", "main.rs")
		}
	}
}
