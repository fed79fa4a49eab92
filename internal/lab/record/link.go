package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// linker says which linker links. It has to be of the assembler's release.
func linker(t *oracle.Toolkit) ([]string, error) {
	text, err := exec.Command(t.Nvlink, "--version").Output()
	if err != nil {
		return nil, err
	}
	version := release.FindStringSubmatch(string(text))
	if version == nil || version[1] != t.Version.String() {
		return nil, fmt.Errorf("%s is of another release than %s: %q", t.Nvlink, t, text)
	}
	name := "nvlink"
	if strings.Contains(string(text), "nvJitLink") {
		name = "nvJitLink"
	}
	return []string{fmt.Sprintf("Linked by %s %s.", name, version[1])}, nil
}

// linked assembles all modules of a probe for a target, and returns the lines of each of its links.
func linked(t *oracle.Toolkit, p *measured.Probe, options, target string) ([][]string, error) {
	cubins, refused := make(map[string][]byte), make(map[string][]string)
	for i := range p.Modules {
		m := &p.Modules[i]
		data, output, err := assemble(t, p, m, options, target)
		if err != nil {
			return nil, err
		}
		if cubins[m.Name] = data; data == nil {
			refused[m.Name] = diagnostic("! ptxas: ", output)
		}
	}
	var all [][]string
	for _, l := range p.Links {
		var lines []string
		var files [][]byte
		for _, name := range l.Modules {
			if lines = refused[name]; lines != nil {
				break
			}
			files = append(files, cubins[name])
		}
		if lines == nil {
			var err error
			if lines, err = link(t, target, files); err != nil {
				return nil, fmt.Errorf("%s: %w", l.Name, err)
			}
		}
		all = append(all, lines)
	}
	return all, nil
}

// link links objects, and returns the lines about the result.
func link(t *oracle.Toolkit, target string, files [][]byte) ([]string, error) {
	data, output, err := t.Link(context.Background(), target, files...)
	if errors.As(err, new(*oracle.RefusedError)) {
		return diagnostics("! ", output), nil
	}
	if err != nil {
		return nil, err
	}
	lines := append([]string{"# taken"}, diagnostics("# said ", output)...)
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

// joined is which targets' objects of a probe's only module go into a program for one.
func joined(t *oracle.Toolkit, p *measured.Probe, options, target string) ([][]string, error) {
	var takes []string
	for _, other := range t.Targets {
		data, _, err := assemble(t, p, &p.Modules[0], options, other)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		_, _, err = t.Link(context.Background(), target, data)
		switch {
		case err == nil:
			takes = append(takes, other)
		case !errors.As(err, new(*oracle.RefusedError)):
			return nil, err
		}
	}
	return [][]string{{"# joins " + strings.Join(takes, " ")}}, nil
}

var (
	fileName   = regexp.MustCompile(`'(?:[^']*/)?(\d+)\.cubin'`)
	linkerSays = regexp.MustCompile(`^(nvlink )?(error|fatal|warning|info)\s*: `)
	errorCode  = regexp.MustCompile(`^ERROR \d+: finish$`)
)

// diagnostics are those of the linker, with the numbers of the files in place of their
// names, and without the consequences.
func diagnostics(prefix, output string) []string {
	lines := printed(prefix, output, func(line string) string {
		line = fileName.ReplaceAllString(line, "file $1")
		line = linkerSays.ReplaceAllString(line, "$2: ")
		return errorCode.ReplaceAllString(strings.TrimRight(line, "\x00"), "")
	}, "merge_elf failed")
	if lines == nil && prefix == "! " {
		lines = []string{"! refused without a word"}
	}
	return lines
}
