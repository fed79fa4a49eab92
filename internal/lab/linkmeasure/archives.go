package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// archives compares which kernels the linker takes out of cubins, fatbins, objects for
// the host and libraries of them, and whether it refuses them, with what "ptxabi link"
// and "ptxabi stack" say of the same files.
func archives(ctx context.Context, _ *oracle.Tools, l *linker, j job) (string, int, error) {
	dir, err := os.MkdirTemp("", "archives-")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	said, err := tool(l.Nvlink, "--version")
	if err != nil {
		return "", 0, err
	}
	lib := strings.Contains(said, "nvJitLink") // which refuses what nvlink leaves out
	var count archiveCount
	targets := l.targets(j.target)
	for i := range j.n {
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
		r := rand.New(rand.NewPCG(j.seed<<32|l.number(), uint64(i)))
		target := targets[i%len(targets)]
		other := targets[(i+1+r.IntN(len(targets)-1))%len(targets)]
		if link.Joins(other, target) == link.Some { // it depends on the release, which is what the probe joins is for
			other = target
		}
		for _, old := range []string{target, other} {
			if err := os.RemoveAll(filepath.Join(dir, old)); err != nil {
				return "", 0, err
			}
		}
		p := randomParts(r, target, other)
		files, err := l.write(filepath.Join(dir, target), p)
		if errors.Is(err, errCrash) {
			continue
		}
		if err != nil {
			return "", 0, fmt.Errorf("link %d for %s: %w", i, target, err)
		}
		d, err := count.compare(l, filepath.Join(dir, target), target, files, lib)
		if err != nil {
			return "", 0, fmt.Errorf("link %d for %s: %w", i, target, err)
		}
		if d != "" {
			count.differ++
			fmt.Printf("seed %d, link %d for %s, %s: %s\n", j.seed, i, target, strings.Join(files, " "), d)
			for _, one := range p {
				fmt.Printf("// %s in %s, for %s\n%s\n", one.name, one.file, one.target, one.text)
			}
		}
	}
	return fmt.Sprintf("%d links, %d modules in libraries, %d left out, %d refused", count.links, count.members, count.left, count.refused), count.differ, nil
}

type archiveCount struct{ links, members, left, refused, differ int }

