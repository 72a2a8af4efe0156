// Package doccheck checks the texts of the project: the style of comments, messages and documents,
// and the links and shell examples of its Markdown pages. docs/contribute/style.md is the guide.
//
// The tests of this package check the whole module. They walk the folders, so they also run in an
// unpacked archive without git. Other tests use the package to read pages: package app checks the
// command lines and settings in them.
package doccheck
