package console

import "strings"

// IsEndMark reports whether a line is what Teeyard's clients send after a command to find the end
// of its output; see RconRun in package client. Consoles repeat it, as an unknown command or after
// echo. Those of Teeyard do so without a line in the log. The line runs nothing, so it hides
// nothing.
func IsEndMark(line string) bool {
	digits, ok := strings.CutPrefix(line, "end-")
	return ok && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}

// RefusalNote returns a line for programs that follows the output of a line with a warning, before
// the end mark. The output alone does not tell programs about a failure.
func RefusalNote(warning string) string { return "refused: " + warning }
