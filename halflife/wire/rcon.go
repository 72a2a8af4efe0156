package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxPrint is the longest text of a print message in bytes. With its header and two NULs it takes
// MaxDatagram bytes.
const MaxPrint = MaxDatagram - 4 - 1 - 2

// MaxRcon is the longest rcon request in bytes.
const MaxRcon = 512

// MaxPassword is the longest rcon password in bytes.
const MaxPassword = 64

// ErrPassword is returned for passwords that cannot be sent.
var ErrPassword = errors.New("halflife: unusable rcon password")

// ErrCommand is returned for commands that are too long or have several lines.
var ErrCommand = errors.New("halflife: unusable rcon command")

// CheckPassword returns an error that wraps ErrPassword if clients cannot send the rcon password.
// Clients send it in quotes and escape nothing, so it may contain spaces but no quotes. XQF and
// some other programs send no quotes. Such programs can send a password with spaces only if the
// user types the quotes.
func CheckPassword(password string) error {
	if len(password) > MaxPassword {
		return fmt.Errorf("%w: it has %d bytes; the limit is %d", ErrPassword, len(password), MaxPassword)
	}
	return checkQuotable(password)
}

// checkQuotable returns an error if the password cannot be sent in quotes.
func checkQuotable(password string) error {
	switch {
	case password == "":
		return fmt.Errorf("%w: it is empty", ErrPassword)
	case strings.ContainsFunc(password, func(r rune) bool { return r < ' ' || r == '"' || r == 0x7f }):
		return fmt.Errorf("%w: it contains a quote or a control character", ErrPassword)
	}
	return nil
}

// The range of rcon challenges. Clients expect a signed 32-bit number of at least nine digits.
const (
	MinRconChallenge = 100000000
	MaxRconChallenge = 1<<31 - 1
)

const rconChallengePrefix = "challenge rcon "

// AppendRconChallenge appends the answer to "challenge rcon".
func AppendRconChallenge(dst []byte, challenge uint32) []byte {
	dst = append(append(dst, header...), rconChallengePrefix...)
	dst = strconv.AppendUint(dst, uint64(challenge), 10)
	return append(dst, '\n', 0)
}

// ParseRconChallenge reads an answer made by AppendRconChallenge.
func ParseRconChallenge(b []byte) (challenge uint32, err error) {
	if !IsDatagram(b) || len(b) < 4+len(rconChallengePrefix) || string(b[4:4+len(rconChallengePrefix)]) != rconChallengePrefix {
		return 0, formatError("rcon challenge", b)
	}
	word, _ := firstWord(firstLine(b[4+len(rconChallengePrefix):]))
	challenge, ok := parseUint32(word)
	if !ok {
		return 0, formatError("rcon challenge", b)
	}
	return challenge, nil
}

// parseUint32 reads an unsigned 32-bit decimal number.
func parseUint32(b []byte) (n uint32, ok bool) {
	if len(b) == 0 || len(b) > 10 {
		return 0, false
	}
	v := uint64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return uint32(v), v <= 1<<32-1
}

// Rcon is a request to run a command. Its slices refer to the datagram that it was parsed from.
type Rcon struct {
	// Challenge is the number that the server sent.
	Challenge uint32
	// Password is the rcon password.
	Password []byte
	// Command is the line to run; it may be empty.
	Command []byte
}

// AppendRcon appends a request to run a command, with the password in quotes. The error wraps
// ErrPassword for a password that cannot be quoted. It wraps ErrCommand for a command with several
// lines, or one that makes the request longer than MaxRcon.
func AppendRcon(dst []byte, challenge uint32, password, command string) ([]byte, error) {
	if err := checkQuotable(password); err != nil {
		return dst, err
	}
	if strings.ContainsAny(command, "\x00\n\r") {
		return dst, fmt.Errorf("%w: it has more than one line", ErrCommand)
	}
	start := len(dst)
	dst = append(append(dst, header...), "rcon "...)
	dst = strconv.AppendUint(dst, uint64(challenge), 10)
	dst = append(append(append(dst, ` "`...), password...), '"')
	if command != "" {
		dst = append(append(dst, ' '), command...)
	}
	if n := len(dst) - start; n > MaxRcon {
		return dst[:start], fmt.Errorf("%w: command and password take %d bytes; the limit is %d", ErrCommand, n, MaxRcon)
	}
	return dst, nil
}

// ParseRcon reads a request to run a command without allocating. The password may be in quotes. The
// command is the rest of the line, unchanged.
func ParseRcon(b []byte) (r Rcon, err error) {
	if ParseRequest(b).Kind != RequestRcon {
		return r, errRcon
	}
	_, rest := firstWord(firstLine(b[4:]))
	word, rest := firstWord(rest)
	challenge, ok := parseUint32(word)
	if !ok || len(rest) == 0 {
		return r, errRcon
	}
	r.Challenge = challenge
	if rest[0] != '"' {
		r.Password, r.Command = firstWord(rest)
		return r, nil
	}
	password, rest, found := bytes.Cut(rest[1:], []byte{'"'})
	if !found {
		return r, errRcon
	}
	r.Password, r.Command = password, skipSpace(rest)
	return r, nil
}

// errRcon does not show the datagram, since it contains a password.
var errRcon = fmt.Errorf("%w: expected rcon request", ErrFormat)

// AppendPrint appends output of the remote console (A2C_PRINT, 'l'), with the two NULs that clients
// remove. The text must not exceed MaxPrint bytes.
func AppendPrint(dst []byte, text string) []byte {
	return append(append(append(append(dst, header...), kindPrint), text...), 0, 0)
}

// ParsePrint reads output of a remote console and removes its NULs. The text is not safe to show in
// a terminal.
func ParsePrint(b []byte) (text []byte, err error) {
	if messageKind(b) != kindPrint {
		return nil, formatError("print", b)
	}
	return bytes.TrimRight(b[5:], "\x00"), nil
}

// AppendRefused appends the answer to an rcon request without a valid challenge ('9').
func AppendRefused(dst []byte, reason string) []byte {
	return append(append(append(append(dst, header...), kindRconRefused), reason...), 0)
}

// ParseRefused reads an answer made by AppendRefused. A refusal means that the command was not run
// and that the client needs a new challenge.
func ParseRefused(b []byte) (reason []byte, err error) {
	if messageKind(b) != kindRconRefused {
		return nil, formatError("refusal", b)
	}
	return bytes.TrimRight(b[5:], "\x00"), nil
}
