package oracle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A Version is that of a toolkit, as its assembler states it.
type Version struct{ Major, Minor, Patch int }

// Compare returns -1, 0 or 1 as v is earlier than, equal to or later than w.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch))
}

// String returns a form such as "12.4.131".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// A Toolkit is an installed assembler with the tools beside it. [Find] makes
// one; its methods are safe for concurrent use.
type Toolkit struct {
	Version Version
	// PTX is the newest version of the PTX ISA that the assembler reads.
	PTX ptx.Version
	// Ptxas, Nvdisasm, Cuobjdump, Nvlink and Cicc are paths; "" for a tool that
	// is not there. Ptxas always is.
	Ptxas, Nvdisasm, Cuobjdump, Nvlink, Cicc string
	// Targets are the architectures it assembles for, in ascending order:
	// "sm_52", "sm_90a".
	Targets []string

	// disassemblers are its own nvdisasm, if any, and those of other toolkits,
	// the newest first.
	disassemblers []disassembler
}

// A disassembler is one nvdisasm.
type disassembler struct {
	path    string
	targets []string // "sm_52", "sm_90a"
}

// Release returns the version as text: "12.4.131".
func (t *Toolkit) Release() string { return t.Version.String() }

// String returns a form such as "ptxas 12.4.131".
func (t *Toolkit) String() string { return "ptxas " + t.Version.String() }

// Measures reports whether the toolkit assembles for a target such as "sm_90a"
// and there is a disassembler for it.
func (t *Toolkit) Measures(target string) bool {
	path, _ := t.Disassembler(target)
	return slices.Contains(t.Targets, target) && path != ""
}

// Disassembler returns the path of the first nvdisasm that takes a target, ""
// when there is none, and the target as which it reads the code.
func (t *Toolkit) Disassembler(target string) (path, as string) {
	as, _ = readAs(target)
	for _, d := range t.disassemblers {
		if slices.Contains(d.targets, as) {
			return d.path, as
		}
	}
	return "", as
}

var (
	versionLine = regexp.MustCompile(`\bV(\d+)\.(\d+)\.(\d+)\b`)
	targetName  = regexp.MustCompile(`'(?:sm_|SM)(\d+)([a-z]?)'`)
	currentPTX  = regexp.MustCompile(`current version is '(\d+)\.(\d+)'`)
)

func newToolkit(dir string) (*Toolkit, error) {
	t := &Toolkit{
		Ptxas:     executable(dir, "ptxas"),
		Nvdisasm:  executable(dir, "nvdisasm"),
		Cuobjdump: executable(dir, "cuobjdump"),
		Nvlink:    executable(dir, "nvlink"),
		Cicc:      executable(dir, "cicc"),
	}
	out, err := exec.Command(t.Ptxas, "--version").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", t.Ptxas, err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s --version: no version in %q", t.Ptxas, out)
	}
	t.Version = Version{atoi(m[1]), atoi(m[2]), atoi(m[3])}

	if t.Targets, err = helpTargets(t.Ptxas); err != nil {
		return nil, err
	}
	if t.Nvdisasm != "" {
		targets, err := helpTargets(t.Nvdisasm)
		if err != nil {
			return nil, err
		}
		t.disassemblers = []disassembler{{t.Nvdisasm, targets}}
	}

	_, err = t.Assemble(context.Background(), ".version 99.9\n.target sm_80\n.address_size 64\n", "sm_80")
	var refused *RefusedError
	switch {
	case err == nil:
		return nil, fmt.Errorf("%s: a module of PTX 99.9 is not refused", t.Ptxas)
	case !errors.As(err, &refused):
		return nil, fmt.Errorf("%s: %w", t.Ptxas, err)
	}
	isa := currentPTX.FindStringSubmatch(refused.Output)
	if isa == nil {
		return nil, fmt.Errorf("%s: no PTX version in %q", t.Ptxas, refused.Output)
	}
	t.PTX = ptx.Version{Major: atoi([]byte(isa[1])), Minor: atoi([]byte(isa[2]))}
	return t, nil
}

// helpTargets returns the architectures that a program lists, in ascending
// order, as "sm_52", "sm_90a".
func helpTargets(program string) ([]string, error) {
	out, err := exec.Command(program, "--help").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s --help: %w", program, err)
	}
	type target struct {
		sm     int
		suffix string
	}
	var targets []target
	for _, m := range targetName.FindAllSubmatch(out, -1) {
		targets = append(targets, target{atoi(m[1]), string(m[2])})
	}
	slices.SortFunc(targets, func(a, b target) int { return cmp.Or(cmp.Compare(a.sm, b.sm), cmp.Compare(a.suffix, b.suffix)) })
	var names []string
	for _, x := range slices.Compact(targets) {
		names = append(names, fmt.Sprintf("sm_%d%s", x.sm, x.suffix))
	}
	if names == nil {
		return nil, fmt.Errorf("%s --help: no architectures listed", program)
	}
	return names, nil
}

// atoi is for digits that a regular expression has matched.
func atoi(digits []byte) int {
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		return 0
	}
	return n
}

// A RefusedError says that a program refused what it was given or crashed on it.
type RefusedError struct {
	Program string // "ptxas" or "nvlink"
	Target  string
	Output  string // all that the program printed
	Err     error  // how it ended
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s for %s: %v: %s", e.Program, e.Target, e.Err, strings.TrimSpace(e.Output))
}

func (e *RefusedError) Unwrap() error { return e.Err }

