package app

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
	"github.com/teeyard/teeyard/transport/ws"
)

type rconCmd struct {
	Host           string   `arg:"" help:"Server, as host, host:port, tw-0.7+udp://host:port, ddnet://host:port or ws://host:port."`
	Command        []string `arg:"" optional:"" passthrough:"" help:"Words of one command, or quoted commands. By default the terminal or the input is read."`
	ServerPassword string   `help:"Password of the server, if it has one." env:"TEEYARD_PASSWORD"`
	PasswordFile   string   `help:"File with the password in its first line." type:"existingfile" placeholder:"FILE"`
	Name           string   `help:"Name for the login, on servers with accounts (DDNet)."`
	Protocol       string   `help:"Protocol of the console: halflife, game, econ or auto." enum:"auto,halflife,game,econ" default:"auto"`
}

func (rconCmd) Help() string {
	return `The password is read from TEEYARD_RCON_PASSWORD, from the first line of --password-file, or from the
terminal. It is not an argument, since all users of a machine can see arguments.

  teeyard rcon localhost say hello everybody
  teeyard rcon localhost "sv_scorelimit 30" "say up to 30 now"
  teeyard rcon localhost "status; tune gravity"
  teeyard rcon localhost:27015 --protocol halflife status
  TEEYARD_RCON_PASSWORD=secret teeyard rcon localhost <commands.cfg

The arguments are the words of one command. If the first argument contains a space, each argument is
a command.

--protocol names the console:

- halflife: the remote console of Half-Life servers
- game: the remote console of Teeworlds 0.7 and 0.6. It needs a free slot on the server. No player
  joins, except on DDNet's servers, where a spectator joins.
- econ: the external console of Teeworlds servers, over TCP at the server's ec_port, with its
  ec_password
- auto: halflife or, without an answer, game

  teeyard rcon localhost:8304 --protocol econ status

Ctrl-D, "exit" and "quit" leave the prompt. To run a server's own command exit or quit, pass it as an
argument.

All consoles receive the password unencrypted. A command is sent once. If there is no answer, it may
still have run.

The exit status is 1 if a line is too long to send, or if the console refuses a command: it does not
exist, needs more access, or has invalid arguments. The other lines still run. Teeyard servers
report every refusal; for other servers rcon recognises their usual texts.`
}

// remoteConsole is a server's console in any protocol.
type remoteConsole interface {
	// Run runs a line and returns its output. An empty line only logs in.
	Run(ctx context.Context, line string) (string, error)
	Close() error
}

// passwordEnv is the environment variable of the password.
const passwordEnv = "TEEYARD_RCON_PASSWORD"

// Run runs the commands of the command line, or reads commands from the input.
func (c *rconCmd) Run(ctx context.Context) error {
	err := c.run(ctx)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

func (c *rconCmd) run(ctx context.Context) error {
	commands, err := commandLines(c.Command)
	if err != nil {
		return err
	}
	password, err := c.password(ctx)
	if err != nil {
		return err
	}
	r, err := c.open(ctx, password)
	if err != nil {
		return err
	}
	defer r.Close()
	if len(commands) > 0 {
		return runAll(ctx, os.Stdout, r, slices.Values(commands))
	}
	if term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())) {
		return runInteractive(ctx, r, c.Host)
	}
	s := newLineScanner(os.Stdin)
	var readErr error
	err = runAll(ctx, os.Stdout, r, func(yield func(string) bool) {
		for more := true; more; {
			if more, readErr = waitFor(ctx, func() (bool, error) { return s.Scan(), lineError(s.Err()) }); !more {
				return
			}
			if line := strings.TrimSpace(s.Text()); line != "" {
				more = yield(line)
			}
		}
	})
	return cmp.Or(err, readErr)
}

// runAll runs lines and prints their output. Like a console that executes a file, it continues
// after a line that the console refuses, and returns an error at the end.
func runAll(ctx context.Context, w io.Writer, r remoteConsole, lines iter.Seq[string]) error {
	var shutdown, refused error
	var tooLong []error
	for line := range lines {
		if shutdown != nil {
			return fmt.Errorf("%w before %q", shutdown, line)
		}
		empty, err := runAndPrint(ctx, w, r, line)
		switch {
		case empty && strings.EqualFold(line, "status"):
			fmt.Fprintln(os.Stderr, "status: no output, so no clients are connected")
		case errors.Is(err, errShutdown):
			shutdown = err
		case errors.Is(err, errRefused):
			refused = cmp.Or(refused, err)
		case errors.Is(err, client.ErrTooLong), errors.Is(err, wire.ErrCommand): // the line was not sent
			hint := ""
			if errors.Is(err, wire.ErrCommand) {
				hint = fmt.Sprintf("; with --protocol game up to %d bytes are possible", client.MaxRconLine)
			}
			tooLong = append(tooLong, fmt.Errorf("%q: %w%s", shortLine(line), err, hint))
		case err != nil:
			return errors.Join(append(tooLong, err)...)
		}
	}
	return errors.Join(append(tooLong, refused)...)
}

