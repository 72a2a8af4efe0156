package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

type joinCmd struct {
	Host     string        `arg:"" help:"Server, as host or host:port."`
	Name     string        `help:"Name of the player." default:"observer"`
	Clan     string        `help:"Clan of the player."`
	Password string        `help:"Password of the game." env:"TEEYARD_PASSWORD"`
	Rcon     string        `help:"Password of the remote console, to log in after joining." env:"TEEYARD_RCON"`
	Login    string        `help:"Name for the remote console, on servers with accounts (DDNet)."`
	Protocol string        `help:"Protocol: 0.7, 0.6 (also DDNet), or any to detect it." enum:"any,0.7,0.6" default:"any"`
	DDNet    int32         `name:"ddnet" help:"Release of DDNet to claim to be, times 1000, such as 16040." placeholder:"RELEASE"`
	Play     bool          `help:"Join the game instead of the spectators."`
	For      time.Duration `help:"Time after which to leave. Without it, at the end of the input."`
	Again    time.Duration `help:"Time after which to reconnect when the connection ends."`
	JSON     bool          `name:"json" help:"Print one JSON object per event."`
	Cache    string        `help:"Folder for downloaded maps; \"-\" stores none." placeholder:"DIR"`
}

// Help explains what can be typed.
func (joinCmd) Help() string {
	return `Lines that you type are sent to the chat; /help lists commands. Input may come from a
pipe:

  echo "hello" | teeyard join localhost
  printf '/rcon PASSWORD\n/r status\n' | teeyard join localhost --for 3s
  teeyard join localhost --json --for 1h </dev/null | jq -r 'select(.event=="chat").text'`
}

// After the end of the input, replyWait is the time to wait for replies to the last lines,
// and maxReplyWait the limit if the server has not even acknowledged the lines.
const (
	replyWait    = time.Second
	maxReplyWait = 10 * time.Second
)

// Run joins until the input, the connection or the time ends.
func (c *joinCmd) Run(ctx context.Context) error {
	if c.For < 0 || c.Again < 0 {
		return errors.New("--for and --again must not be negative")
	}
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	stdout := newQueue(os.Stdout, c.JSON)
	defer stdout.Close(outputTimeout)
	var out printer = &textPrinter{w: stdout}
	if c.JSON {
		out = &jsonPrinter{w: stdout}
	}
	return c.runSession(ctx, os.Stdin, out)
}

// runSession prints events and executes input lines.
func (c *joinCmd) runSession(ctx context.Context, in io.Reader, out printer) error {
	events := make(chan event.Event, 1024)
	over := make(chan struct{})
	defer close(over)
	progress := newQueue(os.Stderr, false)
	defer progress.Close(outputTimeout)
	cl, err := client.Dial(ctx, c.Host, client.Config{
		Name: c.Name, Clan: c.Clan, Password: c.Password, RconPassword: c.Rcon, RconName: c.Login,
		Version: client.Version(c.Protocol), DDNetVersion: c.DDNet, Reconnect: c.Again, Maps: client.NewMaps(c.Cache, client.InstalledMapDirs()...),
		OnEvent: func(_ *client.Client, e event.Event) {
			if d, ok := e.(event.Download); ok {
				if !c.JSON {
					printDownload(progress, d)
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
	})
	if err != nil {
		return explainNoAnswer(c.Host, err)
	}
	defer cl.Close()

	lines := make(chan string)
	go sendLines(in, lines, over)
	t := &terminal{client: cl, out: out}
	var end <-chan time.Time
	var giveUp time.Time
	for {
		select {
		case e := <-events:
			out.printEvent(e)
			switch e := e.(type) {
			case event.Entered: // also after a reconnect
				if !c.Play && e.Self.Team != game.TeamSpectators {
					cl.SetTeam(game.TeamSpectators) // Disconnected follows an error
				}
			case event.Disconnected:
				if e.Again == 0 {
					return e.Err
				}
			}
		case line, ok := <-lines:
			if !ok {
				lines = nil
				if c.For == 0 {
					end, giveUp = time.After(replyWait), time.Now().Add(maxReplyWait)
				}
				continue
			}
			if err := t.execute(line); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		case <-end:
			if cl.Unacked() == 0 || time.Now().After(giveUp) {
				return nil
			}
			end = time.After(replyWait)
		case <-ctx.Done():
			return nil
		}
	}
}

// sendLines sends the lines of the input and closes the channel at its end.
func sendLines(r io.Reader, lines chan<- string, over <-chan struct{}) {
	defer close(lines)
	for s := bufio.NewScanner(r); s.Scan(); {
		select {
		case lines <- s.Text():
		case <-over:
			return
		}
	}
}

// printDownload prints the progress of a map download.
func printDownload(w io.Writer, d event.Download) {
	const every = 64 << 10
	switch {
	case d.Done == d.Size:
		fmt.Fprintf(w, "\rmap %s: %d kB    \n", d.Map, d.Size>>10)
	case d.Done%every < 1400:
		fmt.Fprintf(w, "\rmap %s: %d of %d kB", d.Map, d.Done>>10, d.Size>>10)
	}
}
