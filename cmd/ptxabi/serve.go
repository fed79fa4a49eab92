package main

import (
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

var serveHelp = manual.Help{
	Usage: "ptxabi serve [-addr ADDRESS]",
	Text: `Serve serves the explorer, a page for browsers: PTX, C, CUDA or Go on one side,
and on the other the place of every byte on the chosen target. It prints
the page's address and serves until it is interrupted. The page needs no other
network and stores nothing, and the server reads no file for it; a link can
contain what the page shows. An answer may take ten seconds and 144 MiB of
memory; processes of serve's own make the answers, and are ended where more is
needed or nobody waits any more.`,
	More: `Examples:

  ptxabi serve
  ptxabi serve -addr localhost:0`,
}

func runServe(e env, args []string) error {
	o := newOptions("serve")
	addr := "127.0.0.1:0"
	o.Add(&addr, "addr ADDRESS", `
		where to listen, HOST:PORT; 127.0.0.1:0 by default, which is any free port, for this machine
		only. With another HOST, or
		with none, other machines can ask it too, and the page goes over
		the network as it is, without encryption`)
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return o.errorf("%s, expected none: texts are entered in the page", prose.Count(len(rest), "argument"))
	}
	return listen(e, o, addr)
}
