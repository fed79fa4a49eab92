//go:build !explorer && !nopack

package web

import (
	"github.com/ptxabi/ptxabi/internal/tool/packers"
)

const packs = true

// maxCode is how many bytes of generated code are shown.
const maxCode = 1 << 19

// code generates code as ptxparam does, of the text alone.
func (a *answer) code(p Pack) {
	c := a.res.Code
	cfg := packers.Config{
		Input: fileNames[a.res.Lang], Source: []byte(a.req.Text), Output: "params.go", Package: "params",
		Rules: "sysv", Target: a.target.Name, Env: []string{}, // whatever machine answers
	}
	if a.res.Lang == "ptx" {
		cfg.Input = "input.ptx"
	}
	if p.Type != "" {
		cfg.Types = []string{p.Type}
	} else {
		cfg.Kernels = []string{p.Kernel}
	}
	if a.res.Lang == "c" || a.res.Lang == "c++" {
		cfg.Lang = a.res.Lang
	}
	switch p.Lang {
	case "go":
	case "rust":
		cfg.Output, cfg.Package = "params.rs", ""
	case "python":
		cfg.Output, cfg.Package = "params.py", ""
	case "c":
		if p.Type == "" {
			c.Missing = "a launch from C passes the addresses of its arguments: there is nothing to pack"
			return
		}
		cfg.Header = "params.h"
	default:
		c.Missing = "code is generated in Go, Rust, Python and C"
		return
	}
	if a.res.Lang == "go" {
		cfg.Package = "" // it is that of the text
	}
	files, err := packers.Generate(cfg)
	if err != nil {
		c.Missing = reason(err)
		return
	}
	size := 0
	for _, f := range files {
		if f.Remove || p.Lang == "c" && f.Path != cfg.Header {
			continue
		}
		if size += len(f.Data); size > maxCode {
			c.Files, c.Missing = []CodeFile{}, "it is longer than what is shown here; ptxparam writes it"
			return
		}
		c.Files = append(c.Files, CodeFile{f.Path, string(f.Data)})
	}
}
