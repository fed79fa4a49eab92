package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/report"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func bindCheck(o *options) action { return bindCheckBy(o, (*source).check) }

// bindCheckBy is bindCheck with the function that checks a source.
func bindCheckBy(o *options, one checker) action {
	c := &checking{options: o, opts: check.Options{Workers: runtime.GOMAXPROCS(0)}}
	var release string
	o.Bind(&c.opts.Compile, "c")
	o.Bind(&c.opts.Pedantic, "pedantic")
	o.Bind(&c.link, "link")
	o.Bind(&release, "release")
	o.Bind(&c.fixes, "fix")
	return func(e env, rest []string) error {
		if len(rest) == 0 {
			return o.noFile()
		}
		if err := o.fixable(c.fixes, rest); err != nil {
			return err
		}
		if o.target != "" {
			wanted, err := archOf(o.target)
			if err != nil {
				return err
			}
			c.arch = &wanted
		}
		if release != "" {
			v := &c.opts.Release
			if n, err := fmt.Sscanf(release+";", "%d.%d;", &v.Major, &v.Minor); n != 2 || err != nil {
				return o.errorf("-release %s: expected a release of the assembler, such as 12.4", release)
			}
		}
		c.opts.Compile = c.opts.Compile || c.link
		c.one = func(src *source) (checked, error) {
			m, all, err := one(src, c.opts, c.link)
			return checked{src, m, all}, err
		}
		if twice := repeated(rest); twice != "" && (c.link || twice == "-") {
			return o.errorf("%s is given twice", twice)
		}
		files, failed := expand(rest)
		switch {
		case o.format == "jsonl" && c.link:
			return o.errorf("-format jsonl has a line for each file, but -link compares all of them: use -format json, with a line for each diagnostic")
		case o.format != "jsonl":
			return c.files(e, files, failed)
		case len(files) > 0:
			if err := o.each(e, files, func(e env, file string) error { return c.files(e, []string{file}, nil) }); len(failed) == 0 {
				return err
			}
		}
		return errors.Join(failed...)
	}
}

// A checking is the command's flags.
type checking struct {
	*options
	opts        check.Options
	link, fixes bool
	arch        *resolve.Arch // of -target; nil without
	one         func(*source) (checked, error)
}

// files checks files, and reports on all of them and on what has failed.
func (c *checking) files(e env, files []string, failed []error) error {
	if c.output != "" && len(files) > 1 {
		return c.errorf("-o %s is for one file, not for %d", c.output, len(files))
	}
	var list diag.List
	var mods []*ptx.Module
	sources := make(map[string]*source, len(files))
	for _, file := range files {
		if err := c.distinct(file); err != nil {
			return err
		}
		done, err := c.file(e, file)
		if err != nil {
			failed = append(failed, err)
		}
		if done.src != nil {
			sources[done.src.name] = done.src
		}
		if list = append(list, done.list...); done.module != nil {
			mods = append(mods, done.module)
		}
	}
	if c.link && len(failed) == 0 { // else what one module lacks may be in a file that was not read
		list = append(list, check.Link(mods)...)
	}
	if c.format == "sarif" && len(mods) == 0 {
		return errors.Join(failed...) // a log without results would say that all is fixed
	}
	err := c.report(e, list, sources, failed)
	if len(failed) > 0 && (err == nil || errors.Is(err, errFindings)) {
		return errors.Join(failed...)
	}
	return err
}

