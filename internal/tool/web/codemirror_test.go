package web_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestBundle checks that the editor's bundle has the versions that its folder names, with their
// licences, and in the gate that it is what they make.
func TestBundle(t *testing.T) {
	bundle := must.Read(t, "page/codemirror.js")
	data := must.Read(t, "codemirror/package-lock.json")
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	require.NoError(t, json.Unmarshal(data, &lock))
	made := regexp.MustCompile(`(?m)^(\S+) (\S+): Copyright \(C\) \d.*$`).FindAllStringSubmatch(string(bundle), -1)
	require.Greater(t, len(made), 4)
	for _, m := range made {
		assert.Equal(t, lock.Packages["node_modules/"+m[1]].Version, m[2], m[1])
	}
	assert.Contains(t, string(bundle), "Permission is hereby granted, free of charge")

	if !effort.Long() {
		return
	}
	for _, name := range []string{"npm", "node"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed here: the bundle is not made again")
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"build.js", "main.js", "package.json", "package-lock.json"} {
		data := must.Read(t, "codemirror/"+name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("the packages cannot be installed here: the bundle is not made again: %v\n%s", err, out)
	}
	build := exec.Command("node", "build.js", "made.js")
	build.Dir = dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	again := must.Read(t, filepath.Join(dir, "made.js"))
	if string(again) != string(bundle) {
		t.Error("page/codemirror.js is not what internal/tool/web/codemirror makes: npm ci && npm run build there makes it again")
	}
}
