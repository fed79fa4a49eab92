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
	"cmp"
	"crypto/sha256"
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
				f, err = run(tools, t, p)
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
func run(tools *oracle.Tools, t *oracle.Toolkit, p *measured.Probe) (*measured.File, error) {
	f := &measured.File{Head: []string{fmt.Sprintf("Probe %s, recorded by internal/lab/record with %s.", p.Name, t)}}
	by := make(map[string][]string)
	var order []string
	for _, target := range t.Targets {
		d, err := reader(tools, t, target)
		if err != nil {
			return nil, err
		}
		if by[d.text] == nil {
			order = append(order, d.text)
		}
		by[d.text] = append(by[d.text], target)
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
				lines, err := one(tools, t, p, m.For(version, j.target), j.options, j.target)
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
func one(tools *oracle.Tools, t *oracle.Toolkit, p *measured.Probe, ptx, options, target string) ([]string, error) {
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
		d, err := reader(tools, t, target)
		if err != nil {
			return nil, err
		}
		text, err := d.disassemble(target, data, c)
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

// A disassembler is an nvdisasm, and what it has to be told that a cubin is
// for.
type disassembler struct {
	path string
	as   byte   // number of the architecture to put into the cubin; 0 to leave it
	text string // version, and what as means
}

var (
	readers = make(map[string]disassembler)
	reading sync.Mutex
	known   = regexp.MustCompile(`SM(\d+)`)
	release = regexp.MustCompile(`\bV(\d+\.\d+\.\d+)`)
)

// reader returns the disassembler for a target: the toolkit's own, or the
// newest other one that knows the target. None knows sm_107, whose instructions
// are encoded as those of sm_121.
func reader(tools *oracle.Tools, t *oracle.Toolkit, target string) (disassembler, error) {
	reading.Lock()
	defer reading.Unlock()
	number := strings.Trim(target, "sm_af")
	key := t.Ptxas + " " + number
	if d, ok := readers[key]; ok {
		return d, nil
	}
	paths := []string{t.Nvdisasm}
	for _, other := range slices.Backward(tools.Toolkits) {
		paths = append(paths, other.Nvdisasm)
	}
	asked, d := number, disassembler{}
	if number == "107" {
		asked, d.as = "121", 121
	}
	for _, path := range paths {
		if path == "" {
			continue
		}
		help, err := exec.Command(path, "--help").Output()
		if err != nil {
			return d, err
		}
		for _, m := range known.FindAllStringSubmatch(string(help), -1) {
			if m[1] != asked {
				continue
			}
			version, err := exec.Command(path, "--version").Output()
			if err != nil {
				return d, err
			}
			d.path, d.text = path, "nvdisasm "+release.FindStringSubmatch(string(version))[1]
			if d.as != 0 {
				d.text += ", as code for sm_" + asked
			}
			readers[key] = d
			return d, nil
		}
	}
	return d, fmt.Errorf("no nvdisasm reads %s", target)
}

// listings are what has been read, by code and generation: architectures of one
// generation often have the same code, which means the same.
var listings sync.Map

// generations are the architectures whose equal code is read once.
var generations = map[string]string{
	"sm_35": "35", "sm_37": "35", "sm_50": "50", "sm_52": "50", "sm_53": "50", "sm_60": "60", "sm_61": "60", "sm_62": "60",
	"sm_70": "70", "sm_72": "70", "sm_80": "80", "sm_86": "80", "sm_87": "80", "sm_88": "80", "sm_89": "80",
	"sm_100": "100", "sm_101": "100", "sm_103": "100", "sm_110": "100", "sm_120": "120", "sm_121": "120", "sm_107": "120",
}

// disassemble returns the listing of a cubin's code.
func (d disassembler) disassemble(target string, data []byte, c *cubin.File) (string, error) {
	hash := sha256.New()
	base := strings.TrimRight(target, "af")
	fmt.Fprintln(hash, d.text[:len("nvdisasm 13.1")], cmp.Or(generations[base], base))
	for _, f := range c.Functions {
		fmt.Fprintln(hash, f.Name, f.Kernel, len(c.Code(&f)))
		hash.Write(c.Code(&f))
	}
	for _, r := range c.Relocs {
		fmt.Fprintln(hash, r.Section, r.Offset, r.Kind, r.Name, r.Addend)
	}
	key := [sha256.Size]byte(hash.Sum(nil))
	if text, ok := listings.Load(key); ok {
		return text.(string), nil
	}
	if d.as != 0 {
		data = slices.Clone(data)
		data[49] = d.as // second byte of e_flags
	}
	file, err := os.CreateTemp("", "record-*.cubin")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	out, err := exec.Command(d.path, "-c", "-ndf", file.Name()).Output()
	listings.Store(key, string(out))
	return string(out), err
}
