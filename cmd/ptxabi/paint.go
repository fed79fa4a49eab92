package main

import "regexp"

// paints reports whether a result is a report for people on a terminal that shows colours.
func (o *options) paints(e env) bool {
	switch {
	case !o.forPeople():
		return false
	case o.color == "auto":
		return e.screen && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
	}
	return o.color == "always"
}

// forPeople reports whether a result is a report, and nothing that programs or assemblers read.
func (o *options) forPeople() bool {
	return o.format == "text" && o.Name != "adapt" && o.Name != "export" && o.Name != "lower"
}

const (
	bold    = "\x1b[1m"
	dim     = "\x1b[2m"
	red     = "\x1b[1;31m"
	green   = "\x1b[32m"
	plainly = "\x1b[0m"
)

// inks are what is painted of reports. They decorate a text and decide nothing: a name that looks like one of these
// words is painted, and says what it said.
var inks = []struct {
	what  *regexp.Regexp
	style string
}{
	{regexp.MustCompile(`(?m)^(?:func|entry|prototype|kernel|struct|union|class|type|target|image) [^:\n]+`), bold},
	{regexp.MustCompile(`(?m)^ *(?:name  .*|fact  .*|target  .*|offset  .*)$`), dim},
	{regexp.MustCompile(`(?m)breaks callers|[1-9]\d* so that callers break|^  breaks:`), red},
	{regexp.MustCompile(`(?m)callers work|^  works:|^no difference$|^\d+ unchanged$|\bthe same$`), green},
}

// paint colours a report.
func paint(text []byte) []byte {
	for _, ink := range inks {
		text = ink.what.ReplaceAll(text, []byte(ink.style+"$0"+plainly))
	}
	return text
}
