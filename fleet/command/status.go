package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
)

type statusCmd struct {
	access
	JSON    bool `name:"json" help:"Print what the servers report, one JSON object per line."`
	Watch   bool `short:"w" help:"Print the list again every two seconds, until Ctrl-C."`
	Players bool `short:"p" help:"List the players of each server, too."`
}

func (statusCmd) Help() string {
	return `A server that ends in good order leaves the list at once, and one that crashes after half a minute.

  teeyard-fleet status
  teeyard-fleet status --players
  teeyard-fleet status --nats tls://nats.example.org:4222 --creds alice.creds --json`
}

// watchTime is the time between two lists.
const watchTime = 2 * time.Second

// Run prints the list.
func (c *statusCmd) Run(ctx context.Context) error {
	o, err := c.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	for {
		servers, err := o.Servers()
		if err != nil && !c.Watch {
			return err
		}
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
		case c.JSON:
			for i := range servers {
				json.NewEncoder(os.Stdout).Encode(&servers[i].Presence)
			}
		default:
			if c.Watch {
				fmt.Print("\033[H\033[2J") // an empty screen
			}
			c.print(os.Stdout, servers)
		}
		if !c.Watch {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchTime):
		}
	}
}

// print prints servers as a table, and then what operators should look at.
func (c *statusCmd) print(to io.Writer, servers []bus.Server) {
	if len(servers) == 0 {
		fmt.Fprintf(to, "no server of the fleet %s is running\n", c.Fleet)
		return
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SERVER\tPLAYERS\tBOTS\tMAP\tGAME TYPE\tSTATE\tVERSION\tUP\tADDRESS\tTAGS")
	players := 0
	for i := range servers {
		s := &servers[i]
		players += len(s.Info.Clients)
		fmt.Fprintf(w, "%s\t%d/%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, len(s.Info.Clients), s.Info.MaxClients, s.Bots, safetext.Line(s.Info.Map.Name),
			safetext.Line(s.Info.GameType), state(s), safetext.Line(s.Version()), duration(time.UnixMilli(s.Time).Sub(time.UnixMilli(s.Started))),
			safetext.Line(s.Address), safetext.Line(strings.Join(s.Tags, ",")))
		if c.Players {
			for _, p := range s.Info.Clients {
				fmt.Fprintf(w, "  %s\n", safetext.Line(strings.TrimSpace(p.Name+" "+p.Clan)))
			}
		}
	}
	w.Flush()
	fmt.Fprintf(to, "%s, %s\n", words.Count(len(servers), "server"), words.Count(players, "player"))
	for i := range servers {
		if s := &servers[i]; s.Skew.Abs() > bus.MaxSkew {
			fmt.Fprintf(to, "warning: the clock of %s is off by %v: set it, or bans from there count later\n", s.ID, s.Skew.Round(time.Second))
		}
	}
}

func state(s *bus.Server) string {
	switch {
	case s.Draining:
		return "draining"
	case s.Info.Passworded:
		return "private"
	default:
		return "open"
	}
}

// duration returns a duration as a short text, such as 3d4h.
func duration(d time.Duration) string {
	d = max(d, 0)
	switch days := d / (24 * time.Hour); {
	case days > 0:
		return fmt.Sprintf("%dd%dh", days, d/time.Hour%24)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d/time.Minute%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}
