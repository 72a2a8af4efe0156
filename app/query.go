package app

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

type queryCmd struct {
	Host    string        `arg:"" help:"Server, as host, host:port or tw-0.7+udp://host:port."`
	Timeout time.Duration `help:"Time to wait for an answer." default:"2.5s"`
	JSON    bool          `name:"json" help:"Print one JSON object."`
}

func (queryCmd) Help() string {
	return `The server is queried in all protocols at once: Teeworlds 0.7, Teeworlds 0.6, DDNet, and the protocol
of Half-Life and Source servers (A2S). The answers are combined. The default port is 8303, or 27015
if only a Half-Life server answers. A scheme that names a version, as in tw-0.7+udp://HOST:PORT,
queries in that version only.

  teeyard query localhost
  teeyard query localhost:8304 --json | jq -r '.info.clients[].name'`
}

const whyNoAnswer = "Is the server running, is this its UDP port, and does a firewall let UDP through?"

// explainNoAnswer adds advice to an error of joining a server that did not answer.
func explainNoAnswer(host string, err error) error {
	switch {
	case errors.Is(err, client.ErrNoAnswer):
		return fmt.Errorf("%s does not answer.\n%s", host, whyNoAnswer)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("joining %s: the server answers, but the client did not get into the game in time", host)
	}
	return err
}

// Run queries a server and prints the answers.
func (c *queryCmd) Run(ctx context.Context) error {
	if c.Timeout <= 0 {
		return usageErrorf("--timeout must be greater than 0")
	}
	r, halfLife, err := c.queryServer(ctx)
	if errors.Is(err, query.ErrNoAnswer) {
		return fmt.Errorf("%v did not answer within %v; tried %s.\n%s", r.Addr, c.Timeout, c.tried(), whyNoAnswer)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		s := newServerJSON(&r)
		if halfLife != nil {
			s.HalfLife = newHalfLifeJSON(halfLife)
			s.Addresses[0], s.Error = halfLife.Peer.String(), ""
		}
		return json.NewEncoder(os.Stdout).Encode(s)
	}
	if r.Err != nil {
		printHalfLife(os.Stdout, halfLife)
		return nil
	}
	printServer(os.Stdout, &r, halfLife)
	return nil
}

// tried lists the protocols in which the server was queried.
func (c *queryCmd) tried() string {
	const only6 = "0.6, 0.6 extended, 0.6 with 64 players"
	a, _ := transport.ParseAddress(c.Host)
	switch v, _ := query.AddressVersions(a); v {
	case query.Version6:
		return only6
	case query.Version7:
		return "0.7"
	}
	return "0.7, " + only6 + ", A2S and Half-Life"
}

// serverJSON is a server in JSON. Info has the format of DDNet's lists.
type serverJSON struct {
	Addresses  []string        `json:"addresses"`
	Protocols  []string        `json:"protocols"`
	LatencyMS  float64         `json:"latency_ms,omitempty"`
	NumPlayers int             `json:"num_players"`
	NumClients int             `json:"num_clients"`
	Complete   bool            `json:"complete"`
	Hostname   string          `json:"hostname,omitempty"`
	SkillLevel int             `json:"skill_level,omitempty"`
	Bots       []string        `json:"bots,omitempty"`
	Location   string          `json:"location,omitempty"`
	Error      string          `json:"error,omitempty"`
	Info       json.RawMessage `json:"info,omitempty"`
	HalfLife   *halfLifeJSON   `json:"half_life,omitempty"`
}

func newServerJSON(r *query.Result) serverJSON {
	s := serverJSON{
		Addresses: []string{r.Addr.String()}, Protocols: []string{}, LatencyMS: float64(r.Latency.Microseconds()) / 1000,
		NumPlayers: r.Info.NumPlayers, NumClients: r.Info.NumClients, Complete: r.Complete,
		Hostname: r.Info.Hostname, SkillLevel: r.Info.SkillLevel,
	}
	for _, v := range []query.Versions{query.Version6, query.Version7} {
		if r.Versions()&v != 0 {
			s.Protocols = append(s.Protocols, v.String())
		}
	}
	for _, c := range r.Info.Clients {
		if c.Bot {
			s.Bots = append(s.Bots, c.Name)
		}
	}
	if r.Err != nil {
		s.Error = r.Err.Error()
		return s
	}
	s.Info = query.AppendJSON(nil, &r.Info)
	return s
}