// file checks a file. Beside an error there may be something to report of it.
func (c *checking) file(e env, file string) (done checked, err error) {
	src, err := read(e, file)
	if err != nil {
		return done, err
	}
	if done, err = c.one(src); err != nil {
		return checked{src: src}, err
	}
	empty := len(done.list) == 0
	switch unversioned := done.module.Version == (ptx.Version{}); {
	case empty && compiled.IsBlank(done.module):
		return checked{src: src}, fmt.Errorf("%s: no PTX in it", src.name)
	case unversioned && empty:
		done.list.Add(&diag.Diagnostic{
			File: src.name, Pos: diag.Pos{Line: 1, Col: 1}, Severity: diag.Warning, Code: check.MisplacedDirective,
			Msg: "the text has no .version and no .target, without which no assembler takes it; it is judged as a part of a module",
		})
	case unversioned && done.list.Err() != nil:
		if err := notPTX(src); err != nil {
			return checked{src: src, list: limitsOfC(src)}, err
		}
	}
	if c.fixes {
		fixed, err := c.fix(e, done)
		if err != nil {
			return done, err
		}
		done = fixed
	}
	if err := c.runs(done.module); err != nil {
		return done, fmt.Errorf("%s: %w", src.name, err)
	}
	return done, nil
}

// limitsOfC are notes on kernels of a C or CUDA file that some compilers refuse for their parameters.
func limitsOfC(src *source) (notes diag.List) {
	res, err := loadKernels(src, layoutcmd.Options{Partial: true})
	if err != nil || filepath.Ext(src.name) == ".go" {
		return nil
	}
	for _, d := range res.Warnings {
		if d.Severity == diag.Note {
			notes.Add(d)
		}
	}
	return notes
}

// check reads and checks a file. The module has bodies if they are wanted.
func (src *source) check(opts check.Options, bodies bool) (*ptx.Module, diag.List, error) {
	if bodies {
		m, all := check.Source(src.name, []byte(src.text), opts)
		return m, all, nil
	}
	o, all := check.Text(src.name, src.text, opts)
	return o.Module(), all, nil
}

// report writes the diagnostics that -severity lets through. It returns errFindings if one of
// them is an error. Failed are the reasons why files could not be judged.
func (o *options) report(e env, list diag.List, sources map[string]*source, failed []error) error {
	list = list.AtLeast(o.floor())
	var out []byte
	switch o.format {
	case "json":
		out = report.AppendJSON(nil, list)
	case "sarif":
		log := report.SARIF{
			Tool: "ptxabi", Version: manual.Version(), URI: "https://github.com/ptxabi/ptxabi",
			Rules: rulesOf(list), Texts: textsOf(list, sources),
		}
		for _, err := range failed {
			log.Failed = append(log.Failed, err.Error())
		}
		out = log.Append(nil, list)
	case "github":
		out = report.AppendGitHub(nil, list)
	case "gitlab":
		out = report.AppendGitLab(nil, list)
	default:
		p := newPrinter(e, o, nil)
		if e.terminal {
			p.Texts = textsOf(list, sources)
		}
		p.all(list)
	}
	var err error
	if out != nil {
		err = write(e.stdout, out)
	}
	return findings(err, list.Err() != nil)
}

// rulesOf describes the codes of a list for SARIF.
func rulesOf(list diag.List) map[diag.Code]report.Rule {
	rules := make(map[diag.Code]report.Rule)
	for _, d := range list {
		if x, ok := ruleOf(d.Code); ok {
			rules[d.Code] = report.Rule{Short: x.When, Help: "Fix: " + x.Fix + "\nSource: " + x.Source, Severity: x.Severity}
		}
	}
	return rules
}

// ruleOf is the rule of a code of package check or link, or of verify.
func ruleOf(c diag.Code) (check.Rule, bool) {
	for _, r := range otherCodes {
		if r.Code == c && (r.link || c == verify.Mismatch || c == codeMismatch) {
			return r.Rule, true
		}
	}
	return check.Explain(c)
}

// runs refuses a -target that does not run a module.
func (c *checking) runs(m *ptx.Module) error {
	own, err := archOf(m.Target)
	if c.arch == nil || err != nil {
		return nil // or the module names none that is known
	}
	return own.RunsOn(*c.arch)
}

// repeated returns a file that is named more than once, "" if none is.
func repeated(files []string) string {
	seen := make(map[string]bool, len(files))
	for _, file := range files {
		key := filepath.Clean(file)
		if seen[key] {
			return file
		}
		seen[key] = true
	}
	return ""
}

