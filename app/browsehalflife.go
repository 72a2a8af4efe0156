package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// browseHalfLife lists the servers of a Half-Life master server.
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
	ctx, cancel := c.withMaxTime(ctx)
	defer cancel()
	stopped := halflife.QueryAll(ctx, conn, peers, cfg, func(st halflife.Status, err error) {
		asked++
		show.show("%d of %s queried", asked, words.Count(len(peers), "server"))
		if err != nil {
			silent++
			return
		}
		form := "Half-Life"
		if st.Format == wire.FormatA2S {
			form = "A2S"
		}
		all = append(all, halfLifeAnswer{st, []string{form}})
	})
	show.clear()
	total := len(all)
	all = slices.DeleteFunc(all, func(a halfLifeAnswer) bool {
		return !c.matches(a.Info.Name, a.Info.Map, a.Info.Players, a.Info.Dir, a.Info.Game, a.Info.Keywords)
	})
	slices.SortStableFunc(all, func(a, b halfLifeAnswer) int {
		return cmp.Or(cmp.Compare(b.Info.Players, a.Info.Players), cmp.Compare(a.Info.Name, b.Info.Name), a.Peer.Compare(b.Peer))
	})
	return printServers(c, all, "players\tgame\tmap\tname\taddress\tlatency", total, silent, stopped)
}

func (a halfLifeAnswer) toJSON() any { return newHalfLifeJSON(&a) }

func (a halfLifeAnswer) tableRow() string {
	i := &a.Info
	return fmt.Sprintf(
		"%d/%d\t%s\t%s\t%s\t%v\t%s",
		i.Players,
		i.Max,
		i.Game,
		i.Map,
		withPassword(i.Name, i.Password),
		a.Peer,
		roundedDuration(a.Ping, time.Millisecond),
	)
}

// fetchHalfLifeList returns the addresses in a master's list. It asks with the newer request and,
// without an answer, with the older one. Addresses in local networks count only if the master's own
// address is in one.
func fetchHalfLifeList(ctx context.Context, conn transport.Conn, master transport.Peer, show *progressLine) ([]transport.Peer, error) {
	var peers []transport.Peer
	var err error
	for _, form := range []wire.ListFormat{wire.ListSteam, wire.ListBatch} {
		peers, err = halflife.FetchList(ctx, conn, master, halflife.ListConfig{
			Format: form, IncludeLAN: transport.IsLAN(master.Addr()), OnPage: func(n int) { show.show("%s on the list", words.Count(n, "server")) },
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

// progressLine shows progress on one line of a terminal.
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
