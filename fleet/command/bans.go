package command

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/teeyard/teeyard/bans"
	fleetbans "github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
)

type bansCmd struct {
	List       bansListCmd     `cmd:"" default:"withargs" help:"List the bans in force."`
	Add        bansAddCmd      `cmd:"" help:"Ban an address, network or range on all servers."`
	Remove     bansRemoveCmd   `cmd:"" help:"Lift a ban on all servers."`
	DropOrigin bansDropCmd     `cmd:"" help:"Undo all that a server or operator has banned and lifted."`
	Snapshot   bansSnapshotCmd `cmd:"" help:"Make the start of many servers fast, and remove old entries."`
}

type bansListCmd struct {
	access
	JSON bool `name:"json" help:"Print one JSON object per ban."`
}

// Run lists the bans.
func (c *bansListCmd) Run() error {
	o, err := c.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	set, _, err := o.Bans()
	if err != nil {
		return err
	}
	now, n := time.Now(), 0
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TARGET\tENDS\tORIGIN\tREASON")
	for _, e := range set.All() {
		if !e.Ban.Until.IsZero() && !now.Before(e.Ban.Until) {
			continue
		}
		n++
		if c.JSON {
			json.NewEncoder(os.Stdout).Encode(struct {
				Origin string `json:"origin"`
				fleetbans.Entry
			}{e.Origin, e})
			continue
		}
		ends := "never"
		if !e.Ban.Until.IsZero() {
			ends = "in " + duration(e.Ban.Until.Sub(now))
		}
		if e.Ban.RconOnly {
			ends += " (rcon)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Ban.Target(), ends, safetext.Line(e.Origin), safetext.Line(e.Ban.Reason))
	}
	if !c.JSON {
		w.Flush()
		fmt.Println(words.Count(n, "ban"))
	}
	return nil
}

type bansAddCmd struct {
	access
	Target  string   `arg:"" help:"Address, network such as 203.0.113.0/24, or range such as 203.0.113.1-203.0.113.9."`
	Minutes int      `arg:"" optional:"" help:"How long, 0 for ever." default:"30"`
	Reason  []string `arg:"" optional:"" help:"Reason, which the player sees."`
}

func (bansAddCmd) Help() string {
	return `A running server drops the players at once.

  teeyard-fleet bans add 203.0.113.7 1440 spam
  teeyard-fleet bans add 2001:db8::/64 0 insulting others`
}

// Run adds a ban.
func (c *bansAddCmd) Run() error {
	b, err := bans.Parse(c.Target)
	if err != nil {
		return err
	}
	if c.Minutes < 0 {
		return fmt.Errorf("%d minutes: the number must be at least 0, which is for ever", c.Minutes)
	}
	b.Duration = time.Duration(c.Minutes) * time.Minute
	if b.Duration > 0 {
		b.Until = time.Now().Add(b.Duration).UTC()
	}
	b.Reason = safetext.Line(strings.Join(c.Reason, " "))
	return c.put(fleetbans.Entry{Ban: b})
}

// put sends an entry of the operator.
func (a *access) put(e fleetbans.Entry) error {
	o, err := a.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	set, _, err := o.Bans()
	if err != nil {
		return err
	}
	_, banned := set.InForce(fleetbans.KeyOf(e.Ban))
	if e.Removed && !banned {
		return fmt.Errorf("%s is not banned; bans list lists what is", e.Ban.Target())
	}
	if _, err := o.Put(e, set); err != nil {
		return err
	}
	if e.Removed {
		fmt.Printf("the ban of %s is lifted\n", e.Ban.Target())
		return nil
	}
	fmt.Println(e.Ban)
	return nil
}

type bansRemoveCmd struct {
	access
	Target string `arg:"" help:"Target of the ban, as bans list prints it."`
}

// Run lifts a ban.
func (c *bansRemoveCmd) Run() error {
	b, err := bans.Parse(c.Target)
	if err != nil {
		return err
	}
	return c.put(fleetbans.Entry{Ban: b, Removed: true})
}

type bansDropCmd struct {
	access
	Origin string `arg:"" help:"Name of the server, or op-NAME for an operator, as bans list prints it."`
}

func (bansDropCmd) Help() string {
	return `Change the credentials of the server in nats-server.conf first, or it can ban again. Bans that it has
lifted are in force again.

  teeyard-fleet bans drop-origin vm-8303`
}

// Run undoes what an origin did.
func (c *bansDropCmd) Run() error {
	o, err := c.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	n, err := o.DropOrigin(c.Origin)
	if err == nil || n > 0 {
		fmt.Printf("%s of %s undone\n", words.Count(n, "decision"), c.Origin)
	}
	return err
}

type bansSnapshotCmd struct{ access }

func (bansSnapshotCmd) Help() string {
	return `A server that starts reads the snapshot, and only later changes one by one. Run this once a day, for
example with cron, if the fleet has more than a thousand bans. It also removes bans that ended more
than a day ago, and removals that are older than 90 days.

  teeyard-fleet bans snapshot`
}

// Run writes the snapshot.
func (c *bansSnapshotCmd) Run() error {
	o, err := c.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	kept, removed, err := o.Snapshot()
	if err != nil {
		return err
	}
	fmt.Printf("the snapshot has %s; %d old ones are removed\n", words.Count(kept, "decision"), removed)
	return nil
}
