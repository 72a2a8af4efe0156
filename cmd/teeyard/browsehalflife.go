package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// browseHalfLife lists the servers of a Half-Life master.
func (c *browseCmd) browseHalfLife(ctx context.Context) error {
	master, err := udp.Resolve(ctx, c.Master, halflife.DefaultMasterPort)
	if err != nil {
		return err
	}
	conn, err := udp.Listen(udp.Config{MaxDatagram: halflife.ReceiveBuffer})
	if err != nil {
		return err
	}
	defer conn.Close()
	show := progressLine{enabled: isTerminal(os.Stderr)}
	peers, err := fetchHalfLifeList(ctx, conn, master, &show)
	if err != nil {
		show.clear()
		return err
	}
	var all []halfLifeAnswer
	silent, asked := 0, 0
	cfg := halflife.QueryConfig{InfoOnly: true, Tries: 2, Timeout: c.Timeout / 3, Rate: c.Rate}
	err = halflife.QueryAll(ctx, conn, peers, cfg, func(st halflife.Status, err error) {
		asked++
		show.show("%d of %d servers queried", asked, len(peers))
		if err != nil {
			silent++
			return
		}
		form := "Half-Life"
		if st.Format == halflife.FormatA2S {
			form = "A2S"
		}
		all = append(all, halfLifeAnswer{st, []string{form}})
	})
	show.clear()
	if err != nil {
		return err
	}
	total := len(all)
	all = slices.DeleteFunc(all, func(a halfLifeAnswer) bool { return !c.matchesHalfLife(&a.Info) })
	slices.SortStableFunc(all, func(a, b halfLifeAnswer) int {
		return cmp.Or(cmp.Compare(b.Info.Players, a.Info.Players), cmp.Compare(a.Info.Name, b.Info.Name), a.Peer.Compare(b.Peer))
	})
	if c.JSON {
		enc := json.NewEncoder(os.Stdout)
		for i := range all {
			if err := enc.Encode(newHalfLifeJSON(&all[i])); err != nil {
				return err
			}
		}
		return nil
	}
	printHalfLifeServers(os.Stdout, all)
	printCounts(len(all), total, silent)
	return nil
}

// fetchHalfLifeList gets the addresses of a master's list, in the newer form or else the
// older one. Addresses of local networks count if the master is in one.
func fetchHalfLifeList(ctx context.Context, conn transport.Conn, master transport.Peer, show *progressLine) ([]transport.Peer, error) {
	var peers []transport.Peer
	var err error
	for _, form := range []halflife.ListFormat{halflife.ListSteam, halflife.ListBatch} {
		peers, err = halflife.FetchList(ctx, conn, master, halflife.ListConfig{
			Format: form, IncludeLAN: halflife.IsLAN(master.Addr()), OnPage: func(n int) { show.show("%d servers on the list", n) },
		})
		if len(peers) > 0 && errors.Is(err, halflife.ErrNoAnswer) {
			fmt.Fprintf(os.Stderr, "the list is not complete: %v\n", err)
			return peers, nil
		}
		if !errors.Is(err, halflife.ErrNoAnswer) {
			return peers, err
		}
	}
	return nil, fmt.Errorf("no Half-Life master answers at %v; does a firewall let UDP through?", master)
}

// matchesHalfLife reports whether a server passes the filters.
func (c *browseCmd) matchesHalfLife(i *halflife.Info) bool {
	return strings.Contains(strings.ToLower(i.Name), strings.ToLower(c.Name)) &&
		(c.GameType == "" || strings.EqualFold(i.Dir, c.GameType) || strings.EqualFold(i.Game, c.GameType) || strings.EqualFold(i.Keywords, c.GameType)) &&
		(c.Map == "" || strings.EqualFold(i.Map, c.Map)) &&
		(!c.NotEmpty || i.Players > 0)
}

func printHalfLifeServers(w io.Writer, all []halfLifeAnswer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "players\tgame\tmap\tname\taddress\tlatency")
	for i := range all {
		a := &all[i]
		name := a.Info.Name
		if a.Info.Password {
			name += " (password)"
		}
		fmt.Fprintf(t, "%d/%d\t%s\t%s\t%s\t%v\t%s\n", a.Info.Players, a.Info.Max, a.Info.Game, a.Info.Map, name, a.Peer, roundedDuration(a.Ping, time.Millisecond))
	}
	t.Flush()
}

// progressLine is a line on a terminal that shows progress.
type progressLine struct{ enabled bool }

func (p *progressLine) show(format string, args ...any) {
	if p.enabled {
		fmt.Fprintf(os.Stderr, "\r\x1b[K"+format, args...)
	}
}

func (p *progressLine) clear() {
	if p.enabled {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}

// printCounts prints how many servers there were.
func printCounts(shown, total, silent int) {
	fmt.Fprintf(os.Stderr, "%d servers", shown)
	if shown != total {
		fmt.Fprintf(os.Stderr, " of %d", total)
	}
	if silent > 0 {
		fmt.Fprintf(os.Stderr, "; %d more did not answer", silent)
	}
	fmt.Fprintln(os.Stderr)
}
