package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/compare"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/sass"
)

// codeMismatch is the code of a difference, in SARIF.
const codeMismatch diag.Code = "CodeMismatch"

func bindCompare(o *options) action {
	var alloc, strict bool
	var corpus, helpers string
	seed, n := 1, 100
	o.Bind(&alloc, "alloc")
	o.Bind(&strict, "strict")
	o.Bind(&helpers, "helper")
	o.Bind(&corpus, "corpus")
	o.Bind(&seed, "seed")
	o.Bind(&n, "n")
	return func(e env, rest []string) error {
		if corpus != "" {
			return o.corpus(e, corpus, rest, seed, n)
		}
		if len(rest) != 2 {
			return o.errorf("%s, expected a module and a listing", prose.Count(len(rest), "file"))
		}
		if rest[0] == "-" && rest[1] == "-" {
			return o.errorf("- is given twice")
		}
		l, err := load(e, o, rest[0])
		if err != nil {
			return err
		}
		notes := l.diags[len(l.module.Errors):]
		l.module, l.diags = l.parse()
		l.diags = append(l.diags, notes...)
		listing, err := readRaw(e, rest[1])
		if err == nil && strings.HasPrefix(listing.text, "\x7fELF") {
			listing.text, err = disassembled(listing)
		}
		if err == nil && strings.Contains(listing.text, "\tcode for sm_") {
			err = fmt.Errorf("%s: a listing of cuobjdump -sass, which has numbers in place of functions, variables and labels; nvdisasm -c names them", listing.name)
		}
		if err == nil {
			err = l.retarget(o, listing)
		}
		if err != nil {
			return err
		}
		r := compare.Report{Format: "ptxabi.compare/1", Target: l.target.Name, Assumed: l.target.AssumedFrom != "", Differences: []compare.Place{}, NotCompared: []compare.Place{}, NotFollowed: []string{}}
		kind := func(text []byte) error {
			return r.Code(text, listing.text, l.target, strings.FieldsFunc(helpers, func(r rune) bool { return r == ',' }))
		}
		if alloc {
			kind = func(text []byte) error { return r.Allocation(text, listing.text, l.target) }
		}
		l.diags = append(l.diags, errorsOf(check.Module(l.module, check.Options{Lower: true}))...)
		if ok, err := r.Sound(l.module, []byte(l.text), &l.diags, kind); err != nil {
			return fmt.Errorf("%s: %w", listing.name, err)
		} else if !ok {
			return l.finish(nil)
		}
		if r.Functions == 0 {
			r.Nothing = "nothing was compared"
		}
		wrong := l.finish(nil)
		found := wrong != nil || len(r.Differences) > 0 || r.Functions == 0 || r.LeftOut != "" || strict && len(r.NotFollowed)+len(r.NotCompared) > 0
		return findings(l.compared(e, o, &r, listing.name), found)
	}
}

// compared prints what comparing a listing with the module gave.
func (l *loaded) compared(e env, o *options, r *compare.Report, listing string) error {
	switch o.format {
	case "json":
		return write(e.stdout, asJSON(r))
	case "sarif":
		list := l.diags
		for _, d := range r.Differences {
			list.Add(&diag.Diagnostic{File: listing, Pos: diag.Pos{Line: uint32(max(d.Line, 1)), Col: 1}, Code: codeMismatch, Msg: d.Text})
		}
		return o.report(e, list, nil, nil)
	}
	after, limit := "", most
	if r.Assumed {
		after = prose.Assumed(l.target.Name, l.target.AssumedFrom) + "\n"
	}
	if o.verbose {
		limit = 0
	}
	return write(e.stdout, []byte(r.Text(after, limit)))
}

// retarget takes the architecture that a listing names, in place of the module's, which may be compiled for a later one.
func (l *loaded) retarget(o *options, listing *source) error {
	prog, _ := sass.Parse(listing.name, []byte(listing.text))
	if prog == nil || prog.Target == "" {
		return nil
	}
	named, err := archOf(prog.Target)
	switch {
	case err != nil || named.SM == l.target.SM: // a listing may lack the letter
		return nil
	case o.target != "":
		return o.errorf("%s is code for %s, not for %s; drop -target", listing.name, prog.Target, l.target.Name)
	}
	if l.target, _, err = o.chooseTarget(l.module, prog.Target); err != nil {
		return fmt.Errorf("%s: %w", listing.name, err)
	}
	return nil
}

// corpus writes the modules of the test kit.
func (o *options) corpus(e env, dir string, rest []string, seed, n int) error {
	switch {
	case len(rest) > 0:
		return o.errorf("-corpus takes no FILE; drop %s", rest[0])
	case o.target == "":
		return o.errorf("-corpus needs -target")
	case n < 0 || n > 100_000:
		return o.errorf("-n %d: 0 to 100000 random functions", n)
	case seed < 0:
		return o.errorf("-seed %d: a seed is not negative", seed)
	}
	t, err := o.row(o.target)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return ofFile(dir, err)
	}
	modules, programs := lowertest.Modules(t, uint64(seed), n), lowertest.Programs(t, uint64(seed), (n+3)/4)
	for i, src := range slices.Concat(modules, programs) {
		name := filepath.Join(dir, fmt.Sprintf("corpus-%04d.ptx", i))
		if i >= len(modules) {
			name = filepath.Join(dir, fmt.Sprintf("program-%04d.ptx", i-len(modules)))
		}
		if err := disk.Replace(name, src); err != nil {
			return ofFile(name, err)
		}
	}
	return write(e.stdout, fmt.Appendf(nil, "%s for %s in %s\n", prose.Count(len(modules)+len(programs), "module"), t.Name, printable(dir)))
}

// disassembled returns the listing that nvdisasm -c prints for a cubin. The command has no disassembler of its own: that of a
// CUDA toolkit is run where it is found, on the path or in the bin folder of CUDA_HOME or CUDA_PATH.
func disassembled(s *source) (string, error) {
	program, err := nvdisasm()
	if err != nil {
		return "", fmt.Errorf("%s: a cubin, and nvdisasm is neither on the path nor in $CUDA_HOME/bin; where a CUDA toolkit is, run nvdisasm -c %s and give its output in place of it", s.name, cmp.Or(s.path, "FILE"))
	}
	file := s.path
	if file == "" { // standard input, which nvdisasm does not read
		dir, err := os.MkdirTemp("", "ptxabi-")
		if err != nil {
			return "", disk.Reason(err)
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "stdin.cubin")
		if err := os.WriteFile(file, []byte(s.text), 0o600); err != nil {
			return "", disk.Reason(err)
		}
	}
	if strings.HasPrefix(file, "-") {
		file = "." + string(filepath.Separator) + file
	}
	cmd := exec.Command(program, "-c", file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", fmt.Errorf("%s: %s cannot read it: %s; a newer toolkit may", s.name, program, printable(first))
	case err != nil:
		return "", fmt.Errorf("%s: %s: %w", s.name, program, err)
	}
	return string(out), nil
}

// nvdisasm finds the disassembler.
func nvdisasm() (string, error) {
	program, err := exec.LookPath("nvdisasm")
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if home := os.Getenv(name); err != nil && home != "" {
			program, err = exec.LookPath(filepath.Join(home, "bin", "nvdisasm"))
		}
	}
	return program, err
}
