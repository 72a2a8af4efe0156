package command

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/teeyard/teeyard/fleet/bus"
)

type eventsCmd struct {
	access
	Since  time.Duration `help:"Begin with the events of this time." default:"0s"`
	Server string        `help:"Only events of this server." placeholder:"NAME"`
	Audit  bool          `help:"Print the audit logs of the servers instead, with addresses. Only administrators may read them."`
	Type   string        `help:"Only events of this type, such as chat, kill, joined, left or race_finish." placeholder:"TYPE"`
}

func (eventsCmd) Help() string {
	return `Prints one JSON object per line, until Ctrl-C. There are no addresses, whispers or chat of teams. NATS
keeps the events of a week, and the audit logs of 30 days.

  teeyard-fleet events
  teeyard-fleet events --type race_finish --since 24h
  teeyard-fleet events --audit --since 24h`
}

// Validate checks the flags.
func (c *eventsCmd) Validate() error {
	if c.Audit && c.Type != "" {
		return errors.New("--type is for the events of the games, and not for --audit")
	}
	return nil
}

// Run prints events.
func (c *eventsCmd) Run(ctx context.Context) error {
	o, err := c.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	out := json.NewEncoder(os.Stdout)
	since := time.Now().Add(-c.Since)
	if c.Audit {
		return o.Audit(ctx, since, c.Server, func(e bus.AuditEntry) { out.Encode(e) })
	}
	return o.Events(ctx, since, c.Server, c.Type, func(e bus.Event) { out.Encode(e) })
}
