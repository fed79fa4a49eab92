// Package server serves the explorer over HTTP: one page, and the answers to
// its questions. It reads no file and opens no connection on a request's
// behalf, and keeps nothing between requests.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/internal/cli/workers"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// MaxBody is the size of the largest request body, in bytes: a text with every
// byte escaped as JSON has it costs more than its size, but not this much.
const MaxBody = 2*web.MaxText + 4096

// MaxMemory is how much memory a process that makes answers may have, in bytes.
const MaxMemory = 144 << 20

// Options are the options of the program that serves. The zero value is what a program
// should use.
type Options struct {
	// Version is what the page calls the program's.
	Version string
	// Names are the host names, beside localhost and IP addresses, by which the
	// page may be called.
	Names []string
	// Deadline is how long an answer may take; 0 means 10 seconds. What takes
	// longer is refused, and the context that Answer has ends.
	Deadline time.Duration
	// AtOnce is how many answers may be in the making; 0 means 4.
	AtOnce int
	// Held is how many bytes of questions may be held at once, those that are
	// still arriving included; 0 means 32 MiB. It is no smaller than [MaxBody].
	Held int
	// HeaderTimeout and ReadTimeout are how long a client may take for the
	// head of a request and for all of it; 0 means 5 and 15 seconds.
	HeaderTimeout, ReadTimeout time.Duration
	// Answer answers questions. Its context ends when nothing waits for the answer any more:
	// a [workers.Pool] stops then. Nil, which is [web.AnswerJSON] in this process, does not, and
	// is waited for.
	Answer func(context.Context, []byte) ([]byte, error)
}

// New returns a server that is ready to serve a listener.
func New(o Options) *http.Server {
	if o.Answer == nil {
		o.Answer = func(_ context.Context, q []byte) ([]byte, error) { return web.AnswerJSON(q) }
	}
	h := &handler{
		Options: o, files: web.Files(web.Server, o.Version),
		slots: make(chan struct{}, cmp.Or(o.AtOnce, 4)),
		room:  newRoom(max(cmp.Or(o.Held, 32<<20), MaxBody)),
	}
	h.Deadline = cmp.Or(o.Deadline, 10*time.Second)
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: cmp.Or(o.HeaderTimeout, 5*time.Second),
		ReadTimeout:       cmp.Or(o.ReadTimeout, 15*time.Second),
		WriteTimeout:      h.Deadline + 20*time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // what clients do wrong is theirs to know
	}
	// The library's own answer to OPTIONS * would lack the policy.
	s.DisableGeneralOptionsHandler = true
	return s
}

// Run serves until the context ends, and then lets what is in the making finish
// for two seconds. The error is nil where only the context ended it.
func Run(ctx context.Context, s *http.Server, l net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	rest, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.Shutdown(rest); err != nil {
		s.Close() // what has not finished by now is cut off
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type handler struct {
	Options
	files map[string][]byte
	slots chan struct{}
	room  *room
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", web.Policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	switch {
	case !h.knows(r.Host):
		refuse(w, http.StatusMisdirectedRequest, "this explorer is not called that: use the address that it printed or an IP address, or start it with -addr NAME:PORT")
	case foreign(r):
		refuse(w, http.StatusForbidden, "another page asks: only the explorer's own may")
	case r.URL.Path == "/answer":
		h.answer(w, r)
	default:
		h.file(w, r)
	}
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, why)
}

// knows reports whether the page may be called by a host. A name that a page
// else made point here is not among them, so that their page cannot read what
// this one says; nor is "localhost.", which resolvers ask name servers for.
// Ports may differ, as behind a tunnel.
func (h *handler) knows(host string) bool {
	name := strings.ToLower(host)
	if bare, _, err := net.SplitHostPort(name); err == nil {
		name = bare
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" {
		return true
	}
	return slices.ContainsFunc(h.Names, func(known string) bool { return name == strings.ToLower(known) })
}

// foreign reports whether a request comes from another origin's page.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	// A link from elsewhere may lead here.
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method != http.MethodGet || r.URL.Path != "/"
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
}

func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	data, ok := h.files[name]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "there is nothing here; the explorer is at /")
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "the page is only to be read")
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		w.Write(data)
	}
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "questions are posted")
		return
	}
	// A form of another page can post without asking, but not this type.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "questions are application/json")
		return
	}
	question, g := h.read(w, r)
	if g == nil {
		return
	}
	defer h.room.leave(g)
	ctx, cancel := context.WithTimeout(r.Context(), h.Deadline)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		busy(w, "the explorer is busy with other questions")
		return
	}
	switch text, err := h.Answer(ctx, question); {
	case ctx.Err() != nil: // or what asked has gone, and reads nothing
		busy(w, fmt.Sprintf("no answer within %v; the command has no such limit", h.Deadline))
	case errors.Is(err, workers.ErrEnded):
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("no answer: the text needs more than the %d MiB of memory that the explorer has for one, or it is a defect of ptxabi; the command has no such limit", MaxMemory>>20))
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	}
}

func busy(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, why)
}