var skillLevels = [...]string{"casual", "normal", "competitive"}

// printServer prints a server as a table: its information, then its players. halfLife is nil if the
// server does not speak the Half-Life protocol.
func printServer(w io.Writer, r *query.Result, halfLife *halfLifeAnswer) {
	i := &r.Info
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(what, format string, args ...any) { fmt.Fprintf(t, what+"\t"+format+"\n", args...) }
	line("name", "%s", i.Name)
	line("address", "%v", r.Addr)
	if i.Hostname != "" {
		line("host name", "%s", i.Hostname)
	}
	as := answersAs(r)
	if halfLife != nil {
		as += ", " + strings.Join(halfLife.formats, ", ")
	}
	line("answers as", "%s", as)
	version := i.Version
	if _, own, ok := strings.Cut(version, "↔"); ok {
		version = own // the part before it is for server browsers to filter by
	}
	line("version", "%s", version)
	line("mode", "%s", i.GameType)
	gameMap := i.Map
	if i.MapSize != 0 {
		gameMap += fmt.Sprintf(", for 0.6: %d bytes, CRC %08x", i.MapSize, i.MapCRC)
	}
	if i.MapSHA256 != [32]byte{} {
		gameMap += ", SHA-256 " + hex.EncodeToString(i.MapSHA256[:])
	}
	line("map", "%s", gameMap)
	if r.Formats[query.Format7] && i.SkillLevel >= 0 && i.SkillLevel < len(skillLevels) {
		line("skill", "%s", skillLevels[i.SkillLevel])
	}
	if i.Password {
		line("password", "needed")
	}
	line("players", "%d of %d", i.NumPlayers, i.MaxPlayers)
	line("clients", "%d of %d", i.NumClients, i.MaxClients)
	line("latency", "%s", roundedDuration(r.Latency, 100*time.Microsecond))
	t.Flush()
	if len(i.Clients) > 0 {
		fmt.Fprintln(w)
		printClients(w, i)
	}
	if missing := i.NumClients - len(i.Clients); missing > 0 {
		fmt.Fprintf(w, "and %d that the server does not list\n", missing)
	}
}

// answersAs lists the versions in which a server answers, and the 0.6 variants.
func answersAs(r *query.Result) string {
	var forms, all []string
	for f, ok := range r.Formats {
		name := query.Format(f).String()
		switch {
		case !ok:
		case query.Format(f) == query.Format7:
			all = append(all, name)
		case query.Format(f) == query.FormatPlain6:
			forms = append(forms, "plain")
		default:
			forms = append(forms, strings.TrimPrefix(name, "0.6 "))
		}
	}
	if len(forms) > 0 {
		all = append([]string{"0.6 (" + strings.Join(forms, ", ") + ")"}, all...)
	}
	return strings.Join(all, ", ")
}

// printClients prints the clients of a server, best score first and spectators last.
func printClients(w io.Writer, i *query.Info) {
	clients := slices.Clone(i.Clients)
	slices.SortStableFunc(clients, func(a, b query.Client) int {
		if a.Spectator != b.Spectator {
			if b.Spectator {
				return -1
			}
			return 1
		}
		if !i.TimeScore {
			return cmp.Compare(b.Score, a.Score)
		}
		if (a.Score == query.NoTime) != (b.Score == query.NoTime) {
			if b.Score == query.NoTime {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Score, b.Score)
	})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	what := "score"
	if i.TimeScore {
		what = "time"
	}
	fmt.Fprintf(t, "%s\tname\tclan\tcountry\t\n", what)
	for _, c := range clients {
		var notes []string
		for _, n := range []struct {
			is   bool
			note string
		}{{c.Spectator, "watches"}, {c.Bot, "bot"}, {c.AFK, "away"}} {
			if n.is {
				notes = append(notes, n.note)
			}
		}
		country := ""
		if c.Country >= 0 {
			country = strconv.Itoa(int(c.Country))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", scoreText(i, &c), c.Name, c.Clan, country, strings.Join(notes, ", "))
	}
	t.Flush()
}

// scoreText formats a client's score.
func scoreText(i *query.Info, c *query.Client) string {
	switch {
	case !i.TimeScore:
		return strconv.Itoa(int(c.Score))
	case c.Score == query.NoTime:
		return "-"
	}
	return fmt.Sprintf("%d:%02d", c.Score/60, c.Score%60)
}
