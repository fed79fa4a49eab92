package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/images"
)

// listedImages is how many images text has without -all.
const listedImages = 40

func bindImages(o *options) action {
	extract := ""
	o.Bind(&extract, "extract")
	return func(e env, rest []string) error {
		if o.Given("extract") && extract == "" {
			return o.errorf("-extract is empty")
		}
		if extract != "" {
			var names []string
			for _, file := range rest {
				if slices.Contains(names, filepath.Base(file)) {
					return o.errorf("-extract: two files are called %s, and their images would have the same names", filepath.Base(file))
				}
				names = append(names, filepath.Base(file))
			}
		}
		return o.each(e, rest, func(e env, file string) error { return o.images(e, file, extract) })
	}
}

// images lists the images of a file, and writes them into a folder if one is named.
func (o *options) images(e env, file, extract string) error {
	f, end, err := openCompiled(e, file, false, o.row)
	if err != nil {
		return err
	}
	defer end()
	r := &imageReader{options: o, File: f, e: e, any: true}
	if err := r.choose(); err != nil {
		return err
	}
	if extract != "" {
		if err := os.MkdirAll(extract, 0o777); err != nil {
			return disk.Reason(err)
		}
	}
	list := []images.Entry{}
	for _, i := range r.some {
		m := &f.Images[i]
		var contents []byte
		var err error
		if m.Kind == cubin.Cubin || m.Kind == cubin.PTX { // others may be stored in ways of their own
			contents, err = m.Contents()
		}
		entry := images.EntryOf(i+1, m, contents)
		if extract != "" && contents != nil {
			entry.File = filepath.Join(extract, fmt.Sprintf("%s.%d.%s.%v", baseName(f.Name), i+1, m.Arch, m.Kind))
			if err := disk.Replace(entry.File, contents); err != nil {
				return ofFile(entry.File, err)
			}
		}
		if err != nil {
			r.wrong(i, err)
		}
		list = append(list, entry)
	}
	if err := o.emit(e, o.imageList(list, extract)); err != nil {
		return err
	}
	r.moreWrong()
	if r.failed > 0 {
		return errSaid
	}
	return nil
}

// baseName is the name of a file that others are called after.
func baseName(name string) string {
	if name == "<stdin>" {
		return "stdin"
	}
	return filepath.Base(name)
}

// imageList is the list as it is printed.
func (o *options) imageList(list []images.Entry, folder string) []byte {
	if o.format == "json" {
		return asJSON(struct {
			Format string         `json:"format"`
			Images []images.Entry `json:"images"`
		}{"ptxabi.images/1", list})
	}
	shown := list
	if !o.all && len(list) > listedImages {
		shown = list[:listedImages]
	}
	rows, written := [][]string{images.Head}, 0
	for i := range shown {
		rows = append(rows, shown[i].Row())
	}
	out := diag.PrintableLines(display.Table(rows, "", 0, images.Right...))
	if n := len(list) - len(shown); n > 0 {
		out += fmt.Sprintf("and %s: -all shows them\n", prose.Count(n, "more image"))
	}
	out += "\n" + images.Total(list)
	for i := range list {
		if list[i].File != "" {
			written++
		}
	}
	if folder != "" {
		out += fmt.Sprintf("%s in %s\n", prose.Count(written, "file"), printable(folder))
	}
	return []byte(out)
}
