package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// halfLifeAnswer is a server's answer in the Half-Life protocol.
type halfLifeAnswer struct {
	halflife.Status
	// formats are the names of the formats in which it answered.
	formats []string
}

// halfLifeWait is the time until the first resend. It is short, since most servers do not speak the
// protocol.
const halfLifeWait = 400 * time.Millisecond

// queryHalfLife queries with the A2S and text requests. It returns nil if the server does not
// answer.
func queryHalfLife(ctx context.Context, peer transport.Peer, timeout time.Duration) *halfLifeAnswer {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ways := []struct {
		ask  halflife.QueryMethod
		name string
	}{{halflife.QueryA2S, "A2S"}, {halflife.QueryText, "Half-Life"}}
	got := make([]*halflife.Status, len(ways))
	var done sync.WaitGroup
	for i, way := range ways {
		done.Go(func() {
			conn, err := udp.Listen(udp.Config{MaxDatagram: halflife.ReceiveBuffer, Batch: 8})
			if err != nil {
				return
			}
			defer conn.Close()
			st, err := halflife.Query(ctx, conn, peer, halflife.QueryConfig{Method: way.ask, Tries: 2, Timeout: min(halfLifeWait, timeout/3)})
			if err == nil {
				got[i] = &st
			}
		})
	}
	done.Wait()
	var a *halfLifeAnswer
	for i, way := range ways {
		if got[i] == nil {
			continue
		}
		if a == nil {
			a = &halfLifeAnswer{Status: *got[i]} // A2S has more fields
		}
		a.formats = append(a.formats, way.name)
	}
	return a
}

// queryServer queries a server in all protocols, or in the protocol that the address's scheme
// names. If the address has no port and Teeworlds' port does not answer, it tries the Half-Life
// port.
func (c *queryCmd) queryServer(ctx context.Context) (r query.Result, halfLife *halfLifeAnswer, err error) {
	peer, err := udp.Resolve(ctx, c.Host, query.DefaultPort)
	if err != nil {
		return r, nil, err
	}
	a, err := transport.ParseAddress(c.Host)
	if err != nil {
		return r, nil, err
	}
	if v, err := query.AddressVersions(a); err != nil || v != 0 {
		r, err = query.AskHost(ctx, query.Config{Timeout: c.Timeout}, c.Host)
		return r, nil, err
	}
	other := transport.Peer{}
	if a.Port == 0 {
		if other, err = udp.Resolve(ctx, c.Host, halflife.DefaultPort); err != nil {
			return r, nil, err
		}
	}
	var onOtherPort *halfLifeAnswer
	var done sync.WaitGroup
	done.Go(func() { halfLife = queryHalfLife(ctx, peer, c.Timeout) })
	if other.IsValid() {
		done.Go(func() { onOtherPort = queryHalfLife(ctx, other, c.Timeout) })
	}
	begun := time.Now()
	r, err = query.AskHost(ctx, query.Config{Timeout: c.Timeout}, peer.String())
	done.Wait()
	if err == nil && halfLife == nil && time.Since(begun) > 3*halfLifeWait {
		halfLife = queryHalfLife(ctx, peer, c.Timeout) // the server may only now have begun to answer
	}
	if errors.Is(err, query.ErrNoAnswer) {
		if halfLife == nil {
			halfLife = onOtherPort
		}
		if halfLife != nil {
			err = nil
		}
	}
	return r, halfLife, err
}

// halfLifeJSON is the JSON form of a halfLifeAnswer.
type halfLifeJSON struct {
	Address   string            `json:"address"`
	Forms     []string          `json:"forms"`
	LatencyMS float64           `json:"latency_ms"`
	Name      string            `json:"name"`
	Map       string            `json:"map"`
	Dir       string            `json:"dir"`
	Game      string            `json:"game"`
	Version   string            `json:"version,omitempty"`
	AppID     uint64            `json:"app_id,omitempty"`
	Players   int               `json:"num_players"`
	Max       int               `json:"max_players"`
	Bots      int               `json:"num_bots"`
	Password  bool              `json:"password"`
	Secure    bool              `json:"secure"`
	Keywords  string            `json:"keywords,omitempty"`
	Clients   []halfLifePlayer  `json:"players"`
	Rules     map[string]string `json:"rules"`
}

type halfLifePlayer struct {
	Name    string `json:"name"`
	Score   int32  `json:"score"`
	Seconds int    `json:"seconds"`
	Bot     bool   `json:"bot,omitempty"`
}

func newHalfLifeJSON(a *halfLifeAnswer) *halfLifeJSON {
	i := &a.Info
	out := &halfLifeJSON{
		Address: a.Peer.String(), Forms: a.formats, LatencyMS: float64(a.Ping.Microseconds()) / 1000,
		Name: i.Name, Map: i.Map, Dir: i.Dir, Game: i.Game, Version: i.Version, AppID: i.AppID,
		Players: i.Players, Max: i.Max, Bots: i.Bots, Password: i.Password, Secure: i.Secure, Keywords: i.Keywords,
		Clients: []halfLifePlayer{}, Rules: map[string]string{},
	}
	for _, p := range a.Players {
		out.Clients = append(out.Clients, halfLifePlayer{p.Name, p.Score, int(p.Time.Seconds()), p.Bot})
	}
	for _, r := range a.Rules {
		out.Rules[r.Name] = r.Value
	}
	return out
}

// printHalfLife prints a server that speaks only the Half-Life protocol, in the style of
// printServer.
func printHalfLife(w io.Writer, a *halfLifeAnswer) {
	i := &a.Info
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(what, format string, args ...any) { fmt.Fprintf(t, what+"\t"+format+"\n", args...) }
	line("name", "%s", i.Name)
	line("address", "%v", a.Peer)
	line("answers as", "%s", strings.Join(a.formats, ", "))
	if i.Version != "" {
		line("version", "%s", i.Version)
	}
	line("game", "%s (%s)", i.Game, i.Dir)
	line("map", "%s", i.Map)
	if i.Password {
		line("password", "needed")
	}
	line("players", "%d of %d", i.Players, i.Max)
	if i.Bots > 0 {
		line("bots", "%d", i.Bots)
	}
	line("latency", "%s", roundedDuration(a.Ping, 100*time.Microsecond))
	t.Flush()
	if len(a.Players) > 0 {
		players := slices.Clone(a.Players)
		slices.SortStableFunc(players, func(a, b wire.Player) int { return cmp.Compare(b.Score, a.Score) })
		fmt.Fprintln(w)
		fmt.Fprintln(t, "score\tname\ttime\t")
		for _, p := range players {
			note := ""
			if p.Bot {
				note = "bot"
			}
			fmt.Fprintf(t, "%d\t%s\t%v\t%s\n", p.Score, p.Name, p.Time.Round(time.Second), note)
		}
		t.Flush()
	}
	if len(a.Rules) > 0 {
		fmt.Fprintln(w)
		fmt.Fprintln(t, "rule\tvalue")
		for _, r := range a.Rules {
			fmt.Fprintf(t, "%s\t%s\n", r.Name, r.Value)
		}
		t.Flush()
	}
}
