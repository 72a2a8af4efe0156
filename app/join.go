package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/transport/ws"
)

type joinCmd struct {
	Host     string        `arg:"" help:"Server: host, host:port, or an address with tw-0.7+udp://, tw-0.6+udp://, ddnet://, ws:// or wss://."`
	Name     string        `help:"Name of the player." default:"observer"`
	Clan     string        `help:"Clan of the player."`
	Password string        `help:"Password of the game." env:"TEEYARD_PASSWORD"`
	Rcon     string        `help:"Password of the remote console, to log in after joining." env:"TEEYARD_RCON_PASSWORD,TEEYARD_RCON"`
	Login    string        `help:"Name for the remote console, on servers with accounts (DDNet)."`
	Protocol string        `help:"Protocol: 0.7, 0.6 (also DDNet), or any to detect it; DDNet's servers prefer 0.6." enum:"any,0.7,0.6" default:"any"`
	DDNet    int32         `name:"ddnet" help:"DDNet release that the client claims to be, times 1000, such as 16040." placeholder:"RELEASE"`
	Play     bool          `help:"Join the game instead of the spectators."`
	For      time.Duration `help:"Time after which to leave. By default join leaves at the end of the input."`
	Again    time.Duration `help:"Time after which to reconnect when the connection ends."`
	JSON     bool          `name:"json" help:"Print one JSON object per event."`
	Cache    string        `help:"Folder for downloaded maps; \"-\" keeps them in memory only." placeholder:"DIR"`
}

func (joinCmd) Help() string {
	return `Type lines to send them to the chat. /help lists the commands of join. Type commands of the server as
in any client, such as /rank. If join has a command of the same name, type two slashes: //team 5.
Input may come from a pipe. On a terminal, the arrow keys recall earlier lines, and Ctrl-D leaves.
Passwords are not shown. If a line from a pipe has no effect, the exit status is 1.

A scheme that names a version, as in the lists of masters (tw-0.7+udp, tw-0.6+udp), selects that
version. ddnet://, as in links for DDNet's client, selects 0.6.

  echo "hello" | teeyard join localhost
  printf '/rcon PASSWORD\n/r status\n' | teeyard join localhost --for 3s
  teeyard join localhost --json --for 1h </dev/null | jq -r 'select(.event=="chat").text'`
}

// When the input has ended and the server has acknowledged the last lines, join waits replyWait for
// replies. If the server does not acknowledge them, join waits maxReplyWait. It checks for the
// acknowledgement every ackPoll.
const (
	replyWait    = time.Second
	maxReplyWait = 10 * time.Second
	ackPoll      = 20 * time.Millisecond
)

// Run joins until the input, the connection or the time ends.
func (c *joinCmd) Run(ctx context.Context) error {
	if c.For < 0 || c.Again < 0 {
		return usageErrorf("--for and --again must not be negative")
	}
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	if c.JSON {
		stdout := newQueue(os.Stdout, true)
		defer stdout.Close(outputTimeout)
		return c.runSession(ctx, os.Stdin, &jsonPrinter{w: stdout}, nil)
	}
	stdout := newQueue(os.Stdout, false)
	defer stdout.Close(outputTimeout)
	return c.runSession(ctx, os.Stdin, &textPrinter{w: stdout}, openEditor)
}

