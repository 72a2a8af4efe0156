package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/storage"
	"github.com/teeyard/teeyard/web"
)

// Database stores the ranks of many servers.
type Database interface {
	rank.Remote
	rank.Source
	// Setup creates the tables that do not exist yet.
	Setup(ctx context.Context) error
	// Close closes the connections.
	Close() error
}

// DatabaseConfig locates a database.
type DatabaseConfig struct {
	Addr     string // HOST:PORT, or the path of a Unix socket
	User     string
	Password string
	Database string
	Prefix   string // of the table names
}

// databaseSetting is the database that a server's configuration names.
type databaseSetting struct {
	open  func(DatabaseConfig) (Database, error)
	cfg   DatabaseConfig
	set   bool // add_sqlserver has run
	setup bool
	use   int

	ranks *rank.Shared // in the database, nil without one
}

// register adds the command add_sqlserver and the setting sv_use_sql, both from DDNet.
func (d *databaseSetting) register(c *console.Console) error {
	err := c.RegisterInt(
		console.IntVar{
			Name:    "sv_use_sql",
			Help:    "Keep the ranks also in the database of add_sqlserver (teeyard-fleet); used when the server starts",
			Flags:   console.Server,
			Value:   &d.use,
			Default: 1,
			Max:     1,
		},
	)
	if err != nil {
		return err
	}
	return c.Register(console.Command{
		Name: "add_sqlserver", Params: "s['r'|'w'] s[database] s[prefix] s[user] s[password] s[host] i[port] ?i[set up]",
		Help:  "Set the database of the ranks (teeyard-fleet): 'w' is used, 'r' has no effect; used when the server starts",
		Flags: console.Server | console.Secret,
		Run: func(call *console.Call) {
			switch call.Args[0] {
			case "w":
			case "r":
				return // the database for writing is also read
			default:
				call.Warn("ranks", "add_sqlserver: the first argument must be r or w, not %q", call.Args[0])
				return
			}
			d.set, d.setup = true, len(call.Args) < 8 || call.Args[7] != "0"
			d.cfg = DatabaseConfig{
				Database: call.Args[1],
				Prefix:   call.Args[2],
				User:     call.Args[3],
				Password: call.Args[4],
				Addr:     net.JoinHostPort(call.Args[5], call.Args[6]),
			}
		},
	})
}

// openRanks opens the ranks of a server, with the database if there is one.
func (d *databaseSetting) openRanks(path string, log *slog.Logger) storage.Ranks {
	log = log.With(logline.SystemKey, "ranks")
	cfg := rank.Config{Path: path, Report: func(text string) { log.Warn(text) }}
	switch {
	case !d.set:
		return rank.Open(cfg)
	case d.open == nil:
		log.Warn("add_sqlserver: the ranks are stored in " + path + " only, since this program supports no databases; run teeyard-fleet instead")
		return rank.Open(cfg)
	case d.use == 0:
		// Test servers of DDNet read the same list of databases but must not write to them.
		log.Info("sv_use_sql is 0: the ranks are stored in " + path + " only, not in the database of add_sqlserver")
		return rank.Open(cfg)
	}
	db, err := d.open(d.cfg)
	if err != nil {
		log.Warn("add_sqlserver: " + err.Error())
		return rank.Open(cfg)
	}
	if d.setup {
		cfg.Prepare = db.Setup
	}
	log.Info(fmt.Sprintf("the ranks are stored in the database %s at %s, and first in %s", d.cfg.Database, d.cfg.Addr, path))
	d.ranks = rank.OpenShared(cfg, db)
	return d.ranks
}

// values returns the values for /metrics. Call it after the server has opened the ranks.
func (d *databaseSetting) values() []web.Value {
	if d.ranks == nil {
		return nil
	}
	return []web.Value{{
		Name: "ranks_undelivered", Kind: metrics.Gauge, Help: "Finishes and saves in the journal that the database may not have yet.",
		Read: func() float64 { return float64(d.ranks.Undelivered()) },
	}}
}

