package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

type browseCmd struct {
	Master   string        `arg:"" help:"Master server: the URL of a servers.json, or the host, host:port or tw-0.7+udp://host:port of a UDP master."`
	Name     string        `help:"Only servers whose name contains this text."`
	GameType string        `name:"gametype" help:"Only servers with this game type."`
	Map      string        `help:"Only servers on this map."`
	NotEmpty bool          `help:"Only servers with at least one client."`
	Ask      bool          `help:"Query every server, even if the list contains its information."`
	Timeout  time.Duration `help:"Time to wait for each answer." default:"2.5s"`
	Rate     int           `help:"Number of servers to query per second." default:"200"`
	MaxTime  time.Duration `help:"Time limit for all queries together." default:"30s"`
	HalfLife bool          `name:"halflife" help:"The master server uses the Half-Life protocol."`
	JSON     bool          `name:"json" help:"Print one JSON object per server."`
}

func (browseCmd) Help() string {
	return `Lists on the web, such as DDNet's, describe their servers:

  teeyard browse ` + master.DefaultList + `

UDP masters, such as those of Teeworlds, list only addresses; each server is queried.
Without a port both versions are tried, 0.6 on port 8300 and 0.7 on 8283:

  teeyard browse master1.teeworlds.com --not-empty
  teeyard browse master1.teeworlds.com:8283 --gametype ctf --json | jq .info.name

The usual port of Half-Life masters is 27010. "teeyard master" is one:

  teeyard browse --halflife localhost --gametype teeworlds`
}

// Run lists servers.
func (c *browseCmd) Run(ctx context.Context) error {
	if c.Rate <= 0 || c.Timeout <= 0 || c.MaxTime <= 0 {
		return usageErrorf("--rate, --timeout and --max-time must be greater than 0")
	}
	if c.HalfLife {
		return c.browseHalfLife(ctx)
	}
	servers, err := c.fetchList(ctx)
	if err != nil {
		return err
	}
	all, silent, stopped := c.queryServers(ctx, servers)
	total := len(all)
	all = slices.DeleteFunc(all, func(s listedServer) bool {
		i := &s.result.Info
		return !c.matches(i.Name, i.Map, i.NumClients, i.GameType)
	})
	slices.SortStableFunc(all, func(a, b listedServer) int {
		return cmp.Or(
			cmp.Compare(b.result.Info.NumClients, a.result.Info.NumClients),
			cmp.Compare(a.result.Info.Name, b.result.Info.Name),
			a.result.Addr.Compare(b.result.Addr),
		)
	})
	return printServers(c, all, "clients\tmode\tmap\tname\taddress\tprotocols\tlatency", total, silent, stopped)
}

// serverRow is a server that printServers can print.
type serverRow interface {
	toJSON() any
	tableRow() string
}

// printServers prints servers as JSON, or as a table followed by the number of all servers and of
// those that did not answer. stopped tells why some listed servers were not queried; it is nil if
// all were.
func printServers[T serverRow](c *browseCmd, servers []T, header string, total, silent int, stopped error) error {
	if c.JSON {
		enc := json.NewEncoder(os.Stdout)
		for _, s := range servers {
			if err := enc.Encode(s.toJSON()); err != nil {
				return err
			}
		}
		return incomplete(stopped)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, header)
	for _, s := range servers {
		fmt.Fprintln(t, s.tableRow())
	}
	t.Flush()
	fmt.Fprintf(os.Stderr, "%s", words.Count(len(servers), "server"))
	if len(servers) != total {
		fmt.Fprintf(os.Stderr, " of %d", total)
	}
	if silent > 0 {
		fmt.Fprintf(os.Stderr, "; %d more did not answer", silent)
	}
	fmt.Fprintln(os.Stderr)
	return incomplete(stopped)
}

// errMaxTime is the cause of a context that --max-time ended.
var errMaxTime = errors.New("--max-time is over; set a longer time or a higher --rate")

// withMaxTime returns a context for queries that ends after --max-time.
func (c *browseCmd) withMaxTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.MaxTime, errMaxTime)
}

// incomplete reports that some listed servers were not queried, and why: on stderr after
// --max-time, otherwise as an error. A nil reason means that all were queried.
func incomplete(why error) error {
	if why != nil {
		why = fmt.Errorf("not all servers on the list were queried: %w", why)
	}
	if errors.Is(why, errMaxTime) {
		fmt.Fprintln(os.Stderr, why)
		return nil
	}
	return why
}

// withPassword returns a server's name, marked if the server needs a password.
func withPassword(name string, password bool) string {
	if password {
		name += " (password)"
	}
	return name
}

// listedServer is a server of a list with the information that it or the master gave.
type listedServer struct {
	server master.Server
	result query.Result
}

func (s listedServer) versions() query.Versions {
	v := s.result.Versions()
	for _, a := range s.server.Addrs {
		v |= a.Version
	}
	return v
}

func (s listedServer) toJSON() any {
	out := newServerJSON(&s.result)
	out.Addresses, out.Protocols, out.Location = nil, nil, s.server.Location
	for _, a := range s.server.Addrs {
		if text := a.Peer.String(); !slices.Contains(out.Addresses, text) {
			out.Addresses = append(out.Addresses, text)
		}
	}
	for _, v := range []query.Versions{query.Version6, query.Version7} {
		if s.versions()&v != 0 {
			out.Protocols = append(out.Protocols, v.String())
		}
	}
	return out
}

