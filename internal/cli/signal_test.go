package cli_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
)

// TestMain is a process that waits with a temporary file where TestInterrupted starts it.
func TestMain(m *testing.M) {
	if path := os.Getenv("PTXABI_TEST_BESIDE"); path != "" {
		_, err := disk.CreateBeside(path)
		fmt.Println("made", err)
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestInterrupted interrupts and terminates processes while they have a file beside another one: it is removed, and the
// other one stays.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt another there")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			continue // under nohup, as for the processes that it starts
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "PTXABI_TEST_BESIDE="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "made <nil>\n", line)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, files, 2)
		require.NoError(t, cmd.Process.Signal(s))
		exit := (*exec.ExitError)(nil)
		require.True(t, errors.As(cmd.Wait(), &exit))
		assert.Equal(t, 128+int(s), exit.ExitCode())
		files, err = os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, files, 1)
		assert.Equal(t, "x", files[0].Name())
	}
}
