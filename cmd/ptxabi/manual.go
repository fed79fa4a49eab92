package main

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/manual"
)

// manualPage returns the page for man, made of the help texts.
func manualPage() []byte {
	page := manual.Page{
		Name: "ptxabi", Short: "NVIDIA's device calling convention",
		Head: manual.Read(usageHead + strings.TrimPrefix(usageTail, "\n")),
	}
	for _, c := range all {
		page.Commands = append(page.Commands, manual.Command{Name: c.name, Short: c.short, Help: manual.Read(c.help)})
	}
	return page.Roff()
}
