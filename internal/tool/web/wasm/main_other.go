//go:build !(js && wasm)

// Explorer is built for GOOS=js GOARCH=wasm, by internal/tool/web/static.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "explorer runs in a browser: go run ./internal/tool/web/static OUT builds it")
	os.Exit(2)
}
