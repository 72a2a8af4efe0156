package halflife

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/halflife/internal/listable"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/transport"
)

// ListConfig configures FetchList.
type ListConfig struct {
	// Format is the request format. The zero value is supported by most masters.
	Format wire.ListFormat
	// Filter selects servers. wire.ListBatch and wire.ListAll cannot send a filter.
	Filter wire.Filter
	// IncludeLAN keeps addresses of local networks. Public masters should not list such addresses.
	IncludeLAN bool
	// OnPage, if set, is called after each page with the number of servers so far.
	OnPage func(servers int)
}

const (
	listAttempts     = 3
	listTimeout      = 500 * time.Millisecond
	extraPageTimeout = 150 * time.Millisecond // for each page that was not requested
	maxListTime      = 30 * time.Second
	maxPages         = 100 // also the limit for pages that were not requested
	maxListed        = 20000
)

// FetchList requests the list of a master. No other goroutine may read from conn meanwhile.
// Repeated entries, and addresses that cannot be servers, are left out. FetchList reads for at most
// 30 s and returns at most 20,000 servers. If the master stops answering, FetchList returns the
// servers so far and an error that wraps ErrNoAnswer. Other errors come from ctx or the connection.
func FetchList(ctx context.Context, conn transport.Conn, master transport.Peer, cfg ListConfig) ([]transport.Peer, error) {
	defer context.AfterFunc(ctx, conn.Wake)()
	f := listFetcher{conn: conn, master: transport.Unmap(master), cfg: cfg, end: conn.Now() + int64(maxListTime), seen: make(map[transport.Peer]bool)}
	f.batch = make([]transport.Datagram, 1)
	req := wire.ListRequest{Format: cfg.Format, Region: wire.RegionAll, Filter: cfg.Filter, HasFilter: cfg.Filter != wire.Filter{}}
	ids, cursors := map[uint32]bool{0: true}, map[netip.AddrPort]bool{{}: true}
	for range maxPages {
		if f.isFull() {
			return f.servers, nil
		}
		page, err := f.requestPage(ctx, &req)
		if err != nil {
			return f.servers, err
		}
		more := false
		switch page.Format {
		case wire.ListBatch:
			req.ID, more = page.Next, !ids[page.Next]
			ids[page.Next] = true
		case wire.ListSteam:
			if n := len(page.Servers); n > 0 && !page.End {
				req.After = page.Servers[n-1]
				more = !cursors[req.After]
				cursors[req.After] = true
			}
		}
		if !more {
			break
		}
	}
	// Some masters send further pages without a request and mark each one as the last.
	if cfg.Format == wire.ListSteam || cfg.Format == wire.ListAll {
		for range maxPages {
			if f.isFull() {
				break
			}
			page, err := f.readPage(ctx, conn.Now()+int64(extraPageTimeout))
			if err != nil || page == nil {
				return f.servers, err
			}
		}
	}
	return f.servers, nil
}

// isFull reports whether the limit of servers or of time is reached.
func (f *listFetcher) isFull() bool { return len(f.servers) >= maxListed || f.conn.Now() >= f.end }

type listFetcher struct {
	conn    transport.Conn
	master  transport.Peer
	cfg     ListConfig
	end     int64 // ns
	batch   []transport.Datagram
	seen    map[transport.Peer]bool
	servers []transport.Peer
	buf     []byte
}

// requestPage sends the request and repeats it until a page arrives.
func (f *listFetcher) requestPage(ctx context.Context, req *wire.ListRequest) (*wire.List, error) {
	f.buf = wire.AppendListRequest(f.buf[:0], req)
	for try := range listAttempts {
		f.conn.Send(f.master, f.buf)
		page, err := f.readPage(ctx, f.conn.Now()+int64(listTimeout<<try))
		if page != nil || err != nil {
			return page, err
		}
	}
	return nil, fmt.Errorf("%w from the master %v", ErrNoAnswer, f.master)
}

// readPage returns the next page, or nil when the time is up.
func (f *listFetcher) readPage(ctx context.Context, until int64) (*wire.List, error) {
	for {
		d, ok, err := receive(ctx, f.conn, f.batch, f.master, until)
		if !ok {
			return nil, err
		}
		page, err := wire.ParseList(d.Data)
		if err != nil {
			continue
		}
		for _, addr := range page.Servers {
			s := transport.Peer{AddrPort: addr}
			if listable.Is(s, f.cfg.IncludeLAN) && !f.seen[s] && len(f.servers) < maxListed {
				f.seen[s] = true
				f.servers = append(f.servers, s)
			}
		}
		if f.cfg.OnPage != nil {
			f.cfg.OnPage(len(f.servers))
		}
		return &page, nil
	}
}
