package main

import (
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

func runServe(e env, args []string) error {
	o := newOptions("serve")
	addr := "127.0.0.1:0"
	o.Bind(&addr, "addr")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return o.errorf("%s, expected none: texts are entered in the page", prose.Count(len(rest), "argument"))
	}
	return listen(e, o, addr)
}