// Assemble compiles a module with -c for separate linking, and returns the
// cubin. Options are added to the command line; the level of optimisation is -O1
// where none of them is a level. The error is a [*RefusedError] where ptxas ran
// and did not succeed.
func (t *Toolkit) Assemble(ctx context.Context, ptx, target string, options ...string) ([]byte, error) {
	options = append([]string{"-c"}, options...)
	if !slices.ContainsFunc(options, isLevel) {
		options = append(options, "-O1")
	}
	cubin, _, err := t.Run(ctx, ptx, target, options...)
	return cubin, err
}

// Run compiles a module with options as they are given, and returns the cubin and what ptxas says of it.
func (t *Toolkit) Run(ctx context.Context, ptx, target string, options ...string) (cubin []byte, printed string, err error) {
	return run(ctx, t.Ptxas, target, options, ".ptx", []byte(ptx))
}

// Link links cubins, and returns the program and what nvlink says of it: the files that it names are 1.cubin, 2.cubin and so on.
func (t *Toolkit) Link(ctx context.Context, target string, cubins ...[]byte) (linked []byte, printed string, err error) {
	if t.Nvlink == "" {
		return nil, "", fmt.Errorf("%s has no nvlink beside it", t)
	}
	return run(ctx, t.Nvlink, target, nil, ".cubin", cubins...)
}

// Build assembles modules for separate linking, each by itself, and links them. Options are those of [Toolkit.Assemble].
func (t *Toolkit) Build(ctx context.Context, target string, options []string, modules ...string) ([]byte, error) {
	var cubins [][]byte
	for _, m := range modules {
		cubin, err := t.Assemble(ctx, m, target, options...)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, m)
		}
		cubins = append(cubins, cubin)
	}
	linked, _, err := t.Link(ctx, target, cubins...)
	return linked, err
}

// run writes files, numbered from 1 on, runs a program on them, and returns what it writes and what it says.
func run(ctx context.Context, program, target string, options []string, ext string, files ...[]byte) (result []byte, printed string, err error) {
	tool := filepath.Base(program)
	fail := func(err error) ([]byte, string, error) { return nil, "", fmt.Errorf("%s: %w", tool, err) }
	dir, err := os.MkdirTemp("", "ptxabi-oracle-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	args := append(slices.Clone(options), "-arch", target)
	for i, data := range files {
		file := filepath.Join(dir, strconv.Itoa(i+1)+ext)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return fail(err)
		}
		args = append(args, file)
	}
	to := filepath.Join(dir, "result.cubin")
	out, err := exec.CommandContext(ctx, program, append(args, "-o", to)...).CombinedOutput()
	if ctx.Err() != nil {
		return fail(ctx.Err())
	}
	if errors.As(err, new(*exec.ExitError)) {
		return nil, string(out), &RefusedError{Program: tool, Target: target, Output: string(out), Err: err}
	}
	if err == nil {
		result, err = os.ReadFile(to)
	}
	if err != nil {
		return fail(err)
	}
	return result, string(out), nil
}

// isLevel reports whether an option is a level of optimisation: "-O0".
func isLevel(option string) bool { return strings.HasPrefix(option, "-O") }

// NarrowOption is the option of ptxas for 32-bit addresses.
const NarrowOption = "-m32"

// Narrow reports whether the toolkit assembles for a target with 32-bit
// addresses, as those before CUDA 12 do up to sm_89.
func (t *Toolkit) Narrow(ctx context.Context, target string) (bool, error) {
	_, err := t.Assemble(ctx, fmt.Sprintf(".version %s\n.target %s\n.address_size 32\n", t.PTX, target), target, NarrowOption)
	var refused *RefusedError
	if errors.As(err, &refused) {
		return false, nil
	}
	return err == nil, err
}

// Disassemble returns nvdisasm's listing of the code of a cubin for a target: of
// the first disassembler that takes the target and can read the code. The error
// is a [*DisassembleError] where none can.
func (t *Toolkit) Disassemble(ctx context.Context, cubin []byte, target string) (string, error) {
	dir, err := os.MkdirTemp("", "ptxabi-oracle-")
	if err != nil {
		return "", fmt.Errorf("disassemble: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "probe.cubin")
	known, sm := readAs(target)
	if sm != 0 && len(cubin) > archByte {
		cubin = slices.Clone(cubin)
		cubin[archByte] = sm
	}
	if err := os.WriteFile(file, cubin, 0o600); err != nil {
		return "", fmt.Errorf("disassemble: %w", err)
	}
	refused := &DisassembleError{Target: target}
	seen := make(map[string]bool)
	for _, d := range t.disassemblers {
		if seen[d.path] || !slices.Contains(d.targets, known) {
			continue
		}
		seen[d.path] = true
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, d.path, "-c", "-ndf", file)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if err == nil {
			return stdout.String(), nil
		}
		if ctx.Err() != nil {
			return "", fmt.Errorf("disassemble: %w", ctx.Err())
		}
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		refused.Causes = append(refused.Causes, fmt.Sprintf("%s: %v: %s", d.path, err, first))
	}
	return "", refused
}

// archByte is where a cubin of CUDA 13 names its architecture: the second byte
// of the ELF header's e_flags.
const archByte = 49

// readAs returns the target as which the code for a target is disassembled, and
// its number where it is another one. No disassembler at hand takes sm_107,
// whose instructions read as those of sm_121.
func readAs(target string) (known string, sm byte) {
	if suffix, ok := strings.CutPrefix(target, "sm_107"); ok {
		return "sm_121" + suffix, 121
	}
	return target, 0
}

// A DisassembleError says that no disassembler reads the code for a target.
type DisassembleError struct {
	Target string
	Causes []string // by disassembler; nil where none takes the target
}

func (e *DisassembleError) Error() string {
	if e.Causes == nil {
		return "no nvdisasm for " + e.Target
	}
	return fmt.Sprintf("nvdisasm for %s: %s", e.Target, strings.Join(e.Causes, "; "))
}
