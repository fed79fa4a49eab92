package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"syscall"

	"github.com/ptxabi/ptxabi/internal/manual"
	"github.com/ptxabi/ptxabi/internal/prose"
	"github.com/ptxabi/ptxabi/internal/web/server"
)

var serveHelp = manual.Help{
	Usage: "ptxabi serve [-addr ADDRESS]",
	Text: `Serve serves the explorer, a page for browsers: PTX, C, CUDA or Go on one side,
and on the other where every byte goes on the target that is chosen. It prints
the page's address and serves until it is interrupted. The page needs no other
network, keeps nothing, and no file is read on its behalf; what it shows can be
passed on as a link.`,
	More: `Examples:

  ptxabi serve
  ptxabi serve -addr localhost:0`,
}

func runServe(e env, args []string) error {
	o := newOptions("serve")
	addr := "127.0.0.1:0"
	o.Add(&addr, "addr ADDRESS", `
		where to listen, HOST:PORT; 127.0.0.1:0 by default, which is
		this machine alone and any free port. With another HOST, or
		with none, other machines can ask it too, and the page goes over
		the network as it is, without encryption`)
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return o.errorf("%s, expected none: what is explored is put into the page", prose.Count(len(rest), "argument"))
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return o.errorf("-addr %q is no HOST:PORT", addr)
	}
	ctx, stop := signal.NotifyContext(e.context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return serve(ctx, e, host, l)
}

// serve serves a listener until the context ends.
func serve(ctx context.Context, e env, host string, l net.Listener) error {
	defer l.Close()
	s, err := server.New(server.Options{Names: []string{host}})
	if err != nil {
		return err
	}
	at, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if at.Addr().Unmap().IsLoopback() {
		fmt.Fprintln(e.stderr, "ptxabi: serving this machine alone; interrupt to end")
	} else {
		fmt.Fprintln(e.stderr, "ptxabi: warning: other machines can reach this address, without encryption; interrupt to end")
	}
	if at.Addr().IsUnspecified() {
		fmt.Fprintf(e.stderr, "ptxabi: other machines call it by an IP address of this one, port %d; to be called by a name, use -addr NAME:PORT\n", at.Port())
	}
	if err := write(e.stdout, fmt.Appendf(nil, "http://%s/\n", pageAddress(host, at))); err != nil {
		return err
	}
	err = server.Run(ctx, s, l)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// pageAddress is where a browser of this machine finds the page: by the name
// that was asked for, and on loopback where any address will do.
func pageAddress(host string, at netip.AddrPort) string {
	port := fmt.Sprint(at.Port())
	addr := at.Addr().Unmap()
	switch _, err := netip.ParseAddr(host); {
	case addr.IsUnspecified():
		return net.JoinHostPort("127.0.0.1", port)
	case err != nil && host != "":
		return net.JoinHostPort(host, port)
	}
	return net.JoinHostPort(addr.String(), port)
}
