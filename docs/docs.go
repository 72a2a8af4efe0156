// Package docs contains the documentation of the project, as Markdown.
package docs

import "embed"

// Files are the pages by their path, such as protocol/join.md. They have no pictures.
//
//go:embed *.md */*.md
var Files embed.FS
