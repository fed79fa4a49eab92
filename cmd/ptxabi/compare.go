package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/report"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/sass"
)

// codeMismatch is the code of a difference, in SARIF.
const codeMismatch diag.Code = "CodeMismatch"

func runCompare(e env, args []string) error {
	o := newOptions("compare")
	var alloc, strict bool
	var corpus, helpers string
	seed, n := 1, 100
	o.Bind(&alloc, "alloc")
	o.Bind(&strict, "strict")
	o.Bind(&helpers, "helper")
	o.Bind(&corpus, "corpus")
	o.Bind(&seed, "seed")
	o.Bind(&n, "n")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
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
	if l.module, l.diags, err = l.parse(); err != nil {
		return err
	}
	l.diags = append(l.diags, notes...)
	listing, err := readRaw(e, rest[1])
	if err == nil && isELF(listing.text) {
		listing.text, err = disassembled(listing)
	}
	if err == nil {
		err = l.retarget(o, listing)
	}
	if err != nil {
		return err
	}
	c := comparison{Format: "ptxabi.compare/1", Target: l.target.Name, Assumed: l.target.assumed(), target: l.target, Differences: []placeDiffers{}, NotCompared: []placeDiffers{}, NotFollowed: []string{}}
	kind := func(text []byte) error {
		return c.code(text, listing.text, l.target.Target, strings.FieldsFunc(helpers, func(r rune) bool { return r == ',' }))
	}
	if alloc {
		kind = func(text []byte) error { return c.allocation(text, listing.text, l.target.Target) }
	}
	if err := c.sound(l, kind); errors.Is(err, errFindings) {
		return l.finish(nil)
	} else if err != nil {
		return fmt.Errorf("%s: %w", listing.name, err)
	}
	if c.Functions == 0 {
		c.Nothing = "nothing was compared"
	}
	wrong := l.finish(nil)
	if err := c.print(e, o, listing.name, l.diags); err != nil {
		return err
	}
	if wrong != nil || len(c.Differences) > 0 || c.Functions == 0 || c.LeftOut != "" || strict && len(c.NotFollowed)+len(c.NotCompared) > 0 {
		return errFindings
	}
	return nil
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
	if l.target, err = chooseTarget(l.module, prog.Target, o.assume); err != nil {
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
	t, err := lookup(o.target, o.assume)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%s: %w", dir, disk.Reason(err))
	}
	modules, programs := lowertest.Modules(t, uint64(seed), n), lowertest.Programs(t, uint64(seed), (n+3)/4)
	for i, src := range slices.Concat(modules, programs) {
		name := filepath.Join(dir, fmt.Sprintf("corpus-%04d.ptx", i))
		if i >= len(modules) {
			name = filepath.Join(dir, fmt.Sprintf("program-%04d.ptx", i-len(modules)))
		}
		if err := disk.Replace(name, src); err != nil {
			return fmt.Errorf("%s: %w", name, disk.Reason(err))
		}
	}
	return write(e.stdout, fmt.Appendf(nil, "%s for %s in %s\n", prose.Count(len(modules)+len(programs), "module"), t.Name, printable(dir)))
}

// A comparison is what -format json prints.
type comparison struct {
	Format      string         `json:"format"`
	Target      string         `json:"target"`
	Assumed     bool           `json:"assumed,omitempty"`
	Functions   int            `json:"functions"`
	Coverage    string         `json:"coverage"`
	Differences []placeDiffers `json:"differences"`
	NotCompared []placeDiffers `json:"notCompared"`
	NotFollowed []string       `json:"notFollowed"`
	LeftOut     string         `json:"leftOut,omitempty"` // of -alloc: why a comparison says little
	Nothing     string         `json:"nothing,omitempty"` // why "no difference" would say nothing
	target      target
}

// A placeDiffers is a place that does not hold, or may not hold, what it should.
type placeDiffers struct {
	Function string `json:"function"`
	Line     int    `json:"line,omitempty"`   // of the listing
	Source   int    `json:"source,omitempty"` // line of the module
	Place    string `json:"place"`            // "call 1 of g, R5"
	Code     string `json:"code,omitempty"`   // of -alloc: the instruction of the source
	Want     string `json:"want"`
	Got      string `json:"got"`
	Last     string `json:"last,omitempty"`
	Rule     string `json:"rule,omitempty"` // of docs/abi.md
	text     string
}

