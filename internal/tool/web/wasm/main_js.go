//go:build js && wasm

// Explorer is package web for WebAssembly: it defines the function ptxabiAnswer
// for the page's worker, and calls ptxabiReady when that can be called.
package main

import (
	"syscall/js"

	"github.com/ptxabi/ptxabi/internal/tool/web"
)

func main() {
	js.Global().Set("ptxabiAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 {
			return map[string]any{"error": "a question is one text"}
		}
		text, err := web.AnswerJSON([]byte(args[0].String()))
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"answer": string(text)}
	}))
	js.Global().Call("ptxabiReady")
	select {}
}