// expand replaces directories by the files in them that end in .ptx, in order.
// The errors are about directories that cannot be read or have none.
func expand(args []string) (files []string, failed []error) {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, arg) // reading says what is wrong with it
			continue
		}
		found, wrong := len(files), len(failed)
		_ = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				failed = append(failed, ofFile(path, err))
			case !d.IsDir() && strings.HasSuffix(path, ".ptx"):
				files = append(files, path)
			}
			return nil
		})
		if len(files) == found && len(failed) == wrong {
			failed = append(failed, fmt.Errorf("%s: no .ptx file in it", arg))
		}
	}
	return files, failed
}

// fixable refuses flags that do not go with -fix, or only with it.
func (o *options) fixable(fix bool, files []string) error {
	toOutput := o.output == "-" || o.output == "" && slices.Contains(files, "-")
	switch {
	case !fix && o.output != "":
		return o.errorf("-o is for -fix: it says where the fixed text goes")
	case fix && toOutput && o.format != "text":
		return o.errorf("-fix writes the fixed text to standard output, and so does -format %s; -o FILE takes the text", o.format)
	}
	return nil
}

// A checker reads and checks a source, as [source.check] does.
type checker func(src *source, opts check.Options, bodies bool) (*ptx.Module, diag.List, error)

// maxRounds bounds how often fixes are applied to one text. Each round but the
// first is for fixes that overlapped, or that became possible by another.
const maxRounds = 10

// fixAll applies the fixes of a list to the text that it is about, checks what comes
// out, and goes on until there is nothing to fix. It returns the text and the
// diagnostics that remain. The error says why there is none: the text could not be
// checked, or has an error that the one before had not.
func fixAll(text string, list diag.List, recheck func(text string) (diag.List, error)) (string, diag.List, error) {
	known := make(map[finding]int)
	for _, d := range list.Errors() {
		known[finding{d.Code, d.Msg}]++
	}
	for range maxRounds {
		// A syntax error hides others, which its fix would bring up: that one is for editors.
		fixable := slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool { return d.Code == ptx.BadSyntax })
		out, applied, _, err := diag.Apply(text, fixable)
		if err != nil {
			return "", nil, err
		}
		if len(applied) == 0 || out == text {
			break
		}
		after, err := recheck(out)
		if err != nil {
			return "", nil, err
		}
		if d := newError(known, after); d != nil {
			return "", nil, fmt.Errorf("nothing is written: the fixed text would have another error: %s: %s [%s]", d.Pos, d.Msg, d.Code)
		}
		text, list = out, after
	}
	return text, list, nil
}

// A finding is an error without its position, which fixes move.
type finding struct {
	code diag.Code
	msg  string
}

// newError returns the first error that there are more of than known; nil if there
// is none.
func newError(known map[finding]int, list diag.List) *diag.Diagnostic {
	count := make(map[finding]int)
	for _, d := range list.Errors() {
		key := finding{d.Code, d.Msg}
		if count[key]++; count[key] > known[key] {
			return d
		}
	}
	return nil
}

// A checked is a source with its diagnostics.
type checked struct {
	src    *source
	module *ptx.Module
	list   diag.List
}

// fix fixes a source and writes what comes out: to where -o says, to standard output
// if it came from standard input, or else in its place, unless nothing has changed.
func (o *checking) fix(e env, c checked) (checked, error) {
	name := c.src.name
	if o.output != "" && o.output != "-" {
		name = o.output // which has the text that positions are of
	}
	before := c.src
	text, _, err := fixAll(before.text, c.list, func(text string) (diag.List, error) {
		next, err := o.one(&source{name: name, path: before.path, text: text})
		if err == nil {
			c = next
		}
		return next.list, err
	})
	switch {
	case err != nil:
		return checked{}, fmt.Errorf("%s: %w", before.name, err)
	case o.output != "" || before.path == "":
		return c, o.emit(e, []byte(text))
	case text == before.text:
		return c, nil
	}
	return c, ofFile(before.name, disk.Replace(before.path, []byte(text)))
}
