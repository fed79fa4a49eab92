package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A crate is a PTX parser written in Rust. The time is that of parsing alone:
// that of a run of several rounds less that of a run of one.
type crate struct {
	name, version string
	dependency    string // a line of Cargo.toml
	call          string // of text, a &str; returns a Result
}

// The crates that can be called from outside: ptx-parser 0.1.6 keeps its
// parser to itself, and ptx-90-parser 0.5.0 names ptx-syntax as its successor.
func crates(zluda string) []crate {
	list := []crate{
		{"ptx-syntax", "0.5.0", `ptx-syntax = "=0.5.0"`, "ptx_syntax::parse_ptx(&text)"},
		{"singe-ptx", "0.1.0-alpha.7", `singe-ptx = "=0.1.0-alpha.7"`, "singe_ptx::parser::parse_module(&text)"},
	}
	if zluda != "" {
		version := "checkout"
		if out, err := exec.Command("git", "-C", zluda, "rev-parse", "--short", "HEAD").Output(); err == nil {
			version = strings.TrimSpace(string(out))
		}
		list = append(list, crate{
			"ZLUDA's ptx_parser", version,
			fmt.Sprintf("ptx_parser = { path = %q }", filepath.Join(zluda, "ptx_parser")), "ptx_parser::parse_module_checked(&text)",
		})
	}
	return list
}

var (
	//go:embed crate.toml
	cargoToml string
	//go:embed crate.rs
	mainRust string
)

// rust builds the crates under dir and adds those that build.
func (s *session) rust(dir, zluda string) {
	if zluda != "" {
		if abs, err := filepath.Abs(zluda); err == nil {
			zluda = abs
		}
	}
	for _, c := range crates(zluda) {
		program, err := c.build(dir)
		if err != nil {
			s.notes = append(s.notes, c.name+" does not build: "+firstLine(err.Error()))
			continue
		}
		s.both(c.name, c.version, parseName, func(in *input) (time.Duration, error) { return perRound(program, in.file) })
	}
}

// build builds a program that calls the crate. All crates share a folder for
// what they are compiled to.
func (c *crate) build(root string) (program string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return "", err
	}
	name := "peer-" + strings.NewReplacer(" ", "-", "'", "-").Replace(strings.ToLower(c.name))
	dir, target := filepath.Join(root, name), filepath.Join(root, "target")
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o777); err != nil {
		return "", err
	}
	err = os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(strings.NewReplacer("NAME", name, "DEPENDENCY", c.dependency).Replace(cargoToml)), 0o666)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "src", "main.rs"), []byte(strings.ReplaceAll(mainRust, "CALL", c.call)), 0o666)
	}
	if err != nil {
		return "", err
	}
	cmd := exec.Command("cargo", "build", "--release", "--quiet")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+target)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Join(target, "release", name), nil
}

// perRound returns the time that a crate needs to parse a file once, without
// that of its start.
func perRound(program, file string) (time.Duration, error) {
	one, err := process(exec.Command(program, file, "1"))
	if err != nil {
		return 0, err
	}
	n := 1 + int(min(max(least/max(one.cpu, 1), 1), 200))
	all, err := process(exec.Command(program, file, fmt.Sprint(1+n)))
	return max(all.cpu-one.cpu, 1) / time.Duration(n), err
}