// compare compares all that is said of files.
func (c *archiveCount) compare(l *linker, dir, target string, files []string, lib bool) (string, error) {
	program, said, err := l.join(dir, target, files)
	if err != nil {
		return "", err
	}
	var set link.Set
	members, left := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		notes, err := set.AddFile(filepath.Base(file), data)
		if err != nil && !strings.Contains(err.Error(), "nothing in it that can be read") {
			return "", err
		}
		left += len(notes)
	}
	report := set.Report(link.Options{Target: target})
	for _, f := range report.Files {
		if strings.Contains(f.Name, ".a(") {
			members++
		}
	}
	skipped := report.Counts.LeftOut
	for _, d := range report.Diags {
		if d.Code == link.MixedTargets && strings.Contains(d.Msg, "leaves it out") {
			skipped++
		}
	}
	c.links++
	c.members += members
	c.left += left + skipped
	says := refuses(report.Diags) || lib && skipped > 0
	if program == "" {
		c.refused++
	}
	if says != (program == "") {
		return fmt.Sprintf("the linker refuses %v (%s), ours %v: %v", program == "", strings.TrimSpace(said), says, report.Diags), nil
	}
	if program == "" {
		return "", nil
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	f, err := cubin.Open(data)
	if err != nil {
		return "", err
	}
	var want, got []string
	for i := range f.Functions {
		if f.Functions[i].Kernel {
			want = append(want, f.Functions[i].Name)
		}
	}
	for _, p := range set.Programs(target) {
		for _, fn := range p.Funcs {
			if fn.Kernel {
				got = append(got, fn.Name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Sprintf("the linker has the kernels %v, ours %v", want, got), nil
	}
	return "", nil
}

// A part is a module, and the file that it goes into.
type part struct {
	name   string
	text   string
	target string
	file   string // "x.cubin", "x.fatbin", "x.o" of its own, or "a.a", "b.a"
	bare   bool   // in a library: no object around it
}

// randomParts makes modules that call each other, in files of every kind. In some links
// a name is defined twice, or nowhere, or a module is for another architecture.
func randomParts(r *rand.Rand, target, other string) []part {
	n := 3 + r.IntN(5)
	parts := make([]part, n)
	twice, wrong := -1, -1
	switch r.IntN(4) {
	case 0:
		twice = 1 + r.IntN(n-1)
	case 1:
		wrong = r.IntN(n)
	}
	for i := range parts {
		p := &parts[i]
		p.name = fmt.Sprintf("m%d", i)
		p.target = target
		if r.IntN(12) == 0 {
			p.target = other
		}
		var body, declared strings.Builder
		for j := i + 1; j < n; j++ {
			if r.IntN(3) > 0 {
				continue
			}
			if j == wrong && r.IntN(2) == 0 {
				fmt.Fprintf(&declared, ".extern .func f%d(.param .b32 x);\n", j)
				fmt.Fprintf(&body, "\t{ .param .b32 q; st.param.b32 [q], 1; call f%d, (q); }\n", j)
				continue
			}
			fmt.Fprintf(&declared, ".extern .func f%d();\n", j)
			fmt.Fprintf(&body, "\tcall f%d;\n", j)
		}
		text := declared.String()
		if r.IntN(12) > 0 {
			text += fmt.Sprintf(".visible .func f%d()\n{\n%s\tret;\n}\n", i, body.String())
		}
		if i == twice {
			text += fmt.Sprintf(".visible .func f%d() { ret; }\n", i-1)
		}
		if r.IntN(2) == 0 {
			text += fmt.Sprintf(".visible .entry k%d()\n{\n%s\tret;\n}\n", i, body.String())
		}
		p.text = text
		switch r.IntN(8) {
		case 0:
			p.file, p.target = p.name+".cubin", target // another one is refused, as the probe joins has it
		case 1:
			p.file = p.name + ".fatbin"
		case 2, 3:
			p.file = p.name + ".o"
		default:
			p.file = []string{"a.a", "b.a"}[r.IntN(2)]
			p.bare = r.IntN(10) == 0
		}
	}
	if p := &parts[0]; !slices.ContainsFunc(parts, func(p part) bool { return !p.bare }) {
		p.bare = false
	}
	return parts
}

// write makes the files of modules.
func (l *linker) write(dir string, parts []part) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var files []string
	libraries := make(map[string][]byte)
	for _, p := range parts {
		base := filepath.Join(dir, p.name)
		object, err := l.assemble(base, fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n", l.PTX, p.target)+p.text, p.target)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(object)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, p.file)
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
		kind := filepath.Ext(p.file)
		if kind == ".cubin" {
			continue
		}
		fat, err := fatbin(p.target, data)
		if err != nil {
			return nil, err
		}
		if kind == ".fatbin" {
			if err := os.WriteFile(file, fat, 0o600); err != nil {
				return nil, err
			}
			continue
		}
		host := data
		if !p.bare {
			if host, err = hostObject(base, fat); err != nil {
				return nil, err
			}
		}
		if kind == ".o" {
			continue // where hostObject wrote it
		}
		if libraries[file] == nil {
			libraries[file] = []byte("!<arch>\n")
		}
		libraries[file] = fmt.Appendf(libraries[file], "%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", p.name+".o/", 0, 0, 0, "644", len(host), host)
		if len(host)%2 != 0 {
			libraries[file] = append(libraries[file], '\n')
		}
	}
	for file, data := range libraries {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// fatbin is a fatbin with one cubin, as package cubin describes it.
func fatbin(target string, data []byte) ([]byte, error) {
	sm, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(target, "sm_"), "af"))
	if err != nil {
		return nil, err
	}
	flags := uint64(0x11)
	switch {
	case strings.HasSuffix(target, "a"):
		flags |= 1 << 20
	case strings.HasSuffix(target, "f"):
		flags |= 1 << 21
	}
	f, err := cubin.Open(data)
	if err != nil {
		return nil, err
	}
	const fixed = 64
	minor, options := uint16(7), []byte(nil)
	if data[elf.EI_ABIVERSION] >= 8 {
		minor = 8
		if s := f.Section(".nv.compat"); s != nil {
			flags |= 1 << 24
			options = binary.LittleEndian.AppendUint32(nil, fixed+8)
			options = binary.LittleEndian.AppendUint32(options, uint32(len(s.Data)))
			options = append(options, s.Data...)
			options = append(options, make([]byte, -len(options)&7)...)
		}
	}
	at := 0
	if options != nil {
		at = fixed
	}
	header := fixed + len(options)
	data = append(bytes.Clone(data), make([]byte, -len(data)&7)...)
	var b bytes.Buffer
	for _, v := range []any{
		uint32(0xba55ed50), uint16(1), uint16(16), uint64(header + len(data)),
		uint16(cubin.Cubin), uint16(0x0101), uint32(header), uint64(len(data)), uint32(0), uint32(at), minor, uint16(1), uint32(sm),
		uint32(0), uint32(0), flags, uint64(0), uint64(0), options,
	} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			return nil, err
		}
	}
	return append(b.Bytes(), data...), nil
}

// hostObject is an object for the host with a fatbin, as compilers make it. The C
// compiler assembles it.
func hostObject(base string, fat []byte) ([]byte, error) {
	name := filepath.Base(base)
	if err := os.WriteFile(base+".bin", fat, 0o600); err != nil {
		return nil, err
	}
	source := fmt.Sprintf(`.section __nv_relfatbin, "a"
.align 8
data_%[1]s:
.incbin "%[2]s.bin"
.quad 0
.section .nvFatBinSegment, "aw"
.align 8
.globl __fatbinwrap_%[1]s
__fatbinwrap_%[1]s:
.long 0x466243b1, 1
.quad data_%[1]s, 0
.section __nv_module_id, "a"
.asciz "module_%[1]s"
.section .note.GNU-stack, "", @progbits
`, name, base)
	if err := os.WriteFile(base+".s", []byte(source), 0o600); err != nil {
		return nil, err
	}
	if said, err := tool("cc", "-c", base+".s", "-o", base+".o"); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return os.ReadFile(base + ".o")
}
