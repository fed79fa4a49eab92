package main

import "errors"

// listen is an error: there is no network to listen on, and without a server the program is a third smaller.
func listen(env, *options, string) error {
	return errors.New("serve: WebAssembly cannot listen; the command that is built for this machine can")
}

// work does nothing: there is no server that could start it.
func work() {}
