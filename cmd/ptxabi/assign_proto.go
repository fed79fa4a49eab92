package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/tool/assign"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/resolve"
)

// A proto is what -proto and the flags that belong to it say.
type proto struct {
	assign.Prototype
	include, dirs []string
	producer      string
}

func (p *proto) addFlags(o *options) {
	p.producer = "nvcc"
	o.Bind(&p.Text, "proto")
	o.Bind(&p.include, "include")
	o.Bind(&p.dirs, "I")
	o.Bind(&p.Lang, "lang")
	o.Bind(&p.producer, "producer").Hints = layout.ProducerNames()
}

// check checks the flags.
func (p *proto) check(o *options) (err error) {
	if !o.Given("proto") {
		for _, name := range []string{"include", "I", "lang", "producer"} {
			if o.Given(name) {
				return o.errorf("-%s is for -proto", name)
			}
		}
		return nil
	}
	if err = p.By.SetProducer(p.producer); err != nil {
		return o.errorf("-producer: %w", err)
	}
	return nil
}

// assign places the values of the functions that the text declares. It returns those that are right beside the
// error.
func (p *proto) assign(e env, o *options, t *abi.Target) ([]resolve.Assigned, error) {
	var err error
	if p.Head, err = p.head(o); err != nil {
		return nil, err
	}
	p.By.FS = includeFiles(p.dirs)
	list, diags, err := p.Assign(t)
	if err != nil {
		return nil, o.errorf("%w", err)
	}
	o.printer(e, &source{name: assign.ProtoName, text: p.Text}).all(diags)
	if diags.Err() != nil {
		return list, errFindings
	}
	return list, nil
}

// head returns the lines that include the headers. Each is looked for where the
// program runs, and then in the directories of -I.
func (p *proto) head(o *options) (string, error) {
	var b strings.Builder
	for _, name := range p.include {
		if name == "" || strings.ContainsAny(name, "\"\n\r") {
			return "", o.errorf("-include %q is not the name of a file that can be included", name)
		}
		found := ""
		for _, dir := range append([]string{""}, p.dirs...) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && !info.IsDir() {
				found = file
				break
			}
		}
		if found == "" {
			if len(p.dirs) > 0 {
				return "", fmt.Errorf("%s: no such file, here or in %s", name, strings.Join(p.dirs, ", "))
			}
			return "", fmt.Errorf("%s: no such file", name)
		}
		fmt.Fprintf(&b, "#include \"%s\"\n", filepath.ToSlash(found))
	}
	return b.String(), nil
}

// includeFiles are the files of the system by any path, those in some directories too.
type includeFiles []string

func (dirs includeFiles) Open(name string) (fs.File, error) {
	f, err := disk.System("").Open(name)
	if err == nil || path.IsAbs(name) {
		return f, err
	}
	for _, dir := range dirs {
		if f, err := disk.System("").Open(path.Join(filepath.ToSlash(dir), name)); err == nil {
			return f, nil
		}
	}
	return nil, err
}
