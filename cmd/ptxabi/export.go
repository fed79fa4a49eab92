package main

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/tool/export"
)

func bindExport(o *options) action {
	lang, reader := "", false
	o.Bind(&lang, "lang")
	o.Bind(&reader, "reader")
	return func(e env, rest []string) error {
		if lang == "" {
			return o.errorf("no -lang, which is one of %s", strings.Join(export.Languages(), ", "))
		}
		if len(rest) > 0 {
			return o.errorf("%d arguments, expected none: %s", len(rest), strings.Join(rest, " "))
		}
		text, err := export.Text(lang)
		if reader {
			text, err = export.Reader(lang)
		}
		if err != nil {
			return err
		}
		return o.emit(e, text)
	}
}
