package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A binary is a program that was built.
type binary struct {
	name string // ptxabi or ptxparam
	data []byte
}

var programs = []string{"ptxabi", "ptxparam"}

// goCommand is a run of the go command in the module for a platform. What it builds depends on nothing of
// the environment but the release of Go and its caches.
func (b *build) goCommand(p platform, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off",
		"GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOWASM=", "GOFIPS140=off")
	return cmd
}

// goBuild builds packages into a file, or into a folder whose name ends in a slash.
func (b *build) goBuild(p platform, out string, packages ...string) error {
	args := []string{
		"build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X " + module + "/internal/cli/manual.release=" + b.version.String(), "-o", out,
	}
	if text, err := b.goCommand(p, append(args, packages...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build for %s: %w\n%s", p, err, text)
	}
	return nil
}

// binaries builds the programs for a platform.
func (b *build) binaries(work string, p platform) ([]binary, error) {
	dir := filepath.Join(work, p.os+"_"+p.arch)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := b.goBuild(p, dir+string(filepath.Separator), "./cmd/ptxabi", "./cmd/ptxparam"); err != nil {
		return nil, err
	}
	var list []binary
	for _, name := range programs {
		data, err := os.ReadFile(filepath.Join(dir, p.exe(name)))
		if err != nil {
			return nil, err
		}
		list = append(list, binary{name, data})
	}
	return list, nil
}

// A common is the part that is the same on every platform.
type common struct {
	license    []byte
	thirdParty []byte            // licences of what is linked into the binaries
	man        map[string][]byte // by program
	completion map[string]map[string][]byte
}

var shells = []string{"bash", "fish", "zsh"}

func (b *build) common(work string) (*common, error) {
	c := &common{man: make(map[string][]byte), completion: make(map[string]map[string][]byte)}
	var err error
	if c.license, err = os.ReadFile(filepath.Join(b.root, "LICENSE")); err != nil {
		return nil, err
	}
	if c.thirdParty, err = b.thirdParty(); err != nil {
		return nil, err
	}
	host := platform{runtime.GOOS, runtime.GOARCH}
	if _, err := b.binaries(work, host); err != nil { // completion is printed by the programs
		return nil, err
	}
	for _, name := range programs {
		if c.man[name], err = os.ReadFile(filepath.Join(b.root, "docs", "man", name+".1")); err != nil {
			return nil, err
		}
		c.completion[name] = make(map[string][]byte)
		for _, shell := range shells {
			cmd := exec.Command(filepath.Join(work, host.os+"_"+host.arch, host.exe(name)), "completion", shell)
			cmd.Dir = work
			if c.completion[name][shell], err = cmd.Output(); err != nil {
				return nil, fmt.Errorf("%s completion %s: %w", name, shell, reason(err))
			}
		}
	}
	return c, nil
}

// thirdParty are the licences of the modules that are linked into the programs on any platform,
// of Go, and of the explorer's editor.
func (b *build) thirdParty() ([]byte, error) {
	dirs := make(map[string]string) // by path and version
	for _, p := range append(slices.Clone(b.platforms), platform{"js", "wasm"}) {
		out, err := b.goCommand(p, "list", "-deps", "-json=Module", "./cmd/ptxabi", "./cmd/ptxparam").Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", reason(err))
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var pkg struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := dec.Decode(&pkg); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			if m := pkg.Module; m != nil && !m.Main {
				dirs[m.Path+" "+m.Version] = m.Dir
			}
		}
	}
	goroot, err := b.goroot()
	if err != nil {
		return nil, err
	}
	dirs["Go "+strings.TrimPrefix(runtime.Version(), "go")] = goroot
	out, err := licenses(dirs)
	if err != nil {
		return nil, err
	}
	const bundle = "internal/tool/web/page/codemirror.js"
	script, err := os.ReadFile(filepath.Join(b.root, bundle))
	if err != nil {
		return nil, err
	}
	terms, err := bundled(script)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", bundle, err)
	}
	return append(out, terms...), nil
}

// bundled is the list of packages at the beginning of a bundled script.
func bundled(script []byte) ([]byte, error) {
	head, _, ok := bytes.Cut(bytes.TrimPrefix(script, []byte("/*")), []byte("*/"))
	_, terms, named := bytes.Cut(head, []byte("\n\n"))
	if !ok || !named || !bytes.Contains(terms, []byte("Copyright")) {
		return nil, errors.New("no licence stands at its beginning: it cannot be handed out")
	}
	return fmt.Appendf(nil, "\n%s\nThe explorer's editor\n\n%s\n", strings.Repeat("=", 72), bytes.TrimSpace(terms)), nil
}

func (b *build) goroot() (string, error) {
	out, err := b.goCommand(platform{runtime.GOOS, runtime.GOARCH}, "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", reason(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// licenses puts together the files with the licences of the modules in the folders.
func licenses(dirs map[string]string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("The programs are linked with these modules, each under its own licence.\n")
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		var text []byte
		var err error
		for _, file := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING"} {
			if text, err = os.ReadFile(filepath.Join(dirs[name], file)); err == nil {
				break
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: no licence in %s: it cannot be handed out", name, dirs[name])
		}
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 72), name, bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
	}
	return out.Bytes(), nil
}

//go:embed container.txt
var containerText string

// containerfile makes an image of the archive for linux that lies beside it: static binaries, and
// nothing else.
func (b *build) containerfile() string {
	return strings.ReplaceAll(containerText, "TOP", "ptxabi-"+b.version.String())
}
