// Package browsertest tries the explorer in a real browser, Chromium without a
// window. It is a module of its own, so that the library does not depend on what
// drives the browser:
//
//	cd internal/tool/web/browsertest && go test ./...
//
// What a reader does and sees is in testdata/script, a file for each thing that is
// tried; TestScripts says what stands in one, and PTXABI_UPDATE=1 writes what the
// page shows now. In Go is what measures.
//
// Where no Chromium is found the tests are skipped and say so; CHROMIUM names
// another binary than chromium and google-chrome. PTXABI_SCREENSHOTS names a
// folder for screenshots, in both themes, of a phone and of a desktop. With
// PTXABI_TIMES=1 -run Keys measures the longest task of the page's thread from a
// key to the whole answer: less than 50 ms, and less than 100 where the whole text
// is replaced. PTXABI_AXE names axe.min.js, which then looks for violations, and
// PTXABI_SLOWDOWN=6 slows the pages down.
package browsertest
