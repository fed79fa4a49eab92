package web_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// TestFiles checks that the page needs nothing but its own files, and that its
// policy allows nothing else.
func TestFiles(t *testing.T) {
	outside := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)
	inline := regexp.MustCompile(`(?i)<script(?:>| [^>]*[^>c]>)[^<]|<style| style=| on[a-z]+=`)
	for _, e := range []web.Engine{web.Server, web.Wasm} {
		files := web.Files(e, "v1")
		for name, data := range files {
			text := strings.ReplaceAll(string(data), "http://www.w3.org/2000/svg", "")
			text = regexp.MustCompile(`(<a href="|const href = \x60)https://github\.com/ptxabi/ptxabi`).ReplaceAllString(text, "$1") // what the reader may follow
			if !strings.HasSuffix(name, ".json") {
				assert.Empty(t, outside.FindAllString(text, -1), name)
			}
			if strings.HasSuffix(name, ".html") {
				assert.Empty(t, inline.FindAllString(text, -1), name)
				assert.NotContains(t, text, "{{")
			}
		}
		page := string(files["index.html"])
		for _, m := range regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "https://github.com/ptxabi/ptxabi") {
				_, there := files[m[1]]
				assert.True(t, there, m[1])
			}
		}
		assert.Contains(t, page, `data-engine="`+string(e)+`"`)
		assert.Equal(t, e == web.Wasm, strings.Contains(page, "wasm-unsafe-eval"))
		for _, name := range []string{"keeper.js", "wasm.js", "worker.js"} {
			_, there := files[name]
			assert.Equal(t, e == web.Wasm, there, name)
		}
		assert.NotContains(t, page+web.Policy, "unsafe-inline")
	}
}

// TestPictureStyle checks that the style that the page serves is that of
// pictures, with the dark rules below the page's own attribute.
func TestPictureStyle(t *testing.T) {
	files := web.Files(web.Server, "v1")
	got := string(files["picture.css"])
	assert.NotContains(t, got, "prefers-color-scheme")
	assert.Equal(t, strings.Count(picture.Style, "{")+16, strings.Count(got, "{")) // eight hues, in both themes
	assert.Contains(t, got, "\n.hue.c0{--fill:#77aadd;--edge:#2d5f93}\n")
	assert.Contains(t, got, "\n:root[data-theme=dark] .hue.c7{")
	assert.Equal(t, strings.Count(got, "{"), strings.Count(got, "}"))
	assert.Contains(t, got, "\n:root[data-theme=dark] .ptxabi-picture .c7{")
	for line := range strings.Lines(picture.Style) {
		if rule := strings.TrimSpace(line); strings.HasPrefix(rule, ".ptxabi-picture") {
			if !strings.Contains(got, rule) {
				t.Errorf("the rule %s is missing", rule)
			}
		}
	}
}

// TestStored checks that the page comes with the answers about its examples: the server's with that about the first one.
func TestStored(t *testing.T) {
	stored := map[web.Engine]int{}
	for _, engine := range []web.Engine{web.Wasm, web.Server} {
		files := web.Files(engine, "v1")
		for i, e := range examples(t) {
			for _, size := range []string{"page", "column", "phone"} {
				got, ok := files[fmt.Sprintf("example-%d-%s.json", i, size)]
				if !ok {
					continue
				}
				stored[engine]++
				want, err := json.Marshal(web.Answer(web.Request{Text: e.Text, Size: size}))
				require.NoError(t, err)
				assert.JSONEq(t, string(want), string(got))
			}
		}
	}
	assert.Equal(t, map[web.Engine]int{web.Wasm: 3 * len(examples(t)), web.Server: 3}, stored)
}
