package packers

import (
	"embed"
	"fmt"
)

// templates are the parts of generated files that are the same in each, or nearly so.
//
//go:embed templates
var templates embed.FS

// text returns a file of [templates].
func text(name string) string {
	data, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(fmt.Sprintf("packers: %v", err))
	}
	return string(data)
}