// fetchList returns the server list of a master.
func (c *browseCmd) fetchList(ctx context.Context) ([]master.Server, error) {
	a, err := transport.ParseAddress(c.Master)
	if err != nil {
		return nil, err
	}
	if a.IsWeb() {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		servers, skipped, err := master.Fetch(ctx, nil, a.String())
		if err == nil && skipped > 0 {
			fmt.Fprintf(os.Stderr, "%s, and left out\n", words.Clause(skipped, "entry", "of the list is invalid", "of the list are invalid"))
		}
		return servers, err
	}
	if !a.IsGame() {
		return nil, fmt.Errorf("%q is not the address of a master server; write it as an http or https URL, or as host:port", c.Master)
	}
	only, err := query.AddressVersions(a)
	if err != nil {
		return nil, err
	}
	var masters []master.UDPMaster
	for _, v := range []master.UDPMaster{{Version: query.Version6}, {Version: query.Version7}} {
		if only != 0 && only != v.Version {
			continue
		}
		port := uint16(master.Port6)
		if v.Version == query.Version7 {
			port = master.Port7
		}
		var err error
		if v.Peer, err = udp.Resolve(ctx, c.Master, port); err != nil {
			return nil, err
		}
		masters = append(masters, v)
	}
	sock, err := query.Listen()
	if err != nil {
		return nil, err
	}
	defer sock.Close()
	addrs, err := master.ListUDP(ctx, sock, master.UDPConfig{}, masters...)
	if errors.Is(err, master.ErrNoAnswer) {
		var tried []string
		for _, m := range masters {
			tried = append(tried, fmt.Sprintf("%v (as %v)", m.Peer, m.Version))
		}
		return nil, fmt.Errorf("no master answers at %s; does a firewall let UDP through?", strings.Join(tried, " or "))
	}
	// A server may be on both lists.
	at := map[transport.Peer]int{}
	var servers []master.Server
	for _, a := range addrs {
		n, ok := at[a.Peer]
		if !ok {
			n = len(servers)
			at[a.Peer] = n
			servers = append(servers, master.Server{})
		}
		servers[n].Addrs = append(servers[n].Addrs, a)
	}
	return servers, err
}

// queryServers queries the servers for which the list has no information. The error tells why some
// were not queried.
func (c *browseCmd) queryServers(ctx context.Context, servers []master.Server) (all []listedServer, silent int, err error) {
	at := map[transport.Peer]int{}
	var targets []query.Target
	for n, s := range servers {
		if s.Info != nil && !c.Ask {
			all = append(all, listedServer{s, query.Result{Addr: s.Addrs[0].Peer, Info: *s.Info, Complete: true}})
			continue
		}
		peer := s.Addrs[0].Peer
		var versions query.Versions
		for _, a := range s.Addrs {
			if a.Peer == peer {
				versions |= a.Version
			}
		}
		if _, twice := at[peer]; !twice {
			at[peer] = n
			targets = append(targets, query.Target{Addr: peer, Versions: versions})
		}
	}
	if len(targets) == 0 {
		return all, 0, nil
	}
	sock, err := query.Listen()
	if err != nil {
		return all, 0, err
	}
	defer sock.Close()
	ctx, cancel := c.withMaxTime(ctx)
	defer cancel()
	show := progressLine{enabled: isTerminal(os.Stderr)}
	done := 0
	err = query.AskAll(ctx, sock, query.Config{Timeout: c.Timeout, Rate: c.Rate}, targets, func(r query.Result) {
		done++
		show.show("%d of %s queried", done, words.Count(len(targets), "server"))
		if r.Err != nil {
			silent++
			return
		}
		all = append(all, listedServer{servers[at[r.Addr]], r})
	})
	show.clear()
	return all, silent, err
}

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// matches reports whether a server passes the filters.
func (c *browseCmd) matches(name, gameMap string, clients int, gameTypes ...string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(c.Name)) &&
		(c.GameType == "" || slices.ContainsFunc(gameTypes, func(t string) bool { return strings.EqualFold(t, c.GameType) })) &&
		(c.Map == "" || strings.EqualFold(gameMap, c.Map)) &&
		(!c.NotEmpty || clients > 0)
}

// roundedDuration formats d in whole units, and as "<1ms" if d is shorter than one unit.
func roundedDuration(d, unit time.Duration) string {
	if d < unit {
		return "<" + unit.String()
	}
	return d.Round(unit).String()
}

func (s listedServer) tableRow() string {
	i, latency := &s.result.Info, ""
	if s.result.Latency > 0 {
		latency = roundedDuration(s.result.Latency, time.Millisecond)
	}
	return fmt.Sprintf(
		"%d/%d\t%s\t%s\t%s\t%v\t%v\t%s",
		i.NumClients,
		i.MaxClients,
		i.GameType,
		i.Map,
		withPassword(i.Name, i.Password),
		s.result.Addr,
		s.versions(),
		latency,
	)
}
