package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/layout"
)

//go:embed page/*.html page/*.css page/*.js page/*.svg
var pageFiles embed.FS

//go:embed examples/*
var exampleFiles embed.FS

type file struct {
	name string
	data []byte
}

// embedded are the files of a folder of the package's own, which can be read, in order of their names.
func embedded(files embed.FS, dir string) (all []file) {
	entries, _ := files.ReadDir(dir)
	for _, f := range entries {
		data, _ := files.ReadFile(dir + "/" + f.Name())
		all = append(all, file{f.Name(), data})
	}
	return all
}

// An Engine is what answers a page's questions.
type Engine string

// The values of an Engine.
const (
	Server Engine = "server" // the server that the page came from
	Wasm   Engine = "wasm"   // explorer.wasm beside the page
)

// policy is the page's content security policy, without what only a header can
// say.
func (e Engine) policy() string {
	p := "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'"
	if e == Wasm {
		p = strings.Replace(p, "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", 1) + "; worker-src 'self'"
	}
	return p
}

// Policy is the content security policy that the server sends.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none';" +
	" form-action 'none'; frame-ancestors 'none'"

// Files returns the page's files by name, "index.html" first of all. The page names the version. Those of
// the engine itself, explorer.wasm and wasm_exec.js, are not among them.
func Files(e Engine, version string) map[string][]byte {
	out := map[string][]byte{"picture.css": []byte(picture.PageStyle()), "catalog.json": catalog(e)}
	entries := embedded(pageFiles, "page")
	for _, f := range entries {
		if worker(f.name) && e != Wasm {
			continue
		}
		if path.Ext(f.name) == ".html" {
			f.data = bytes.ReplaceAll(f.data, []byte("{{engine}}"), []byte(e))
			f.data = bytes.ReplaceAll(f.data, []byte("{{policy}}"), []byte(e.policy()))
			f.data = bytes.ReplaceAll(f.data, []byte("{{preload}}"), preloads(entries))
		}
		out[f.name] = f.data
	}
	stored(out, e, version)
	return out
}

// sizes are those that a picture can have, the widest first.
var sizes = []string{"page", "column", "phone"}

// preloads have the browser ask for all scripts at once, and not when it has read those that
// import them. The editor's own is left out: what is shown first goes before it.
func preloads(scripts []file) []byte {
	var b bytes.Buffer
	for _, f := range scripts {
		switch name := f.name; {
		case path.Ext(name) != ".js", name == "page.js", name == "theme.js", worker(name), name == "codemirror.js":
		default:
			fmt.Fprintf(&b, "<link rel=\"modulepreload\" href=\"%s\">\n", name)
		}
	}
	b.WriteString(`<link rel="preload" href="catalog.json" as="fetch" crossorigin>`)
	return b.Bytes()
}

// worker reports whether a script is of the threads in which the WebAssembly build runs.
func worker(name string) bool {
	return name == "keeper.js" || name == "wasm.js" || name == "worker.js"
}

// stored adds the answers about examples, so that the page shows them without asking, for each size that a
// picture can have: of the first one, and of all where an answer waits for the build. The pictures and the source of the
// first are in the page itself too: they stand before any script has run, where they stand afterwards.
func stored(out map[string][]byte, e Engine, version string) {
	list := examples()
	answers := list[:1]
	if e == Wasm {
		answers = list
	}
	var pictures strings.Builder
	if version == "(devel)" {
		version = "development version"
	}
	fill := map[string]string{"version": version, "example": list[0].Title, "about": list[0].About + ".", "text": list[0].Text}
	for i, one := range answers {
		for _, size := range sizes {
			r := guarded(Request{Text: one.Text, Size: size})
			out[fmt.Sprintf("example-%d-%s.json", i, size)], _ = json.Marshal(r)
			if i > 0 {
				continue
			}
			for _, svg := range r.Pictures {
				svg = trimmed(svg)
				fmt.Fprintf(&pictures, "\n<figure class=\"first %s\"><figcaption></figcaption>%s</figure>", size, svg)
			}
			fill["target"] = r.Target
			if t, err := abi.Lookup(r.Target); err == nil {
				fill["target"] = strings.TrimSpace(r.Target + "  " + t.Generation)
			}
			if len(r.Calls) > 0 {
				fill["call"] = fmt.Sprintf("%s calls %s, line %d", r.Calls[0].Caller, r.Calls[0].Callee, r.Calls[0].Line)
				fill["step"] = fmt.Sprintf("1 of %d. %s", len(r.Calls[0].Steps), r.Calls[0].Steps[0].Text)
			}
		}
	}
	page := out["index.html"]
	for name, text := range fill {
		// Package html would make the WebAssembly build larger.
		text = strings.ReplaceAll(strings.ReplaceAll(text, "&", "&amp;"), "<", "&lt;")
		page = bytes.Replace(page, []byte("{{"+name+"}}"), []byte(text), 1)
	}
	out["index.html"] = bytes.Replace(page, []byte("{{pictures}}"), []byte(pictures.String()), 1)
}

// trimmed is a picture without its first function, whose call can be stepped through: trim of page.js does the same. Its parts
// are rows.
func trimmed(svg string) string {
	var b strings.Builder
	for part := range strings.SplitAfterSeq(strings.TrimSpace(svg), "</svg>\n") {
		if !strings.Contains(part, `<g class="function" data-function="0"`) {
			b.WriteString(`<div class="part">` + strings.TrimSpace(part) + `</div>`)
		}
	}
	return b.String()
}

// A catalogue is what the page has to choose from.
type catalogue struct {
	Targets  []chosen  `json:"targets"`
	Default  string    `json:"default"`
	MaxText  int       `json:"maxText"`
	Examples []example `json:"examples"`
	// MaxBinary is how many bytes of a compiled file are read.
	MaxBinary int `json:"maxBinary"`
	// Producers are the compilers whose declarations can be shown and compared.
	Producers []string `json:"producers"`
	// Rules are those of docs/abi.md as text, by their names.
	Rules map[string]string `json:"rules"`
}

type chosen struct {
	Name       string `json:"name"`
	Generation string `json:"generation"`
	Toolkits   string `json:"toolkits"`
}

type example struct {
	Title string `json:"title"`
	About string `json:"about"`
	Lang  string `json:"lang"`
	Text  string `json:"text"`
}

func catalog(e Engine) []byte {
	c := catalogue{Default: defaultTarget, MaxText: MaxText, Examples: examples(), Rules: map[string]string{}, Producers: layout.ProducerNames()}
	if e == Wasm {
		c.MaxText = MaxLocal
	}
	c.MaxBinary = map[Engine]int{Server: MaxText, Wasm: MaxBinary}[e] // a body for the server is bounded
	for _, t := range abi.Targets() {
		c.Targets = append(c.Targets, chosen{t.Name, t.Generation, t.Toolkits})
	}
	for _, r := range abi.Rules() {
		c.Rules[r.Name] = r.Text
	}
	data, _ := json.MarshalIndent(c, "", " ")
	return data
}

// examples are the files of that folder in order of their names. The first line
// of each is a comment with its title and what it shows:
//
//	// Title. What it shows.
func examples() (all []example) {
	langs := map[string]string{".ptx": "ptx", ".h": "c", ".cu": "c++", ".txt": "go"}
	for _, f := range embedded(exampleFiles, "examples") {
		first, rest, _ := strings.Cut(string(f.data), "\n")
		title, about, _ := strings.Cut(strings.TrimPrefix(first, "// "), ". ")
		all = append(all, example{title, about, langs[path.Ext(f.name)], rest})
	}
	return all
}