// runSession prints events and executes input lines. If open is not nil and returns an editor,
// lines are typed and printed in that editor.
func (c *joinCmd) runSession(ctx context.Context, in io.Reader, out printer, open func(prompt, secretPrefix string) (*editor, error)) error {
	events := make(chan event.Event, 1024)
	over := make(chan struct{})
	progress, live := newQueue(os.Stderr, false), isTerminal(os.Stderr)
	defer progress.Close(outputTimeout)
	var hideProgress atomic.Bool
	hideProgress.Store(c.JSON)
	cfg := client.Config{
		Name: c.Name, Clan: c.Clan, Password: c.Password, RconPassword: c.Rcon, RconName: c.Login,
		Version: client.Version(c.Protocol), DDNetVersion: c.DDNet, Reconnect: c.Again, Maps: client.NewMaps(c.Cache, client.InstalledMapDirs()...),
		OnEvent: func(_ *client.Client, e event.Event) {
			if d, ok := e.(event.Download); ok {
				if !hideProgress.Load() {
					printDownload(progress, live, d)
					return
				}
				if d.Done != 0 && d.Done != d.Size {
					return
				}
			}
			select {
			case events <- e:
			case <-over:
			}
		},
	}
	if ws.IsAddress(c.Host) {
		cfg.Dial = ws.Dial
	}
	cl, err := client.Dial(ctx, c.Host, cfg)
	if err != nil {
		close(over)
		return explainNoAnswer(c.Host, err)
	}
	t := &terminal{client: cl, out: out, messages: os.Stderr}
	defer func() {
		close(over) // before Done, which the client closes after the last event
		cl.Leave(t.reason)
		<-cl.Done() // over WebSocket, the goodbye is sent by then
	}()

	if text, ok := out.(*textPrinter); ok {
		text.hasTeams = t.hasTeams
	}
	if c.Rcon != "" {
		t.login = loggingIn
	}
	read := readLines(in)
	var ed *editor
	if open != nil {
		if ed, err = open(c.Name+": ", "/rcon "); err != nil {
			return err
		}
	}
	if ed != nil {
		defer ed.close()
		screen := newQueue(ed, false)
		defer screen.Close(outputTimeout)
		hideProgress.Store(true)
		read = ed.ReadLine
		t.out, t.messages = &textPrinter{screen, t.hasTeams}, screen
	}
	input := make(chan string)
	var readErr error // set before input is closed
	go func() {
		readErr = sendLines(read, input, over)
		close(input)
	}()
	typed := input
	var lines chan string // typed once the player has entered the game; nil before
	var said []string     // typed, but not yet repeated by the server
	var self event.Player
	var end <-chan time.Time
	var enough, giveUp time.Time
	// On a terminal, the user has seen each failure already.
	result := func() error {
		if ed == nil && t.failed > 0 {
			return fmt.Errorf("%s had no effect, for the reasons above", words.Count(t.failed, "line"))
		}
		return nil
	}
	for {
		select {
		case e := <-events:
			if chat, ok := e.(event.Chat); ok && chat.Mode == game.ChatAll && chat.From.ID == self.ID && len(said) > 0 {
				if i := slices.Index(said, chat.Text); i >= 0 {
					said = said[i+1:]
					continue // already on the screen
				}
			}
			t.out.printEvent(e)
			t.heard(e)
			switch e := e.(type) {
			case event.Entered: // also after a reconnect
				self, said = e.Self, nil
				if typed != nil {
					lines, typed = typed, nil
				}
				if ed != nil {
					ed.SetPrompt(self.Name + ": ")
				}
				t.out.printPresent(cl.Scoreboard(), self.ID)
				if !c.Play && e.Self.Team != game.TeamSpectators {
					t.setTeam(game.TeamSpectators) // Disconnected follows an error
				}
			case event.Disconnected:
				if e.Again == 0 {
					return e.Err
				}
			}
		case line, ok := <-lines:
			if !ok {
				lines = nil
				if ed == nil && readErr != nil {
					fmt.Fprintln(t.messages, readErr)
					t.failed++
				}
				switch {
				case ed != nil: // after Ctrl-C or Ctrl-D
					end, giveUp = time.Tick(ackPoll), time.Now().Add(replyWait)
				case c.For == 0:
					end, giveUp = time.Tick(ackPoll), time.Now().Add(maxReplyWait)
				}
				continue
			}
			if line = strings.TrimSpace(line); ed != nil && line != "" && line[0] != '/' && len(said) < maxSaid {
				said = append(said, line)
			}
			if err := t.execute(line); errors.Is(err, io.EOF) {
				return result()
			} else if err != nil {
				fmt.Fprintln(t.messages, err)
				t.failed++
			}
		case <-t.nextLate():
			t.reportLate()
		case <-end:
			now := time.Now()
			if ed == nil && (enough.IsZero() || cl.Unacked() > 0) {
				enough = now.Add(replyWait)
			}
			replied := cl.Unacked() == 0 && len(t.waiting) == 0 && len(events) == 0
			if replied && !now.Before(enough) || now.After(giveUp) {
				return result()
			}
		case <-ctx.Done():
			return result()
		}
	}
}

// maxSaid limits the own chat lines that runSession expects back from the server.
const maxSaid = 64

// readLines returns a function that returns the next line of a file or pipe.
func readLines(r io.Reader) func() (string, error) {
	s := newLineScanner(r)
	return func() (string, error) {
		if !s.Scan() {
			return "", cmp.Or(lineError(s.Err()), io.EOF)
		}
		return s.Text(), nil
	}
}

// sendLines sends the lines of the input. It returns the error that ended the input, or nil at its
// end.
func sendLines(read func() (string, error), lines chan<- string, over <-chan struct{}) error {
	for {
		line, err := read()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case lines <- line:
		case <-over:
			return nil
		}
	}
}

// printDownload prints the progress of a map download. On a terminal (live) it updates one line;
// otherwise it prints the beginning and the end.
func printDownload(w io.Writer, live bool, d event.Download) {
	const every = 64 << 10
	switch {
	case d.Done == 0 && !live:
		fmt.Fprintf(w, "downloading map %s: %d kB\n", d.Map, d.Size>>10)
	case d.Done == d.Size && !live:
		fmt.Fprintf(w, "map %s: %d kB\n", d.Map, d.Size>>10)
	case !live:
	case d.Done == d.Size:
		fmt.Fprintf(w, "\rmap %s: %d kB    \n", d.Map, d.Size>>10)
	case d.Done%every < 1400:
		fmt.Fprintf(w, "\rmap %s: %d of %d kB", d.Map, d.Done>>10, d.Size>>10)
	}
}
