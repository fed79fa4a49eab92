// Package report writes diagnostics in the forms that other programs read: JSON, SARIF, and what GitHub and
// GitLab show.
package report