// shortLine shortens a line for an error message.
func shortLine(line string) string {
	if len(line) <= 80 {
		return line
	}
	return safetext.Truncate(line, 77) + "..."
}

// maxInputLine limits a line of the input, in bytes.
const maxInputLine = 1 << 20

// newLineScanner returns a scanner for lines of at most maxInputLine bytes.
func newLineScanner(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxInputLine)
	return s
}

// lineError replaces the error of a line scanner by a readable one.
func lineError(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("a line of the input is longer than %d bytes; it and the lines after it were not read", maxInputLine)
	}
	return err
}

// errRefused is the error for a line that a console did not run or ran only partly.
var errRefused = errors.New("refused")

// refusals matches the texts with which consoles without refusalNote (Teeworlds, DDNet, Half-Life)
// refuse a line. A refusal must directly follow the time and the system's name, so that a player
// cannot forge one in the chat.
var refusals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(?:(?:\[[^\]]*\]|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z] )?(?:\[(?i:console|server|tuning)\]|(?i:console|chatresp|server|tuning)): )?` +
			`((?:No such command|Unknown command|Access for command|Invalid arguments\.\.\.|No such tuning parameter).*|[Ii]nvalid client id to [a-z]+|[^ ` +
			`]+: '.*' is (?:left out|not a number))$`,
	)
})

// refusalNote begins the last line of output in which a Teeyard server sums up its warnings about a
// line.
const refusalNote = "refused: "

// checkRefused returns the output without the refusal note, and an error if the line was refused.
func checkRefused(line, output string) (string, error) {
	trimmed := strings.TrimRight(output, "\n")
	i := strings.LastIndexByte(trimmed, '\n') + 1
	if why, refused := strings.CutPrefix(trimmed[i:], refusalNote); refused {
		return output[:i], fmt.Errorf("%w: %q: %s", errRefused, shortLine(line), why)
	}
	return output, checkKnownRefusals(line, output)
}

// checkKnownRefusals is checkRefused for consoles of other servers.
func checkKnownRefusals(line, output string) error {
	for text := range strings.Lines(output) {
		text = strings.TrimRight(text, "\r\n")
		var object struct{ Msg, System string } // in the log dialect json
		if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &object) == nil && object.System == "Console" {
			text = object.Msg
		}
		m := refusals().FindStringSubmatch(text)
		if m == nil {
			continue
		}
		// The text may be about another client's command: DDNet's console shows chat commands too.
		name, ok := strings.CutPrefix(m[1], "No such command: ")
		name, _, _ = strings.Cut(name, ". Is it ") // the hint of a Teeyard server
		if !ok || strings.Contains(line, strings.TrimSuffix(name, ".")) {
			return fmt.Errorf("%w: %q: %s", errRefused, shortLine(line), m[1])
		}
	}
	return nil
}

// errShutdown is the error of a console whose connection ended because a command shut the server
// down.
var errShutdown = errors.New("the server has shut down")

// commandLines returns the console lines of arguments. The arguments are the words of one command
// or, if the first argument contains spaces, one command each.
func commandLines(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if args[0] == "--" {
		args = args[1:]
	} else if strings.HasPrefix(args[0], "-") {
		return nil, usageErrorf("%s is not a flag of rcon; write -- before a command that begins with -", args[0])
	}
	if strings.TrimSpace(strings.Join(args, "")) == "" {
		return nil, usageErrorf("the command is empty")
	}
	for _, arg := range args {
		switch flag, _, _ := strings.Cut(arg, "="); flag {
		case "--server-password", "--password-file", "--name", "--protocol":
			return nil, usageErrorf("%s must come before the command", flag)
		}
	}
	quoted := func(s string) bool { return strings.ContainsAny(s, " \t") }
	switch i := slices.IndexFunc(args, quoted); {
	case i == 0:
		return args, nil
	case i < 0:
		return []string{strings.Join(args, " ")}, nil
	default:
		// "status" "say hello" probably means two commands, and "say" "hello everybody" a single
		// one.
		return nil, usageErrorf("is %[1]q a command of its own, or an argument of %[2]q? Write two commands as %[3]q, and one as '%[2]s %[1]q'",
			args[i], strings.Join(args[:i], " "), strings.Join(args[:i], " ")+"; "+args[i])
	}
}

// waitFor calls read and returns its result, or an error if ctx ends first.
func waitFor[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	c := make(chan result, 1)
	go func() {
		v, err := read()
		c <- result{v, err}
	}()
	select {
	case r := <-c:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// runAndPrint runs a line and prints its output, including the output before an error. It reports
// whether the line succeeded without output.
func runAndPrint(ctx context.Context, w io.Writer, r remoteConsole, line string) (empty bool, err error) {
	text, err := r.Run(ctx, line)
	text = safetext.Lines(text)
	auth := errors.Is(err, halflife.ErrAuth)
	if err == nil {
		text, err = checkRefused(line, text)
	}
	if text != "" && !auth {
		io.WriteString(w, strings.TrimSuffix(text, "\n")+"\n")
	}
	return text == "" && err == nil, err
}

// runInteractive reads commands from a terminal, with history.
func runInteractive(ctx context.Context, r remoteConsole, host string) error {
	if _, err := r.Run(ctx, ""); err != nil {
		return err
	}
	e, err := openEditor(host+"> ", "")
	if err != nil {
		return err
	}
	defer e.close()
	return runTerminal(ctx, r, e)
}

// runTerminal reads commands until the input ends (Ctrl-D, exit or quit) or the connection does.
func runTerminal(ctx context.Context, r remoteConsole, t *editor) error {
	for {
		line, err := waitFor(ctx, t.ReadLine)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch line = strings.TrimSpace(line); line {
		case "":
			continue
		case "exit", "quit":
			return nil // not sent: some servers would exit on it
		}
		_, err = runAndPrint(ctx, t, r, line)
		switch {
		case errors.Is(err, errRefused): // the output contains it
		case errors.Is(err, errShutdown):
			fmt.Fprintln(t, err)
			return nil
		case errors.Is(err, halflife.ErrAuth),
			errors.Is(err, halflife.ErrBanned),
			errors.Is(err, client.ErrClosed),
			errors.Is(err, client.ErrRcon),
			errors.Is(err, errEconClosed),
			ctx.Err() != nil:
			return err
		case err != nil:
			fmt.Fprintln(t, safetext.Lines(err.Error()))
		}
	}
}

// password returns the password from the environment, the file or the terminal.
func (c *rconCmd) password(ctx context.Context) (string, error) {
	if p := os.Getenv(passwordEnv); p != "" {
		return p, nil
	}
	if c.PasswordFile != "" {
		b, err := os.ReadFile(c.PasswordFile)
		if err != nil {
			return "", err
		}
		line, _, _ := strings.Cut(string(b), "\n")
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			return "", fmt.Errorf("the first line of %s is empty", c.PasswordFile)
		}
		return line, nil
	}
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		return "", fmt.Errorf("no password: set %s or use --password-file", passwordEnv)
	}
	old, err := term.GetState(in)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "password of %s: ", c.Host)
	b, err := waitFor(ctx, func() ([]byte, error) { return term.ReadPassword(in) })
	term.Restore(in, old)
	fmt.Fprintln(os.Stderr)
	if err == nil && len(b) == 0 {
		err = errors.New("the password is empty")
	}
	return string(b), err
}

// challengeWait limits the wait for an answer from a Half-Life console.
const challengeWait = 800 * time.Millisecond

func (c *rconCmd) open(ctx context.Context, password string) (remoteConsole, error) {
	a, err := transport.ParseAddress(c.Host)
	if err != nil {
		return nil, err
	}
	version, err := client.AddressVersion(a)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Protocol == "game",
		c.Protocol == "auto" && (c.Name != "" || version != "" || a.IsWebSocket()): // only the game's console has these
		return c.openGame(ctx, password)
	case c.Protocol == "econ":
		return openEcon(ctx, c.Host, password)
	}
	h, err := openHalfLife(ctx, c.Host, password)
	if c.Protocol == "auto" && errors.Is(err, wire.ErrPassword) {
		return c.openGame(ctx, password) // the game's console accepts any password
	}
	if err != nil {
		return nil, err
	}
	if c.Protocol == "halflife" {
		return h, nil
	}
	first, cancel := context.WithTimeout(ctx, challengeWait)
	defer cancel()
	switch err = h.Challenge(first); {
	case err == nil, errors.Is(err, halflife.ErrBanned):
		return h, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	h.Close()
	r, err := c.openGame(ctx, password)
	if err != nil {
		return nil, fmt.Errorf("no answer from a Half-Life console; %w", err)
	}
	return r, nil
}

// halfLifeConsole is a remote console over the Half-Life protocol.
type halfLifeConsole struct {
	*halflife.RconClient
	conn *udp.Conn
}

func openHalfLife(ctx context.Context, host, password string) (*halfLifeConsole, error) {
	server, err := udp.Resolve(ctx, host, client.DefaultPort)
	if err != nil {
		return nil, err
	}
	conn, err := udp.Listen(udp.Config{MaxDatagram: halflife.ReceiveBuffer, Batch: 8})
	if err != nil {
		return nil, err
	}
	r, err := halflife.NewRconClient(conn, server, password)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &halfLifeConsole{r, conn}, nil
}

func (h *halfLifeConsole) Close() error { return h.conn.Close() }

// gameConsole is the remote console over the game protocol.
type gameConsole struct {
	c        *client.Client
	mayLeave time.Time
}

const (
	// loginTimeout limits joining and logging in, and commandTimeout a command.
	loginTimeout   = 15 * time.Second
	commandTimeout = 10 * time.Second
	// consoleWait limits the wait for a console to answer a client that has not joined the game.
	consoleWait = 2 * time.Second
	// shortestStay is the shortest connection that servers accept without a ban: they ban a client
	// that leaves within a second.
	shortestStay = 1200 * time.Millisecond
)

// openGame logs in without joining the game. If the server runs commands only for players, it joins
// as a spectator.
func (c *rconCmd) openGame(ctx context.Context, password string) (_ remoteConsole, err error) {
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	cfg := client.Config{Name: "rcon", Password: c.ServerPassword, RconName: c.Name, RconPassword: password, ConsoleOnly: true}
	if c.Name != "" {
		cfg.Version = client.Version06 // logins in 0.7 have no name
	}
	if ws.IsAddress(c.Host) {
		cfg.Dial = ws.Dial
	}
	cl, err := client.Dial(ctx, c.Host, cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the console of the game failed: %w", explainNoAnswer(c.Host, err))
	}
	g := gameConsole{c: cl}
	if !c.isOwnMachine(ctx) { // such a client cannot be banned
		g.mayLeave = time.Now().Add(shortestStay)
	}
	defer func() {
		if err != nil {
			g.Close()
		}
	}()
	loggedIn := false
	for e := range cl.Events(ctx) {
		switch e := e.(type) {
		case event.RconAuth:
			if loggedIn = e.On; !loggedIn {
				continue
			}
			answer, cancel := context.WithTimeout(ctx, consoleWait)
			_, err := cl.RconRun(answer, "")
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				return g, err
			}
			if err := cl.Join(); err != nil {
				return nil, err
			}
		case event.Entered:
			return g, cl.SetTeam(game.TeamSpectators)
		case event.RconLine:
			if !loggedIn { // the line gives the reason
				return nil, errors.New(e.Text)
			}
		case event.Disconnected:
			return nil, e.Err
		}
	}
	return nil, fmt.Errorf("%s: the server did not answer the login; try again, or name the console with --protocol", c.Host)
}

// isOwnMachine reports whether the server is on this machine and sees our loopback address. It
// returns false for WebSockets, since a proxy on this machine may forward other clients.
func (c *rconCmd) isOwnMachine(ctx context.Context) bool {
	a, err := transport.ParseAddress(c.Host)
	if err != nil || a.IsWebSocket() {
		return false
	}
	server, err := udp.Resolve(ctx, a.HostPort(), client.DefaultPort)
	return err == nil && server.Addr().IsLoopback()
}

// Run implements remoteConsole.
func (g gameConsole) Run(ctx context.Context, line string) (string, error) {
	if line == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	lines, err := g.c.RconRun(ctx, line)
	if errors.Is(err, client.ErrClosed) && isShutdown(line) {
		err = errShutdown
	}
	return strings.Join(lines, "\n"), err
}

// isShutdown reports whether a line shuts the server down and so ends the connection.
func isShutdown(line string) bool {
	for command := range strings.SplitSeq(line, ";") {
		if words := strings.Fields(command); len(words) > 0 && strings.EqualFold(words[0], "shutdown") {
			return true
		}
	}
	return false
}

func (g gameConsole) Close() error {
	select {
	case <-time.After(time.Until(g.mayLeave)):
	case <-g.c.Done():
	}
	g.c.Close()
	return nil
}
