package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/lsp"
)

var lspHelp = manual.Help{
	Usage: "ptxabi lsp [flags]",
	Text: `Lsp is a language server for PTX on standard input and output, for editors that
speak the Language Server Protocol: diagnostics while typing, with fixes; the
places of formals, at calls and on hover; definitions, references, symbols,
completion, colours and formatting. docs/lsp.md has the settings of editors. It
ends when the client does.`,
	More: `Examples:

  ptxabi lsp
  ptxabi lsp -target sm_90`,
}

func runLsp(e env, args []string) error {
	o := newOptions("lsp")
	o.addTarget(`
		architecture of what is shown; the module's own by default. A
		client's setting "target" goes before`)
	o.Add(&o.assume, "assume", "accept a target that has not been measured")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return o.errorf("%s, expected none: a client opens files", prose.Count(len(rest), "argument"))
	}
	if o.target != "" {
		if _, err := lookup(o.target, o.assume); err != nil {
			return err
		}
	}
	aside, end := checkAside(e)
	defer end()
	defer endUnread(e)()
	err = lsp.Serve(e.context(), e.stdin, e.stdout, lsp.Options{Target: o.target, Assume: o.assume, Check: aside, Wait: wait})
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
