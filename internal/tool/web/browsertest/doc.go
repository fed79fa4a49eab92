// Package browsertest tries the explorer in a real browser, Chromium without a
// window. It is a module of its own, so that the library does not depend on what
// drives the browser:
//
//	cd internal/tool/web/browsertest && go test ./...
//
// Where no Chromium is found the tests are skipped and say so; CHROMIUM names
// another binary than chromium and google-chrome. PTXABI_SCREENSHOTS names a
// folder for screenshots, in both themes, of a phone and of a desktop.
package browsertest
