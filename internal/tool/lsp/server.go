// Package lsp is a language server for PTX: it answers the Language Server Protocol from one reader
// to one writer. Diagnostics are those of package check, places those of package abi.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"golang.org/x/exp/jsonrpc2"

	"github.com/ptxabi/ptxabi/diag"
)

// Options are how a server begins; what a client configures goes before.
type Options struct {
	Target string // architecture; "" for the module's own
	Assume bool   // take one that was not measured
	// Check is [Check] by other means, which stop when the context ends; nil is Check itself, which does not stop.
	Check func(ctx context.Context, text []byte) ([]byte, error)
	// Wait waits, after the client has left, until the analysis ends or is not worth waiting for,
	// where the program ends; nil waits for its end.
	Wait func(ended <-chan struct{})
}

// ErrExit says that the client has left without having asked for a shutdown.
var ErrExit = errors.New("the client has left without a shutdown")

// Serve answers a client until it leaves. The error is ErrExit, or of reading or writing.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	s := &server{check: o.Check, wait: o.Wait, out: out, docs: map[string]*document{}, conf: configuration{Target: o.Target, Assume: o.Assume}, ctx: ctx}
	if s.check == nil {
		s.check = oneByOne()
	}
	return s.serve(in)
}

func (s *server) serve(in io.Reader) error {
	err := s.read(newFrames(in))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.running.Wait()
	}()
	if s.wait != nil {
		s.wait(ended)
	} else {
		<-ended
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = s.failed
	}
	s.failed = ErrExit // of what is still analysed nothing is written
	for _, d := range s.docs {
		d.stop()
	}
	return err
}

type server struct {
	ctx     context.Context
	check   func(ctx context.Context, text []byte) ([]byte, error)
	wait    func(ended <-chan struct{})
	inByte  bool           // positions count bytes
	running sync.WaitGroup // of analyses

	mu       sync.Mutex // of what follows
	out      io.Writer
	failed   error // of writing
	docs     map[string]*document
	conf     configuration
	ready    bool // initialized
	shutdown bool
}

// A document is an open file.
type document struct {
	uri     string
	version *int
	text    *text
	stop    func()    // ends the analysis that runs
	last    *analysis // of some version of it; nil before the first
}

// read handles messages in their order.
func (s *server) read(f frames) error {
	for {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		data, err := f.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		msg, _ := jsonrpc2.DecodeMessage(data)
		req, ok := msg.(*jsonrpc2.Request)
		if !ok {
			continue // no message, or an answer; nothing is asked of clients
		}
		if req.Method == "exit" {
			if !s.shutdown {
				return ErrExit
			}
			return nil
		}
		result, err := s.handle(req)
		if !req.IsCall() {
			continue
		}
		if err != nil {
			data, err = jsonrpc2.EncodeMessage(&jsonrpc2.Response{ID: req.ID, Error: err})
		} else {
			data, err = json.Marshal(reply{"2.0", req.ID.Raw(), result})
		}
		if err != nil {
			return err
		}
		s.write(data)
	}
}

// write writes a message. What fails once is not tried again.
func (s *server) write(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeLocked(data)
}

// writeLocked is write for who holds the mutex.
func (s *server) writeLocked(data []byte) {
	if s.failed == nil {
		s.failed = s.ctx.Err()
	}
	if s.failed == nil {
		_, s.failed = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(data), data)
	}
}

// notNow is what the protocol has for requests before the first, and after the last.
var notNow = jsonrpc2.NewError(-32002, "the server is not initialized, or has been shut down")

// handle does what a request asks, or a notification says.
func (s *server) handle(req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, jsonrpc2.NewError(-32603, fmt.Sprint("internal error: ", p))
		}
	}()
	var p params
	if len(req.Params) > 0 {
		if err := json.Unmarshal(req.Params, &p); err != nil {
			return nil, fmt.Errorf("%w: %s", jsonrpc2.ErrInvalidParams, mistyped(err))
		}
	}
	if req.Method == "initialize" {
		if s.ready {
			return nil, fmt.Errorf("%w: initialize comes twice", jsonrpc2.ErrInvalidRequest)
		}
		return s.initialize(&p), nil
	}
	if !s.ready || s.shutdown {
		return nil, notNow
	}
	switch req.Method {
	case "initialized", "$/cancelRequest", "$/setTrace", "textDocument/didSave":
	case "shutdown":
		s.shutdown = true
	case "textDocument/didOpen":
		s.change(p.TextDocument, func(*text) *text { return newText(p.TextDocument.Text, s.inByte) }, true)
	case "textDocument/didChange":
		s.change(p.TextDocument, func(t *text) *text { return t.apply(p.ContentChanges) }, false)
	case "textDocument/didClose":
		s.mu.Lock()
		if d := s.docs[p.TextDocument.URI]; d != nil {
			d.stop()
			delete(s.docs, p.TextDocument.URI)
		}
		s.mu.Unlock()
		s.write(publication(published{URI: p.TextDocument.URI, Diagnostics: []diagnostic{}}))
	case "workspace/didChangeConfiguration":
		if p.Settings.Ptxabi != nil {
			s.configure(*p.Settings.Ptxabi)
		}
	default:
		answer, ok := answers[req.Method]
		if !ok {
			return nil, fmt.Errorf("%w: %s", jsonrpc2.ErrMethodNotFound, req.Method)
		}
		if a := s.analysed(p.TextDocument.URI); a != nil {
			result = answer(a, &p)
		}
		if err, ok := result.(error); ok {
			return nil, jsonrpc2.NewError(-32803, err.Error()) // RequestFailed
		}
	}
	return result, nil
}

