// Record writes recordings of what the assemblers on this machine make of the
// probes in testdata/measured/probes.
//
//	go run ./internal/lab/record [-o testdata/measured] [-probe REGEXP]
//
// Toolkits are found as the tests find them; PTXABI_ORACLE names their folders.
// Recordings of toolkits that are not there stay as they are. Only this program
// writes them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

func main() {
	out := flag.String("o", "testdata/measured", "the `folder` of the recordings")
	only := flag.String("probe", "", "record the probes whose names match this `regexp` alone")
	flag.Parse()
	if err := record(*out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(out, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	tools, err := oracle.Find()
	if err != nil {
		return err
	}
	if len(tools.Toolkits) == 0 {
		return errors.New(oracle.NotFound)
	}
	files, err := filepath.Glob(filepath.Join(out, "probes", "*.ptx"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		p, err := measured.ParseProbe(file, string(text))
		if err != nil {
			return err
		}
		if !match.MatchString(p.Name) {
			continue
		}
		for _, t := range tools.Toolkits {
			links := p.Shows("link") || p.Shows("joins")
			if links && t.Nvlink == "" {
				continue
			}
			f, err := run(t, p, links)
			if err != nil {
				return err
			}
			dir := filepath.Join(out, fmt.Sprintf("cuda-%d.%d", t.Version.Major, t.Version.Minor))
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, p.Name+".txt"), []byte(f.String()), 0o666); err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, dir, p.Name)
		}
	}
	return nil
}

// run records a probe with a toolkit: its modules, or its links.
func run(t *oracle.Toolkit, p *measured.Probe, links bool) (*measured.File, error) {
	head, what, one := readers, "module", codes
	var names []string
	for _, m := range p.Modules {
		names = append(names, m.Name)
	}
	switch {
	case p.Shows("joins"): // of its only module
		head, what, one = linker, "link", joined
	case links:
		head, what, one = linker, "link", linked
		names = nil
		for _, l := range p.Links {
			names = append(names, l.Name)
		}
	}
	lines, err := head(t)
	if err != nil {
		return nil, err
	}
	f := &measured.File{Head: []string{fmt.Sprintf("Probe %s, recorded by internal/lab/record with %s.", p.Name, t)}}
	f.Head = append(append(f.Head, lines...), "Sections: "+what+" | options of ptxas, beside -arch and files | targets.")

	type job struct{ options, target string }
	results := make(map[job][][]string) // the lines of each name
	var lock sync.Mutex
	var group sync.WaitGroup
	var failed error
	slots := make(chan struct{}, 2*runtime.NumCPU()) // they mostly wait for the tools
	for _, options := range p.Options {
		for _, target := range t.Targets {
			group.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				all, err := one(t, p, options, target)
				if err != nil {
					err = fmt.Errorf("%s, %s: %w", p.Name, target, err)
				}
				lock.Lock()
				defer lock.Unlock()
				results[job{options, target}], failed = all, errors.Join(failed, err)
			})
		}
	}
	group.Wait()
	if failed != nil {
		return nil, failed
	}
	for i, name := range names {
		for _, options := range p.Options {
			for _, target := range t.Targets {
				f.Add(name, options, target, results[job{options, target}][i])
			}
		}
	}
	f.Fold()
	return f, nil
}

// codes are the recordings of the modules.
func codes(t *oracle.Toolkit, p *measured.Probe, options, target string) ([][]string, error) {
	var all [][]string
	for i := range p.Modules {
		lines, err := code(t, p, &p.Modules[i], options, target)
		if err != nil {
			return nil, err
		}
		all = append(all, lines)
	}
	return all, nil
}

// code is the recording of one module.
func code(t *oracle.Toolkit, p *measured.Probe, m *measured.Module, options, target string) ([]string, error) {
	data, output, err := assemble(t, p, m, options, target)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return diagnostic("! ", output), nil
	}
	c, err := cubin.Open(data)
	if err != nil {
		return nil, err
	}
	var lines []string
	if p.Shows("code") || p.Shows("names") {
		text, err := t.Disassemble(context.Background(), data, plain(target))
		if err != nil {
			return nil, err
		}
		code, names := p.Listing(text)
		if p.Shows("code") {
			lines = code
		}
		if p.Shows("names") {
			lines = append(lines, "# names "+ranges("R", names[:]))
		}
	}
	recorded, err := notes(c, p)
	if err != nil {
		return nil, err
	}
	return append(append(lines, recorded...), diagnostic("# said ", output)...), nil
}

// assemble returns a module's cubin, nil where the assembler refuses, and what it says.
func assemble(t *oracle.Toolkit, p *measured.Probe, m *measured.Module, options, target string) (data []byte, output string, err error) {
	version := t.PTX.String()
	if p.Kept {
		version = ""
	}
	data, output, err = t.Run(context.Background(), m.For(version, target), target, strings.Fields(options)...)
	var refused *oracle.RefusedError
	if !errors.As(err, &refused) {
		return data, output, err
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() { // a signal
		refused.Output += exit.String() + "\n"
	}
	return nil, refused.Output, nil
}

var (
	profile     = regexp.MustCompile(`([Ff])or (profile )?sm_\w+`)
	unsupported = regexp.MustCompile(`does not support \.target sm_\w+`)
	missing     = regexp.MustCompile(`not supported on \.target 'sm_\w+'`)
)

var placeInText = regexp.MustCompile(`ptxas (\S+, line \d+; )?`)

// diagnostic is what the assembler reports, without paths and without the
// consequences.
func diagnostic(prefix, output string) []string {
	return printed(prefix, output, func(line string) string {
		line = placeInText.ReplaceAllString(line, "")
		line = profile.ReplaceAllString(line, "${1}or this target")
		line = unsupported.ReplaceAllString(line, "does not support this target")
		return missing.ReplaceAllString(line, "not supported on this target")
	}, "assembly aborted")
}

// printed are the lines that a tool prints, as plain makes them, but for those with a text.
func printed(prefix, output string, plain func(line string) string, but string) (lines []string) {
	for line := range strings.Lines(output) {
		if line = plain(strings.TrimSpace(line)); line != "" && !strings.Contains(line, but) {
			lines = append(lines, prefix+line)
		}
	}
	return lines
}

var release = regexp.MustCompile(`\bV(\d+\.\d+\.\d+)`)

// readers says which disassembler reads the code for which targets, with its version, and as which target.
func readers(t *oracle.Toolkit) ([]string, error) {
	by := make(map[string]string)
	var order, lines []string
	for _, target := range t.Targets {
		path, as := t.Disassembler(plain(target))
		if path == "" {
			return nil, fmt.Errorf("no nvdisasm reads %s", target)
		}
		version, err := exec.Command(path, "--version").Output()
		if err != nil {
			return nil, err
		}
		text := "nvdisasm " + release.FindStringSubmatch(string(version))[1]
		if as != plain(target) {
			text += ", as code for " + as
		}
		if by[text] == "" {
			order = append(order, text)
		}
		by[text] += " " + target
	}
	for _, text := range order {
		lines = append(lines, fmt.Sprintf("Disassembled by %s:%s.", text, by[text]))
	}
	return lines, nil
}

// plain is a target without its suffix, whose code is read as that of the one with it.
func plain(target string) string { return strings.TrimRight(target, "af") }
