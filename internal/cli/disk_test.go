package cli_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
)

func TestReason(t *testing.T) {
	dir := t.TempDir()
	_, err := os.Open(filepath.Join(dir, "x"))
	assert.NotContains(t, disk.Reason(err).Error(), dir)
	err = os.Rename(filepath.Join(dir, "x"), filepath.Join(dir, "y"))
	assert.NotContains(t, disk.Reason(err).Error(), dir)
	other := errors.New("other")
	assert.Equal(t, other, disk.Reason(other))
	assert.NoError(t, disk.Reason(nil))
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	f, err := disk.CreateBeside(filepath.Join(dir, "x.go"))
	require.NoError(t, err)
	assert.Equal(t, dir, filepath.Dir(f.Name()))
	assert.Regexp(t, `^\.x\.go\.[0-9a-z]+\.tmp$`, filepath.Base(f.Name()))
	_, err = f.WriteString("text")
	require.NoError(t, err)
	require.NoError(t, f.Close())

	for dir, name := range map[disk.System]string{disk.System(dir): filepath.Base(f.Name()), "": filepath.ToSlash(f.Name()), "elsewhere": filepath.ToSlash(f.Name())} {
		in, err := dir.Open(name)
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
		require.NoError(t, in.Close())
	}
	_, err = disk.System("").Open(filepath.ToSlash(dir))
	assert.EqualError(t, err, "is a directory; name files in it")
	_, err = disk.System(dir).Open("no")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = disk.CreateBeside(filepath.Join(dir, "no", "x"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// TestIrregular checks that what is not a regular file is refused before it is opened: a pipe waits for
// ever, and a device may have no end.
func TestIrregular(t *testing.T) {
	for _, name := range []string{"/dev/zero", "/dev/null", t.TempDir()} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		_, err := disk.Open(name)
		assert.Error(t, err, name)
		_, err = disk.ReadFile(name)
		assert.Error(t, err, name)
		_, err = disk.System("").Open(name)
		assert.Error(t, err, name)
	}
	file := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	link := filepath.Join(t.TempDir(), "link")
	if os.Symlink(file, link) == nil {
		data, err := disk.ReadFile(link)
		require.NoError(t, err)
		assert.Equal(t, "text", string(data))
	}
	if os.Symlink("/dev/zero", link+"0") == nil {
		_, err := disk.ReadFile(link + "0")
		assert.Error(t, err)
	}
}
