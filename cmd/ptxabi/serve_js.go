package main

import (
	"context"
	"errors"
)

// listen is an error: there is no network to listen on, and without a server the program is a third smaller.
func listen(env, *options, string) error {
	return errors.New("serve: WebAssembly cannot listen; the command that is built for this machine can")
}

// work does nothing: nothing could start it.
func work(string) {}

// checkAside is nothing: there are no processes.
func checkAside(env) (check func(context.Context, []byte) ([]byte, error), end func()) {
	return nil, func() {}
}