// configure analyses all documents anew as a client wants it.
func (s *server) configure(c configuration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conf = c
	for _, d := range s.docs {
		s.analyse(d)
	}
}

func (s *server) initialize(p *params) json.RawMessage {
	encoding := "utf-16"
	if slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8") {
		encoding, s.inByte = "utf-8", true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := p.InitializationOptions; c != (configuration{}) {
		s.conf = c
	}
	s.ready = true
	return capabilities(encoding)
}

// change gives a document another text. One that is not open is opened, if that may be.
func (s *server) change(of textDocument, next func(*text) *text, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[of.URI]
	if d == nil && open {
		d = &document{uri: of.URI, stop: func() {}}
		s.docs[of.URI] = d
	}
	if d != nil {
		d.text, d.version = next(d.text), of.Version
		s.analyse(d)
	}
}

// publication is the message with the diagnostics of a document.
func publication(p published) []byte {
	data, _ := json.Marshal(notification{"2.0", "textDocument/publishDiagnostics", p}) // nothing in it has no JSON
	return data
}

// analyse has a document analysed in place of what it was before, and publishes what is to be said of it. Its caller
// holds the mutex.
func (s *server) analyse(d *document) {
	d.stop()
	ctx, stop := context.WithCancel(s.ctx)
	d.stop = stop
	t, version, conf := d.text, d.version, s.conf
	s.running.Go(func() {
		defer stop()
		a := s.checked(ctx, d.uri, t, conf)
		if a == nil {
			return
		}
		note := publication(published{d.uri, version, a.diagnostics()})
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() == nil {
			d.last = a
			s.writeLocked(note) // under the mutex, so that no closing comes between
		}
	})
}

// oneByOne is [Check] for this process, where it cannot be stopped: one text after the other, and none that another has
// followed in the meantime.
func oneByOne() func(context.Context, []byte) ([]byte, error) {
	var one sync.Mutex
	return func(ctx context.Context, text []byte) ([]byte, error) {
		one.Lock()
		defer one.Unlock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return Check(text)
	}
}

// checked checks a text; nil where the context ends before. Where the check fails, which is a mistake of ours, a diagnostic says
// so: the client has its other answers, and the next text is checked again.
func (s *server) checked(ctx context.Context, uri string, t *text, conf configuration) *analysis {
	list, err := s.diagnostics(ctx, t)
	if ctx.Err() != nil {
		return nil
	}
	a := newAnalysis(uri, t, conf)
	if a.list = list; err != nil {
		a.list = diag.List{{Pos: diag.Pos{Line: 1, Col: 1}, Code: "Failure", Msg: fmt.Sprint("internal error, this text is not checked: ", err)}}
	}
	return a
}

// diagnostics are those of a text. The error may be that the check panics.
func (s *server) diagnostics(ctx context.Context, t *text) (list diag.List, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	data, err := s.check(ctx, []byte(t.src))
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	return list, err
}

// analysed returns what is known of a document as it is now; nil if it is not open.
func (s *server) analysed(uri string) *analysis {
	s.mu.Lock()
	d := s.docs[uri]
	if d == nil {
		s.mu.Unlock()
		return nil
	}
	t, conf, last := d.text, s.conf, d.last
	s.mu.Unlock()
	if last != nil && last.text == t && last.conf == conf {
		return last
	}
	return newAnalysis(uri, t, conf) // without a check, which takes longer
}

// severities are the protocol's numbers.
var severities = map[diag.Severity]int{diag.Error: 1, diag.Warning: 2, diag.Note: 3}
