package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// needsShell skips a test where a file with a first line #! is no program.
func needsShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the tools of this test are shell scripts")
	}
}

// fakeToolkit writes shell scripts that answer as ptxas and nvdisasm do.
func fakeToolkit(t *testing.T, dir, version, ptx string, targets, disassembles []string) {
	t.Helper()
	needsShell(t)
	require.NoError(t, os.MkdirAll(dir, 0o777))
	script := fmt.Sprintf(`#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release %[1]s, V%[1]s";;
--help) echo "Allowed values: 'compute_99',%[2]s, 'lto_99'.";;
*) echo "ptxas x, line 1; fatal : Unsupported .version 99.9; current version is '%[3]s'" >&2; exit 255;;
esac
`, version, "'sm_"+strings.Join(targets, "','sm_")+"'", ptx)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ptxas"), []byte(script), 0o777))
	if disassembles == nil {
		return
	}
	script = fmt.Sprintf("#!/bin/sh\necho \"Allowed values: %s.\"\n", "'SM"+strings.Join(disassembles, "','SM")+"'")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nvdisasm"), []byte(script), 0o777))
}

func versions(tools *Tools) string {
	var all []string
	for _, tk := range tools.Toolkits {
		all = append(all, tk.String())
	}
	return strings.Join(all, ", ")
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	old, newer, third := filepath.Join(dir, "kits", "a", "bin"), filepath.Join(dir, "kits", "b"), filepath.Join(dir, "third", "bin")
	fakeToolkit(t, old, "11.8.89", "7.8", []string{"35", "90"}, []string{"35", "90"})
	fakeToolkit(t, newer, "13.0.88", "9.0", []string{"90", "100", "90a"}, []string{"90", "90a"})
	fakeToolkit(t, third, "12.4.131", "8.4", []string{"50", "90"}, nil)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "empty"), 0o777))

	t.Run("parent, folder with bin, and path", func(t *testing.T) {
		env := filepath.Join(dir, "kits") + string(os.PathListSeparator) + filepath.Join(dir, "third")
		tools, err := find(EnvVar, env, old, []string{filepath.Join(dir, "th*", "bin")})
		require.NoError(t, err)
		assert.Equal(t, "ptxas 11.8.89, ptxas 12.4.131, ptxas 13.0.88", versions(tools))
		assert.Empty(t, tools.Clangs)

		first, last := tools.Toolkits[0], tools.Toolkits[2]
		assert.Equal(t, filepath.Join(old, "ptxas"), first.Ptxas)
		assert.Equal(t, filepath.Join(old, "nvdisasm"), first.Nvdisasm)
		assert.Empty(t, first.Nvlink)
		assert.Equal(t, []string{"sm_90", "sm_90a", "sm_100"}, last.Targets)
		assert.Equal(t, ptx.Version{Major: 9, Minor: 0}, last.PTX)
	})
	t.Run("disassemblers are lent", func(t *testing.T) {
		tools, err := find(EnvVar, filepath.Join(dir, "kits"), third, nil)
		require.NoError(t, err)
		first, second, last := tools.Toolkits[0], tools.Toolkits[1], tools.Toolkits[2]
		assert.Equal(t, filepath.Join(old, "nvdisasm"), disassemblerOf(first), "its own before a newer one")
		assert.Equal(t, filepath.Join(newer, "nvdisasm"), disassemblerOf(second), "the newest")
		assert.Empty(t, second.Nvdisasm)
		assert.False(t, second.Measures("sm_50"), "no disassembler")
		assert.False(t, second.Measures("sm_35"), "not assembled for")
		assert.True(t, last.Measures("sm_90a"))
		assert.False(t, last.Measures("sm_100"))
	})
	t.Run("one version twice", func(t *testing.T) {
		again := filepath.Join(dir, "again")
		fakeToolkit(t, again, "11.8.89", "7.8", []string{"35"}, nil)
		tools, err := find(EnvVar, old, again, nil)
		require.NoError(t, err)
		assert.Equal(t, "ptxas 11.8.89", versions(tools))
		assert.Equal(t, filepath.Join(old, "ptxas"), tools.Toolkits[0].Ptxas)
	})
	t.Run("problems do not hide the rest", func(t *testing.T) {
		broken := filepath.Join(dir, "broken")
		require.NoError(t, os.MkdirAll(broken, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(broken, "ptxas"), []byte("#!/bin/sh\nexit 1\n"), 0o777))
		env := strings.Join([]string{filepath.Join(dir, "empty"), broken, old}, string(os.PathListSeparator))
		tools, err := find(EnvVar, env, "", nil)
		assert.ErrorContains(t, err, fmt.Sprintf("PTXABI_ORACLE: no ptxas in %q", filepath.Join(dir, "empty")))
		assert.ErrorContains(t, err, "--version")
		assert.Equal(t, "ptxas 11.8.89", versions(tools))
	})
	t.Run("nothing", func(t *testing.T) {
		tools, err := find(EnvVar, "", filepath.Join(dir, "empty"), nil)
		require.NoError(t, err)
		assert.Empty(t, tools.Toolkits)
	})
}

func TestFindClang(t *testing.T) {
	needsShell(t)
	dir := t.TempDir()
	for name, script := range map[string]string{
		"clang-17": `case "$1" in --print-targets) echo nvptx64;; *) echo "X clang version 17.0.6 (1)";; esac`,
		"clang-19": `case "$1" in --print-targets) echo nvptx64;; *) echo "clang version 19.1.7";; esac`,
		"clang-18": `case "$1" in --print-targets) echo x86-64;; *) echo "clang version 18.1.0";; esac`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777))
	}
	require.NoError(t, os.Symlink("clang-19", filepath.Join(dir, "clang")))
	tools, err := find(EnvVar, "", dir, []string{dir})
	require.NoError(t, err)
	require.Len(t, tools.Clangs, 2)
	assert.Equal(t, Clang{Path: filepath.Join(dir, "clang-17"), Version: "17.0.6", Major: 17}, *tools.Clangs[0])
	assert.Equal(t, Clang{Path: filepath.Join(dir, "clang"), Version: "19.1.7", Major: 19}, *tools.Clangs[1])
}

func disassemblerOf(t *Toolkit) string {
	path, _ := t.Disassembler("sm_90")
	return path
}
