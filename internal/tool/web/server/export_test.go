package server

import "net/http"

// Left returns how many bytes of questions a server that New made has room for.
func Left(s *http.Server) int {
	r := s.Handler.(*handler).room
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}
