//go:build !js

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

	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/workers"
	"github.com/ptxabi/ptxabi/internal/tool/lsp"
	"github.com/ptxabi/ptxabi/internal/tool/web"
	"github.com/ptxabi/ptxabi/internal/tool/web/server"
)

// atOnce is how many questions may wait for a process.
const atOnce = 1000

// work answers questions as one of the processes that serve or lsp starts.
func work(arg string) {
	signal.Ignore(os.Interrupt) // which a terminal sends to all processes; those that started this one end it
	if arg == lspWorker {
		workers.Work(os.Stdin, os.Stdout, 0, lsp.Check)
	} else {
		workers.Work(os.Stdin, os.Stdout, server.MaxMemory, web.AnswerJSON)
	}
}

// checkAside checks texts for lsp in processes that are ended when a check is given up; nil where this
// process cannot be started again. The second function ends those processes.
func checkAside(e env) (check func(context.Context, []byte) ([]byte, error), end func()) {
	if !e.self {
		return nil, func() {}
	}
	p := &workers.Pool{Start: workers.Self(lspWorker, 0)}
	return p.Answer, p.Close
}

// listen serves an address until the program is interrupted.
func listen(e env, o *options, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return o.errorf("-addr %q is not HOST:PORT", addr)
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
	opts := server.Options{Version: manual.Version(), Names: []string{host}}
	if e.self {
		// What nothing waits for any more is stopped, which takes processes of its own.
		p := &workers.Pool{Start: workers.Self(serveWorker, server.MaxMemory)}
		defer p.Close()
		opts.Answer, opts.AtOnce = p.Answer, atOnce
	}
	s := server.New(opts)
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
// that -addr gives, and on loopback where any address will do.
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
