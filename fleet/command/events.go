package command

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/teeyard/teeyard/fleet/bus"
)

type eventsCmd struct {
	access
	Since  time.Duration `help:"Begin with the events of this time." default:"0s"`
	Server string        `help:"Only events of this server." placeholder:"NAME"`
	Type   string        `help:"Only events of this type, such as chat, kill, joined, left or race_finish." placeholder:"TYPE"`
}

func (eventsCmd) Help() string {
	return `Prints one JSON object per line, until Ctrl-C. There are no addresses, whispers or chat of teams. NATS
keeps the events of a week.

  teeyard-fleet events
  teeyard-fleet events --type race_finish --since 24h`
}

// Run prints events.
func (c *eventsCmd) Run(ctx context.Context) error {
	o, err := c.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	out := json.NewEncoder(os.Stdout)
	return o.Events(ctx, time.Now().Add(-c.Since), c.Server, c.Type, func(e bus.Event) { out.Encode(e) })
}
