package main

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// editor reads lines from the terminal, with history. What is written meanwhile appears
// above the line that is being typed.
type editor struct {
	*term.Terminal
	state         *term.State
	width, height int

	// Passwords are shown as stars. secretPrefix is what they come after, "" for none.
	secretPrefix string
	secret       []rune
}

// openEditor puts the terminal into raw mode until close is called. It returns nil if input
// or output is no terminal.
func openEditor(prompt, secretPrefix string) (*editor, error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return nil, nil
	}
	state, err := term.MakeRaw(in)
	if err != nil {
		return nil, err
	}
	e := newEditor(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stdout}, prompt, secretPrefix)
	e.state = state
	return e, nil
}

func newEditor(rw io.ReadWriter, prompt, secretPrefix string) *editor {
	e := &editor{Terminal: term.NewTerminal(rw, prompt), secretPrefix: secretPrefix}
	e.AutoCompleteCallback = e.hideSecret
	return e
}

// close removes the prompt and leaves raw mode.
func (e *editor) close() {
	io.WriteString(os.Stdout, "\r\x1b[K")
	term.Restore(int(os.Stdin.Fd()), e.state)
}

// Write prints text above the line that is being typed.
func (e *editor) Write(b []byte) (int, error) {
	e.resize()
	return e.Terminal.Write(b)
}

// resize learns the size of the terminal's window.
func (e *editor) resize() {
	if w, h, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 && (w != e.width || h != e.height) {
		e.width, e.height = w, h
		e.SetSize(w, h)
	}
}

// ReadLine returns the next line. io.EOF stands for Ctrl-C and Ctrl-D, too.
func (e *editor) ReadLine() (string, error) {
	e.resize()
	e.secret = nil
	line, err := e.Terminal.ReadLine()
	if err == term.ErrPasteIndicator {
		err = nil
	}
	if stars, ok := e.stars(line); ok && stars == len(e.secret) {
		line = e.secretPrefix + string(e.secret)
	}
	return line, err
}

// stars returns how many characters follow the prefix of a line with a password.
func (e *editor) stars(line string) (n int, ok bool) {
	rest, ok := strings.CutPrefix(line, e.secretPrefix)
	return utf8.RuneCountInString(rest), ok && e.secretPrefix != ""
}

// hideSecret is called with the line and the position in bytes for keys that may be typed
// into it.
func (e *editor) hideSecret(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	n, ok := e.stars(line)
	if !ok || pos != len(line) || key < ' ' || key >= 0xd800 && key < 0xe000 {
		return "", 0, false
	}
	e.secret = append(e.secret[:min(n, len(e.secret))], key)
	return line + "*", pos + 1, true
}
