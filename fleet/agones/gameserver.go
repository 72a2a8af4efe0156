package agones

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// players is the name of the counter and of the list.
const players = "players"

// drainKey is the label or annotation that drains a server. The allocationOverflow of a Fleet can
// set it for the servers of old templates.
const drainKey = "teeyard.dev/drain"

// States of a GameServer.
const (
	ready     = "Ready"
	allocated = "Allocated"
)

// isStarting reports whether a GameServer in a state was not Ready yet.
func isStarting(state string) bool {
	return slices.Contains([]string{"", "PortAllocation", "Creating", "Starting", "Scheduled", "RequestReady"}, state)
}

// isFinal reports whether a GameServer in a state is going to be deleted.
func isFinal(state string) bool {
	return slices.Contains([]string{"Shutdown", "Unhealthy", "Error"}, state)
}

// gameServer is what the agent reads of a GameServer. Numbers of 64 bits are strings.
type gameServer struct {
	Meta struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Deletion    json.Number       `json:"deletion_timestamp"`
		Annotations map[string]string `json:"annotations"`
		Labels      map[string]string `json:"labels"`
	} `json:"object_meta"`
	Spec struct {
		Health struct {
			Disabled bool `json:"disabled"`
			Period   int  `json:"period_seconds"`
		} `json:"health"`
	} `json:"spec"`
	Status struct {
		State string `json:"state"`
		Ports []struct {
			Name string `json:"name"`
			Port int    `json:"port"`
		} `json:"ports"`
		Counters map[string]*counter `json:"counters"`
		Lists    map[string]*list    `json:"lists"`
	} `json:"status"`
}

// counter and list are the values of a GameServer, and bodies of changes.
type (
	counter struct {
		Count    json.Number `json:"count"`
		Capacity json.Number `json:"capacity"`
	}
	list struct {
		Capacity json.Number `json:"capacity"`
		Values   []string    `json:"values"`
	}
)

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// key returns a text that is equal for lists with the same values in any order.
func (l *list) key() string {
	return fmt.Sprintf("%s %q", l.Capacity, slices.Sorted(slices.Values(l.Values)))
}

var errNoGameServer = errors.New("the answer is not a GameServer")

// parseGameServer parses the answer of the sidecar.
func parseGameServer(b []byte) (*gameServer, error) {
	g := new(gameServer)
	if err := json.Unmarshal(b, g); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoGameServer, err)
	}
	if g.Meta.Name == "" {
		return nil, errNoGameServer
	}
	return g, nil
}

// State returns the state, "" before the first read.
func (g *gameServer) State() string {
	if g == nil {
		return ""
	}
	return g.Status.State
}

// allocation returns the time of the last allocation.
func (g *gameServer) allocation() string { return g.Meta.Annotations["agones.dev/last-allocated"] }

// healthPeriod returns the time within which Agones expects a report, 0 for never. Before the first
// read it is the default.
func (g *gameServer) healthPeriod() time.Duration {
	switch {
	case g == nil || !g.Spec.Health.Disabled && g.Spec.Health.Period <= 0:
		return 5 * time.Second
	case g.Spec.Health.Disabled:
		return 0
	}
	return time.Duration(g.Spec.Health.Period) * time.Second
}

// port returns the port at which players reach the server, or 0: the port of the name game,
// otherwise the first one. Agones appends -udp to the name of a port for both protocols.
func (g *gameServer) port() int {
	first := 0
	for _, p := range g.Status.Ports {
		switch {
		case p.Port <= 0 || p.Port > 0xffff:
		case p.Name == "game", p.Name == "game-udp":
			return p.Port
		case first == 0:
			first = p.Port
		}
	}
	return first
}

// drainReason returns why the server is to be drained, or "".
func (g *gameServer) drainReason() string {
	for _, values := range []map[string]string{g.Meta.Labels, g.Meta.Annotations} {
		if v := values[drainKey]; v != "" && v != "false" {
			return fmt.Sprintf("the GameServer has %s=%.40q", drainKey, v)
		}
	}
	if g.Meta.Deletion != "" && g.Meta.Deletion != "0" {
		return "the GameServer is being deleted"
	}
	if g.Status.State == "Shutdown" {
		return "the GameServer shuts down"
	}
	return ""
}

func (g *gameServer) setLabel(key, value string) {
	if g.Meta.Labels == nil {
		g.Meta.Labels = map[string]string{}
	}
	g.Meta.Labels[key] = value
}

// String returns the line about the GameServer for the log.
func (g *gameServer) String() string {
	var keeps []string
	if g.Status.Counters[players] != nil {
		keeps = append(keeps, "counter players")
	}
	if g.Status.Lists[players] != nil {
		keeps = append(keeps, "list players")
	}
	text := fmt.Sprintf("this is the GameServer %.64q in %.64q; it is %.20q", g.Meta.Name, g.Meta.Namespace, g.Status.State)
	if len(keeps) > 0 {
		text += ", and has a " + strings.Join(keeps, " and a ")
	}
	return text
}

// maxLabel is the longest value of a label.
const maxLabel = 63

// labelValue returns a text in the form of values of labels: letters, digits, '-', '_' and '.',
// with a letter or digit at both ends.
func labelValue(text string) string {
	valid := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, text)
	if len(valid) > maxLabel {
		valid = valid[:maxLabel]
	}
	return strings.Trim(valid, "-_.")
}
