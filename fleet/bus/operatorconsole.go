package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// lateTime is how long an operator waits for servers that are not in the list.
const lateTime = 300 * time.Millisecond

// ErrNoServer is returned for a target without servers.
var ErrNoServer = errors.New("no server of the fleet")

// Resolve returns the target that an operator names: all, a server or a tag. If a server and a
// tag have the name, it is the server.
func (o *Operator) Resolve(name string) (t Target, servers []Server, err error) {
	all, err := o.Servers()
	if err != nil {
		return t, nil, err
	}
	for _, t := range []Target{{Kind: "all"}, {"server", name}, {"tag", name}} {
		if t.Kind == "all" && name != "all" {
			continue
		}
		servers := slices.DeleteFunc(slices.Clone(all), func(s Server) bool { return !t.has(&s.Presence) })
		if len(servers) > 0 {
			return t, servers, nil
		}
	}
	return t, nil, fmt.Errorf("%w %s has the name or tag %q; status lists them", ErrNoServer, o.fleet, name)
}

// Run runs a console line on servers, with the rights of a level, and calls each for every answer.
// It returns the names of the servers that have not answered when ctx ends.
func (o *Operator) Run(ctx context.Context, level string, t Target, expected []string, line string, each func(*Answer)) (missing []string, err error) {
	if len(line) > maxLine || strings.ContainsAny(line, "\n\r\x00") {
		return nil, fmt.Errorf("the console line: %w", errConsoleLine)
	}
	if name, err := o.js.StreamNameBySubject(string(o.fleet) + ".console.>"); err == nil {
		return nil, fmt.Errorf("the stream %s stores console lines, so that they could be sent again: remove these subjects from it", name)
	}
	answers := make(chan *nats.Msg, 256)
	inbox := o.nc.NewRespInbox()
	sub, err := o.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil, o.explain(err)
	}
	defer sub.Unsubscribe()
	if err := o.nc.PublishRequest(o.fleet.console(level, o.name, t), inbox, []byte(line)); err != nil {
		return nil, o.explain(err)
	}
	missing = slices.Clone(expected)
	late := time.NewTimer(lateTime)
	for {
		var end <-chan time.Time
		if len(missing) == 0 {
			end = late.C
		}
		select {
		case msg := <-answers:
			var a Answer
			if msg.Header.Get("Status") == "503" {
				return missing, nil // nobody listens
			}
			if msg.Subject != inbox || json.Unmarshal(msg.Data, &a) != nil {
				continue // a consumer of a stream can send anything to the inbox
			}
			missing = slices.DeleteFunc(missing, func(id string) bool { return id == a.ID })
			each(&a)
		case err := <-o.denied:
			return missing, err
		case <-end:
			return nil, nil
		case <-ctx.Done():
			return missing, nil
		}
	}
}
