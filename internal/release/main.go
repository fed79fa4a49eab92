// Release builds what is handed out of a version, for those who have no Go:
//
//	go run ./internal/release -version 1.2.3 -o OUT
//
// OUT gets archives with static binaries, a wheel and, for linux, a Debian package of each
// platform, a package for npm, a Containerfile, a bill of materials and SHA256SUMS; docs/install.md
// describes them. It runs in a clone of the repository and publishes nothing. The same files at the same
// version by the same release of Go make the same bytes.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Getenv)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(0)
	case err != nil:
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer, getenv func(string) string) error {
	set := flag.NewFlagSet("release", flag.ContinueOnError)
	set.SetOutput(stdout)
	out := set.String("o", "", "the folder to make; it must not be there, or be empty")
	text := set.String("version", "0.0.0-dev", "the version: 1.2.3, or before it 1.2.3-dev, -alpha.1, -beta.1 or -rc.1")
	names := set.String("platforms", "all", "what to build for: all, host, or a list as linux/amd64,darwin/arm64")
	if err := set.Parse(args); err != nil {
		return err
	}
	switch {
	case set.NArg() > 0:
		return fmt.Errorf("%q is not a flag; -h lists them", set.Arg(0))
	case *out == "":
		return errors.New("no -o: the folder to make is not named")
	}
	v, err := parseVersion(*text)
	if err != nil {
		return err
	}
	platforms, err := parsePlatforms(*names)
	if err != nil {
		return err
	}
	when, err := buildTime(getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	// The programs and the go command run in other folders.
	dist, err := filepath.Abs(*out)
	if err != nil {
		return err
	}
	b := &build{version: v, time: when, root: root, platforms: platforms}
	return b.into(dist, stdout)
}

// A build is of one version for several platforms.
type build struct {
	version   version
	time      time.Time // that all files in archives have
	root      string    // of the module
	platforms []platform
}

// into builds everything, and makes the folder when nothing is missing.
func (b *build) into(out string, stdout io.Writer) (err error) {
	if list, err := os.ReadDir(out); err == nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty: the files of another build would look like ones of this", out)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(out)), 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(filepath.Clean(out)), ".release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	files, err := b.files(work)
	if err != nil {
		return err
	}
	dist := filepath.Join(work, "dist")
	if err := os.Mkdir(dist, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dist, name), files[name], 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(files[name]), name)
		fmt.Fprintf(stdout, "%10d  %s\n", len(files[name]), name)
	}
	if err := os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums.String()), 0o666); err != nil {
		return err
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(dist, out)
}

// files builds everything that is handed out, by name. The folder is for what is made on the way.
func (b *build) files(work string) (map[string][]byte, error) {
	shared, err := b.common(work)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	var all []binary
	for _, p := range b.platforms {
		bins, err := b.binaries(work, p)
		if err != nil {
			return nil, err
		}
		all = append(all, bins...)
		forms := []func(platform, []binary, *common) (string, []byte, error){b.archive, b.wheel}
		if p.os == "linux" {
			forms = append(forms, b.debian)
			out["Containerfile"] = []byte(b.containerfile())
		}
		for _, form := range forms {
			name, data, err := form(p, bins, shared)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			out[name] = data
		}
	}
	name, data, err := b.npm(work, shared)
	if err != nil {
		return nil, err
	}
	out[name] = data
	out["ptxabi-"+b.version.String()+".cdx.json"], err = b.materials(all)
	return out, err
}

// buildTime is what SOURCE_DATE_EPOCH says, in seconds since 1970; without it the first moment
// that a zip archive can hold.
func buildTime(epoch string) (time.Time, error) {
	first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	if epoch == "" {
		return first, nil
	}
	n, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return first, fmt.Errorf("SOURCE_DATE_EPOCH=%s is not a number of seconds", epoch)
	}
	when := time.Unix(n, 0).UTC()
	if when.Before(first) || when.Year() > 2107 {
		return first, fmt.Errorf("SOURCE_DATE_EPOCH=%s is in %d; zip archives hold 1980 to 2107", epoch, when.Year())
	}
	return when, nil
}

// moduleRoot is the folder of this module's go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", reason(err))
	}
	path, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if path != module {
		return "", fmt.Errorf("the module here is %s: release runs in a clone of %s", path, module)
	}
	return dir, nil
}

const module = "github.com/ptxabi/ptxabi"

// reason is the error of a command with what it printed.
func reason(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}

// A platform is one that binaries are built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// exe is the name of a binary.
func (p platform) exe(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

var platforms = []platform{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func parsePlatforms(text string) ([]platform, error) {
	switch text {
	case "all":
		return platforms, nil
	case "host":
		text = runtime.GOOS + "/" + runtime.GOARCH
	}
	var list []platform
	for name := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is none of the platforms: %v", name, platforms)
		}
		if !slices.Contains(list, platforms[i]) {
			list = append(list, platforms[i])
		}
	}
	return list, nil
}
