package bridge

import "github.com/teeyard/teeyard/internal/safetext"

// Text returns a text that a server sent as one line that is safe to show.
func Text(b []byte) string { return safetext.Line(b) }

// Lines is [Text] for texts of several lines: line feeds and tabs stay.
func Lines(b []byte) string { return safetext.Lines(b) }