type ranksCmd struct {
	List   ranksListCmd   `cmd:"" default:"withargs" help:"List the finished maps, or the ranks of one map."`
	Import ranksImportCmd `cmd:"" help:"Import the ranks, saves, points and maps of a DDNet server."`
	Verify ranksVerifyCmd `cmd:"" help:"Verify a finish by running its match again."`
}

// serverFolder are the flags that select a server's folder: the one to which serve writes.
type serverFolder struct {
	Dir      string `help:"Folder of the server. By default the folder to which serve writes." type:"existingdir" env:"TEEYARD_DIR"`
	Original bool   `help:"The server runs with --original, or under the name teeworlds-server." xor:"original"`
	DDNet    bool   `name:"ddnet" help:"The server runs with --ddnet, or under the name DDNet-Server." xor:"original"`
}

func (f *serverFolder) path() string {
	return newStorage(f.Dir, chooseOriginal(f.Original, f.DDNet))[0]
}

type ranksImportCmd struct {
	serverFolder
	From   string `arg:"" help:"DDNet's SQLite file (needs the program sqlite3). In teeyard-fleet also USER:PASSWORD@HOST:PORT/DATABASE."`
	Into   string `help:"The server's rank file (sv_ranks). By default ranks.journal in its folder. The server may be running." placeholder:"FILE"`
	Prefix string `default:"record" help:"Prefix of the table names." placeholder:"TEXT"`
}

func (*ranksImportCmd) Help() string {
	return `You can repeat an import: it adds only new entries. If the points of a player have changed in the
source, the import replaces them.`
}

// Run imports the ranks.
func (c *ranksImportCmd) Run(ctx context.Context, p *program) error {
	from, err := c.source(p)
	if err != nil {
		return err
	}
	into := cmp.Or(c.Into, filepath.Join(c.path(), "ranks.journal"))
	j := rank.Open(rank.Config{Path: into, NoRetry: true, Report: func(text string) { fmt.Fprintln(os.Stderr, text) }})
	r, err := rank.Import(ctx, from, c.Prefix, j.Add)
	err = cmp.Or(err, j.Close())
	if err != nil && r.New == 0 {
		return fmt.Errorf("the import added nothing: %w", err)
	}
	fmt.Printf(
		"%s: %s, %s, %s, points of %s, %s; %d of these are new\n",
		safetext.Line(into),
		words.Count(r.Finishes, "finish"),
		words.Count(r.TeamFinishes, "team finish"),
		words.Count(r.Maps, "map"),
		words.Count(r.Points, "player"),
		words.Count(r.Saves, "save"),
		r.New,
	)
	for _, kind := range []struct {
		n          int
		text, noun string
	}{
		{r.Refused, "left out: %s, invalid: for example without a map, a name or a time, or with column separators in a text\n", "row"},
		{r.BadPoints, "left out: %s whose points or stars are not numbers of at least 0\n", "row"},
		{r.BadSaves, "left out: %s, unreadable\n", "save"},
		{r.Undated, "kept without a date: %s whose date is invalid or in the future\n", "row"},
		{r.Renamed, "kept with another name: %s whose name is longer than 15 bytes or not UTF-8\n", "row"},
	} {
		if kind.n > 0 {
			fmt.Printf(kind.text, words.Count(kind.n, kind.noun))
		}
	}
	if err != nil {
		return fmt.Errorf("the import is incomplete: %w", err)
	}
	return nil
}

func (c *ranksImportCmd) source(p *program) (rank.Source, error) {
	if _, err := os.Stat(c.From); err == nil {
		return rank.SQLite(c.From), nil
	} else if !strings.Contains(c.From, "@") {
		return nil, err
	}
	if p.openDatabase == nil {
		return nil, fmt.Errorf(
			"%s is not a file, and this program supports no databases; run teeyard-fleet instead",
			c.From[strings.LastIndex(c.From, "@")+1:],
		)
	}
	at := strings.LastIndex(c.From, "@")
	user, password, _ := strings.Cut(c.From[:at], ":")
	addr, name, _ := strings.Cut(c.From[at+1:], "/")
	return p.openDatabase(DatabaseConfig{Addr: addr, User: user, Password: password, Database: name, Prefix: c.Prefix})
}
