package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
)

// lookTime is the time between two looks at the servers that drain.
const lookTime = time.Second

type drainCmd struct {
	target
	Running string        `help:"Only servers of this version, as status lists it." placeholder:"VERSION"`
	Batch   int           `help:"How many servers drain at once." default:"1" placeholder:"N"`
	Timeout time.Duration `help:"How long a batch may take." default:"1h"`
}

func (drainCmd) Help() string {
	return `A server that drains refuses new players and ends after the match. Then systemd or Kubernetes starts
it again with the new program. The command waits until each batch has ended or is back before it
drains the next one. To update a fleet, install the new program and run

  teeyard-fleet drain --running 0.1.0 --batch 5`
}

// Validate checks the flags.
func (c *drainCmd) Validate() error {
	if c.Batch < 1 {
		return fmt.Errorf("--batch must be at least 1")
	}
	return nil
}

// Run drains the servers.
func (c *drainCmd) Run(ctx context.Context) error {
	o, err := c.connect()
	if err != nil {
		return err
	}
	defer o.Close()
	_, servers, err := o.Resolve(c.On)
	if err != nil {
		return err
	}
	if c.Running != "" {
		servers = slices.DeleteFunc(servers, func(s bus.Server) bool { return s.Version() != c.Running })
		if len(servers) == 0 {
			return fmt.Errorf("no server has the version %s; status lists the versions", c.Running)
		}
	}
	done := 0
	for batch := range slices.Chunk(servers, c.Batch) {
		for _, s := range batch {
			if err := runOn(ctx, o, c.Level, bus.Target{Kind: "server", Name: s.ID}, []string{s.ID}, "drain", func(*bus.Answer) {}); err != nil {
				return fmt.Errorf("%w; %d of %s have ended", err, done, words.Count(len(servers), "server"))
			}
			fmt.Printf("%s drains, with %s\n", s.ID, words.Count(len(s.Info.Clients), "player"))
		}
		if err := c.await(ctx, o, batch); err != nil {
			return err
		}
		done += len(batch)
	}
	fmt.Printf("%s ended\n", words.Count(done, "server"))
	return nil
}

// await waits until servers have ended, or have started again.
func (c *drainCmd) await(ctx context.Context, o *bus.Operator, batch []bus.Server) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	left := slices.Clone(batch)
	for {
		now, err := o.Servers()
		if err == nil {
			left = slices.DeleteFunc(left, func(old bus.Server) bool {
				i := slices.IndexFunc(now, func(s bus.Server) bool { return s.ID == old.ID && s.Started == old.Started })
				if i < 0 {
					fmt.Printf("%s has ended\n", old.ID)
				}
				return i < 0
			})
		}
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %v, these servers still drain: %s", c.Timeout, safetext.Line(strings.Join(ids(left), ", ")))
		case <-time.After(lookTime):
		}
	}
}
