package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/lsp"
)

func runLsp(e env, args []string) error {
	o := newOptions("lsp")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return o.errorf("%s, expected none: a client opens files", prose.Count(len(rest), "argument"))
	}
	if o.target != "" {
		if _, err := o.row(o.target); err != nil {
			return err
		}
	}
	defer endUnread(e)()
	err = lsp.Serve(e.context(), e.stdin, e.stdout, lsp.Options{Target: o.target, Assume: o.assume, Check: checkAside(e), Wait: wait})
	switch {
	case errors.Is(err, lsp.ErrExit): // whose status is 1
		return errFindings
	case err != nil:
		return fmt.Errorf("lsp: %w", disk.Reason(err))
	}
	return nil
}

// wait gives the last analysis of a client that has left a tenth of a second.
func wait(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-time.After(time.Second / 10):
	}
}
