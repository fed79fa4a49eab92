package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/tool/lsp"
)

func bindLsp(o *options) action {
	o.none = "a client opens files"
	return func(e env, _ []string) error {
		if _, err := o.wanted(); err != nil {
			return err
		}
		aside, end := checkAside(e)
		defer end()
		defer endUnread(e)()
		err := lsp.Serve(e.context(), e.stdin, e.stdout, lsp.Options{Target: o.target, Assume: o.assume, Check: aside, Wait: wait})
		switch {
		case errors.Is(err, lsp.ErrExit): // whose status is 1
			return errFindings
		case err != nil:
			return fmt.Errorf("lsp: %w", disk.Reason(err))
		}
		return nil
	}
}

// wait gives the last analysis of a client that has left a tenth of a second.
func wait(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-time.After(time.Second / 10):
	}
}
