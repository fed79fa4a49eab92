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
	"slices"
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
			dir := filepath.Join(out, fmt.Sprintf("cuda-%d.%d", t.Version.Major, t.Version.Minor))
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			var f *measured.File
			if p.Shows("link") || p.Shows("joins") {
				f, err = links(t, p)
			} else {
				f, err = run(t, p)
			}
			if err != nil {
				return err
			}
			if f == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, p.Name+".txt"), []byte(f.String()), 0o666); err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, dir, p.Name)
		}
	}
	return nil
}

// run records a probe with a toolkit.
func run(t *oracle.Toolkit, p *measured.Probe) (*measured.File, error) {
	f := &measured.File{Head: []string{fmt.Sprintf("Probe %s, recorded by internal/lab/record with %s.", p.Name, t)}}
	by := make(map[string][]string)
	var order []string
	for _, target := range t.Targets {
		text, err := reader(t, target)
		if err != nil {
			return nil, err
		}
		if by[text] == nil {
			order = append(order, text)
		}
		by[text] = append(by[text], target)
	}
	for _, text := range order {
		f.Head = append(f.Head, fmt.Sprintf("Disassembled by %s: %s.", text, strings.Join(by[text], " ")))
	}
	f.Head = append(f.Head, "Sections: module | options of ptxas, beside -arch and files | targets.")

	type job struct{ module, options, target string }
	var jobs []job
	results := make(map[job][]string)
	for _, m := range p.Modules {
		for _, options := range p.Options {
			for _, target := range t.Targets {
				jobs = append(jobs, job{m.Name, options, target})
			}
		}
	}
	var lock sync.Mutex
	var group sync.WaitGroup
	var failed error
	next := make(chan job)
	for range 2 * runtime.NumCPU() { // they mostly wait for the tools
		group.Go(func() {
			for j := range next {
				m := p.Modules[slices.IndexFunc(p.Modules, func(m measured.Module) bool { return m.Name == j.module })]
				version := t.PTX.String()
				if p.Kept {
					version = ""
				}
				lines, err := one(t, p, m.For(version, j.target), j.options, j.target)
				lock.Lock()
				results[j] = lines
				failed = errors.Join(failed, err)
				lock.Unlock()
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	group.Wait()
	if failed != nil {
		return nil, failed
	}
	for _, j := range jobs {
		f.Add(j.module, j.options, j.target, results[j])
	}
	f.Fold()
	return f, nil
}

// one is the recording of one module.
func one(t *oracle.Toolkit, p *measured.Probe, ptx, options, target string) ([]string, error) {
	data, said, err := assemble(t, ptx, options, target)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", p.Name, target, err)
	}
	if data == nil {
		return diagnostic("! ", said), nil
	}
	c, err := cubin.Open(data)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", p.Name, target, err)
	}
	var lines []string
	if p.Shows("code") || p.Shows("names") {
		text, err := t.Disassemble(context.Background(), data, plain(target))
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", p.Name, target, err)
		}
		code, names := p.Listing(text)
		if p.Shows("code") {
			lines = code
		}
		if p.Shows("names") {
			lines = append(lines, "# names "+ranges(names[:]))
		}
	}
	recorded, err := notes(c, p)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", p.Name, target, err)
	}
	return append(append(lines, recorded...), diagnostic("# said ", said)...), nil
}

// assemble returns a cubin, nil where the assembler refuses, and what it says.
func assemble(t *oracle.Toolkit, ptx, options, target string) (data []byte, said string, err error) {
	dir, err := os.MkdirTemp("", "record-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	source, result := filepath.Join(dir, "probe.ptx"), filepath.Join(dir, "probe.cubin")
	if err := os.WriteFile(source, []byte(ptx), 0o600); err != nil {
		return nil, "", err
	}
	out, err := exec.Command(t.Ptxas, append(strings.Fields(options), "-arch", target, source, "-o", result)...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if !exit.Exited() { // a signal
			out = fmt.Appendln(out, exit)
		}
		return nil, string(out), nil
	}
	if err != nil {
		return nil, "", err
	}
	data, err = os.ReadFile(result)
	return data, string(out), err
}

var (
	profile     = regexp.MustCompile(`([Ff])or (profile )?sm_\w+`)
	unsupported = regexp.MustCompile(`does not support \.target sm_\w+`)
	missing     = regexp.MustCompile(`not supported on \.target 'sm_\w+'`)
)

var placeInText = regexp.MustCompile(`ptxas (\S+, line \d+; )?`)

// diagnostic is what the assembler says, without paths and without the
// consequences.
func diagnostic(prefix, output string) []string {
	var lines []string
	for line := range strings.Lines(output) {
		line = placeInText.ReplaceAllString(strings.TrimSpace(line), "")
		line = profile.ReplaceAllString(line, "${1}or this target")
		line = unsupported.ReplaceAllString(line, "does not support this target")
		line = missing.ReplaceAllString(line, "not supported on this target")
		if line != "" && !strings.Contains(line, "assembly aborted") {
			lines = append(lines, prefix+line)
		}
	}
	return lines
}

var release = regexp.MustCompile(`\bV(\d+\.\d+\.\d+)`)

// reader says which disassembler reads the code for a target, with its version, and as which target.
func reader(t *oracle.Toolkit, target string) (string, error) {
	path, as := t.Disassembler(plain(target))
	if path == "" {
		return "", fmt.Errorf("no nvdisasm reads %s", target)
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", err
	}
	text := "nvdisasm " + release.FindStringSubmatch(string(version))[1]
	if as != plain(target) {
		text += ", as code for " + as
	}
	return text, nil
}

// plain is a target without its suffix, whose code is read as that of the one with it.
func plain(target string) string { return strings.TrimRight(target, "af") }
