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
)

func runCheck(e env, args []string) error { return checkWith(e, args, (*source).check) }

// checkWith is runCheck with what checks a source.
func checkWith(e env, args []string, one checker) error {
	o := newOptions("check")
	opts := check.Options{Workers: runtime.GOMAXPROCS(0)}
	var link, fix bool
	var release string
	o.Bind(&opts.Compile, "c")
	o.Bind(&opts.Pedantic, "pedantic")
	o.Bind(&link, "link")
	o.Bind(&release, "release")
	o.Bind(&fix, "fix")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return o.noFile()
	}
	if err := o.fixable(fix, rest); err != nil {
		return err
	}
	if o.target != "" {
		if _, err := archOf(o.target); err != nil {
			return err
		}
	}
	if release != "" {
		v := &opts.Release
		if n, err := fmt.Sscanf(release+";", "%d.%d;", &v.Major, &v.Minor); n != 2 || err != nil {
			return o.errorf("-release %s: expected a release of the assembler, such as 12.4", release)
		}
	}
	opts.Compile = opts.Compile || link
	if twice := repeated(rest); twice != "" && (link || twice == "-") {
		return o.errorf("%s is given twice", twice)
	}

	files, failed := expand(rest)
	if o.format == "jsonl" {
		return o.checkLines(e, files, failed, link, fix)
	}
	if o.output != "" && len(files) > 1 {
		return o.errorf("-o %s is for one file, not for %d", o.output, len(files))
	}
	var list diag.List
	var mods []*ptx.Module
	sources := make(map[string]*source, len(files))
	for _, file := range files {
		src, err := read(e, file)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if err := o.distinct(src); err != nil {
			return err
		}
		sources[src.name] = src
		m, all, err := one(src, opts, link)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if len(all) == 0 && compiled.IsBlank(m) {
			failed = append(failed, fmt.Errorf("%s: no PTX in it", src.name))
			continue
		}
		if all.Err() != nil && m.Version == (ptx.Version{}) {
			if err := notPTX(src); err != nil {
				failed, list = append(failed, err), append(list, limitsOfC(src)...)
				continue
			}
		}
		if len(all) == 0 && m.Version == (ptx.Version{}) {
			all.Add(&diag.Diagnostic{
				File: src.name, Pos: diag.Pos{Line: 1, Col: 1}, Severity: diag.Warning, Code: check.MisplacedDirective,
				Msg: "the text has no .version and no .target, without which no assembler takes it; it is judged as a part of a module",
			})
		}
		if fix {
			done, err := o.fix(e, checked{src, m, all}, func(src *source) (checked, error) {
				m, all, err := one(src, opts, link)
				return checked{src, m, all}, err
			})
			if err != nil {
				failed = append(failed, err)
			} else {
				m, all = done.module, done.list
				sources[done.src.name] = done.src
			}
		}
		mods, list = append(mods, m), append(list, all...)
		if err := o.runs(m); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", src.name, err))
		}
	}
	if link && len(failed) == 0 { // else what one module lacks may be in a file that was not read
		list = append(list, check.Link(mods)...)
	}
	if o.format == "sarif" && len(mods) == 0 {
		return errors.Join(failed...) // a log without results would say that all is fixed
	}
	err = o.report(e, list, sources, failed)
	if len(failed) > 0 && (err == nil || errors.Is(err, errFindings)) {
		return errors.Join(failed...)
	}
	return err
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

// checkLines is check with a line for each file.
func (o *options) checkLines(e env, files []string, failed []error, link, fix bool) error {
	switch {
	case link:
		return o.errorf("-format jsonl has a line for each file, but -link compares all of them: use -format json, with a line for each diagnostic")
	case fix && slices.Contains(files, "-"):
		return o.errorf("-format jsonl goes to standard output, and so does the fixed text of -")
	}
	if len(files) > 0 {
		if _, err := o.several(e, files, runCheck); len(failed) == 0 {
			return err
		}
	}
	return errors.Join(failed...)
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

// report writes the diagnostics that -severity lets through, and reports whether one of
// them is an error. What could not be judged has failed.
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
	if out != nil {
		if err := write(e.stdout, out); err != nil {
			return err
		}
	}
	if list.Err() != nil {
		return errFindings
	}
	return nil
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
func (o *options) runs(m *ptx.Module) error {
	if o.target == "" {
		return nil
	}
	wanted, err := archOf(o.target)
	if err != nil {
		return err
	}
	own, err := archOf(m.Target)
	if err != nil {
		return nil // the module names none that is known
	}
	return own.RunsOn(wanted)
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
				failed = append(failed, fmt.Errorf("%s: %w", path, disk.Reason(err)))
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
