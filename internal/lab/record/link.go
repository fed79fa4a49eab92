package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// links records what the linker of a toolkit makes of the links of a probe, or where it
// shows joins, which targets' objects of its only module go into a program for which.
// It is nil for a toolkit without a linker.
func links(t *oracle.Toolkit, p *measured.Probe) (*measured.File, error) {
	if t.Nvlink == "" {
		return nil, nil
	}
	linker, err := exec.Command(t.Nvlink, "--version").Output()
	if err != nil {
		return nil, err
	}
	version := release.FindStringSubmatch(string(linker))
	if version == nil || version[1] != t.Version.String() {
		return nil, fmt.Errorf("%s is of another release than %s: %q", t.Nvlink, t, linker)
	}
	name := "nvlink"
	if strings.Contains(string(linker), "nvJitLink") {
		name = "nvJitLink"
	}
	f := &measured.File{Head: []string{
		fmt.Sprintf("Probe %s, recorded by internal/lab/record with %s.", p.Name, t),
		fmt.Sprintf("Linked by %s %s.", name, version[1]),
		"Sections: link | options of ptxas, beside -arch and files | targets.",
	}}
	dir, err := os.MkdirTemp("", "record-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, options := range p.Options {
		per := make([][][]string, len(t.Targets))
		var group sync.WaitGroup
		var lock sync.Mutex
		var failed error
		slots := make(chan struct{}, 2)
		for i, target := range t.Targets {
			group.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				all, err := linkFor(t, p, dir, options, target)
				lock.Lock()
				defer lock.Unlock()
				per[i], failed = all, errors.Join(failed, err)
			})
		}
		group.Wait()
		if failed != nil {
			return nil, failed
		}
		if p.Shows("joins") {
			for _, target := range t.Targets {
				f.Add(p.Name, options, target, joined(t, dir, target, t.Targets))
			}
			continue
		}
		for k, l := range p.Links {
			for i, target := range t.Targets {
				f.Add(l.Name, options, target, per[i][k])
			}
		}
	}
	f.Fold()
	return f, nil
}

// linkFor assembles all modules for a target and links them; the lines are those of
// each link.
func linkFor(t *oracle.Toolkit, p *measured.Probe, dir, options, target string) ([][]string, error) {
	refused := make(map[string][]string)
	object := func(name string) string { return filepath.Join(dir, target+"-"+name+".cubin") }
	for _, m := range p.Modules {
		version := t.PTX.String()
		if p.Kept {
			version = ""
		}
		data, said, err := assemble(t, m.For(version, target), options, target)
		if err != nil {
			return nil, err
		}
		if data == nil {
			refused[m.Name] = diagnostic("! ptxas: ", said)
			continue
		}
		if err := os.WriteFile(object(m.Name), data, 0o600); err != nil {
			return nil, err
		}
	}
	var all [][]string
	for _, l := range p.Links {
		var lines, files []string
		for i, name := range l.Modules {
			if refused[name] != nil {
				lines = refused[name]
				break
			}
			file := object(name)
			if slices.Contains(files, file) { // twice, which the linker takes for one
				data, err := os.ReadFile(file)
				if err != nil {
					return nil, err
				}
				file = object(fmt.Sprintf("%s.%s.%d", l.Name, name, i))
				if err := os.WriteFile(file, data, 0o600); err != nil {
					return nil, err
				}
			}
			files = append(files, file)
		}
		if lines == nil {
			var err error
			if lines, err = linkOne(t, dir, target, files); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", l.Name, target, err)
			}
		}
		all = append(all, lines)
	}
	return all, nil
}

// linkOne links objects, and says what comes of it.
func linkOne(t *oracle.Toolkit, dir, target string, files []string) ([]string, error) {
	result := filepath.Join(dir, target+"-linked.cubin")
	os.Remove(result)
	said, ok, err := nvlink(t, target, files, result)
	if err != nil {
		return nil, err
	}
	if !ok {
		return saidBy("! ", said, files), nil
	}
	lines := append([]string{"# taken"}, saidBy("# said ", said, files)...)
	data, err := os.ReadFile(result)
	if err != nil {
		return nil, err
	}
	f, err := cubin.Open(data)
	if err != nil { // nvJitLink of 12.8 and 12.9, which go on after an error
		return append(lines, "# damaged"), nil
	}
	for i := range f.Functions {
		fn := &f.Functions[i]
		if fn.Kernel {
			lines = append(lines, fmt.Sprintf("# kernel %s: registers %d frame %d least stack %d", fn.Name, fn.Regs, fn.FrameSize, fn.MinStack))
		} else {
			lines = append(lines, fmt.Sprintf("# function %s: registers %d frame %d", fn.Name, fn.Regs, fn.FrameSize))
		}
	}
	for _, v := range f.Variables() {
		if v.Defined && !strings.HasPrefix(v.Name, "__U") && !strings.HasPrefix(v.Name, ".") {
			lines = append(lines, fmt.Sprintf("# variable %s: %s size %d", v.Name, v.Space, v.Size))
		}
	}
	slices.Sort(lines[1:])
	return lines, nil
}

// nvlink runs the linker.
func nvlink(t *oracle.Toolkit, target string, files []string, result string) (said string, ok bool, err error) {
	out, err := exec.Command(t.Nvlink, append(append([]string{"-arch", target}, files...), "-o", result)...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(out), false, nil
	}
	return string(out), err == nil, err
}

// joined is which targets' objects go into a program for one.
func joined(t *oracle.Toolkit, dir, target string, targets []string) []string {
	var takes []string
	for _, other := range targets {
		file := filepath.Join(dir, other+"-joins.cubin")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if _, ok, err := nvlink(t, target, []string{file}, filepath.Join(dir, "joined.cubin")); ok && err == nil {
			takes = append(takes, other)
		}
	}
	return []string{"# joins " + strings.Join(takes, " ")}
}

var (
	linkerSays = regexp.MustCompile(`^(nvlink )?(error|fatal|warning|info)\s*: `)
	errorCode  = regexp.MustCompile(`^ERROR \d+: finish$`)
)

// saidBy is what the linker says, with the numbers of the files in place of their
// names, and without the consequences.
func saidBy(prefix, output string, files []string) []string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		for i, file := range files {
			short := fmt.Sprintf("file %d", i+1)
			line = strings.ReplaceAll(line, "'"+file+"'", short)
			line = strings.ReplaceAll(line, "'"+filepath.Base(file)+"'", short)
		}
		line = linkerSays.ReplaceAllString(line, "$2: ")
		line = strings.TrimRight(line, "\x00")
		if line == "" || strings.Contains(line, "merge_elf failed") || errorCode.MatchString(line) {
			continue
		}
		lines = append(lines, prefix+line)
	}
	if lines == nil && prefix == "! " {
		lines = []string{"! refused without a word"}
	}
	return lines
}
