package console

import (
	"fmt"
	"strings"
)

// Params are parsed parameters; see Command.Params.
type Params []param

// ParseParams parses parameters. The error wraps ErrCommand.
func ParseParams(s string) (Params, error) {
	p, err := parseParams(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	return p, nil
}

// Parse parses the arguments of a command. The error names the argument that does not match.
func (p Params) Parse(s string) (Args, error) {
	args, _, err := parseArgs(s, p)
	return args, err
}

// Args are the arguments of a call, at most as many as the parameters allow.
type Args []string

// Arg returns argument i, empty if there were fewer.
func (a Args) Arg(i int) string {
	if i < 0 || i >= len(a) {
		return ""
	}
	return a[i]
}

// Int returns argument i as an integer; see [Call.Int].
func (a Args) Int(i int) int { return parseInt(a.Arg(i)) }

// Float returns argument i as a number; see [Call.Float].
func (a Args) Float(i int) float64 { return parseFloat(a.Arg(i)) }

// SplitNames returns the names in the value of a variable that lists some.
func SplitNames(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(";, \t", r) })
}