// sound compares a module, or what its errors leave of it; nothing, with errFindings, where that is nothing.
func (c *comparison) sound(l *loaded, compare func(text []byte) error) error {
	l.diags = append(l.diags, errorsOf(check.Module(l.module, check.Options{Lower: true}))...)
	read, text := half.Of(l.module, l.diags), []byte(l.text)
	if l.diags.Err() != nil {
		text = read.Text()
	}
	for {
		err := compare(text)
		var list diag.List // consequences
		switch {
		case !errors.As(err, &list):
			for _, name := range slices.Concat(read.Lost, read.Open) {
				c.NotFollowed = append(c.NotFollowed, name+": the module has errors in it, or in what it calls")
			}
			return err
		case !read.Drop(list):
			if l.diags.Err() == nil {
				l.diags = list
			}
			return errFindings
		}
		text = read.Text()
	}
}

func (c *comparison) code(text []byte, listing string, t *abi.Target, helpers []string) error {
	r, err := lowertest.Options{Helpers: helpers}.Compare(text, listing, t)
	if err != nil {
		return err
	}
	rows := func(list []lowertest.Difference) []placeDiffers {
		out := []placeDiffers{}
		for _, d := range list {
			out = append(out, placeDiffers{d.Func, d.Line, 0, d.What, "", d.Want, d.Got, d.Last, d.Rule, d.String()})
		}
		return out
	}
	c.Functions, c.Coverage = r.Functions, r.Coverage.String()
	if r.Words+r.Bytes == 0 {
		c.Nothing = "no value could be compared: none that is passed, returned or stored was followed"
	}
	c.Differences, c.NotCompared, c.NotFollowed = rows(r.Differences), rows(r.NotCompared), append(c.NotFollowed, r.NotFollowed...)
	return nil
}

func (c *comparison) allocation(text []byte, listing string, t *abi.Target) error {
	r, err := lowertest.CheckAllocation(text, listing, t)
	if err != nil {
		return err
	}
	rows := func(list []lowertest.Misplaced) []placeDiffers {
		out := []placeDiffers{}
		for _, d := range list {
			out = append(out, placeDiffers{d.Func, d.Line, d.Source, d.Place, d.Code, d.Want, d.Got, d.Last, "", d.String()})
		}
		return out
	}
	c.Functions, c.Coverage = r.Functions, r.String()
	c.LeftOut = r.LeftOut()
	c.Differences, c.NotCompared, c.NotFollowed = rows(r.Misplaced), rows(r.NotCompared), append(c.NotFollowed, r.NotFollowed...)
	return nil
}

func (c *comparison) print(e env, o *options, file string, list diag.List) error {
	var out []byte
	switch o.format {
	case "json":
		data, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			return err
		}
		out = append(data, '\n')
	case "sarif":
		for _, d := range c.Differences {
			list.Add(&diag.Diagnostic{File: file, Pos: diag.Pos{Line: uint32(max(d.Line, 1)), Col: 1}, Code: codeMismatch, Msg: d.text})
		}
		log := report.SARIF{Tool: "ptxabi", Version: manual.Version(), URI: "https://github.com/ptxabi/ptxabi", Rules: rulesOf(list)}
		out = log.Append(nil, list)
	default:
		var b bytes.Buffer
		shown := func(title string, list []string) {
			if len(list) > most && !o.verbose {
				list = append(list[:most:most], fmt.Sprintf("%d more; -v shows all", len(list)-most))
			}
			for _, line := range list {
				fmt.Fprintf(&b, "%s%s\n", title, printable(line))
			}
		}
		lines := func(list []placeDiffers) (texts []string) {
			for _, d := range list {
				texts = append(texts, d.text)
			}
			return texts
		}
		fmt.Fprintf(&b, "target %s: %s\n", c.Target, c.Coverage)
		if c.Assumed {
			fmt.Fprintf(&b, "%s\n", assumedLine(c.target))
		}
		shown("differs: ", lines(c.Differences))
		shown("not compared: ", lines(c.NotCompared))
		shown("not followed: ", c.NotFollowed)
		switch {
		case c.Functions == 0:
			fmt.Fprintln(&b, c.Nothing)
		case len(c.Differences) == 0:
			fmt.Fprintln(&b, cmp.Or(c.LeftOut, c.Nothing, "no difference"))
		}
		out = b.Bytes()
	}
	return write(e.stdout, out)
}
