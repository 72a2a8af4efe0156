package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

type botsCmd struct {
	Host     []string      `arg:"" help:"Servers, as host, host:port or tw-0.7+udp://host:port. The bots are spread over them."`
	Count    int           `help:"Number of bots." default:"4"`
	Skill    int           `help:"1 (beginner) to 3 (strong); 0 plays at random and does not load the map." default:"2"`
	Seed     uint64        `help:"Seed of the bots. The same seed gives the same bots." default:"1"`
	Duration time.Duration `help:"Time after which the bots leave; 0 plays until interrupted." default:"30s"`
	Pace     time.Duration `help:"Time between two joins." default:"20ms"`
	Name     string        `help:"Name of the bots; a number is added." default:"bot"`
	Password string        `help:"Password of the game." env:"TEEYARD_PASSWORD"`
	Protocol string        `help:"Protocol: 0.7, 0.6 (also DDNet), or any to detect it." enum:"any,0.7,0.6" default:"any"`
	Cache    string        `help:"Folder for downloaded maps; \"-\" keeps them in memory only." placeholder:"DIR"`
	JSON     bool          `name:"json" help:"Print the report as JSON."`
}

// Help explains the report.
func (botsCmd) Help() string {
	return `The bots play on any 0.7, 0.6 or DDNet server. At the end, a report shows how long joining took, how
many snapshots arrived and whether they were correct, and how early the inputs arrived. On this
machine each bot has its own address, so that limits per address do not apply.

  teeyard bots localhost
  teeyard bots localhost --count 8 --skill 3 --duration 1m`
}

// Run plays for the duration and prints the report.
func (c *botsCmd) Run(ctx context.Context) error {
	if c.Count < 1 || c.Count > 1000 {
		return usageErrorf("--count must be from 1 to 1000")
	}
	if c.Skill < 0 || c.Skill > 3 {
		return usageErrorf("--skill must be from 0 to 3")
	}
	if c.Duration < 0 || c.Pace < 0 {
		return usageErrorf("--duration and --pace must not be negative")
	}
	if c.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Duration)
		defer cancel()
	}
	var servers []transport.Peer
	var versions []client.Version
	for _, host := range c.Host {
		peer, err := udp.Resolve(ctx, host, client.DefaultPort)
		if err != nil {
			return err
		}
		v, err := c.versionFor(host)
		if err != nil {
			return err
		}
		servers, versions = append(servers, peer), append(versions, v)
	}
	start := time.Now()
	progress := newQueue(os.Stderr, false)
	defer progress.Close(outputTimeout)
	run := &botsRun{
		cfg:      c,
		versions: versions,
		progress: progress,
		live:     isTerminal(os.Stderr),
		maps:     client.NewMaps(c.Cache, client.InstalledMapDirs()...),
		navs:     map[*client.Map]*mapNav{},
		ways:     map[*client.Map]*route.Way{},
		ctx:      ctx,
	}
	swarm := load.Start(ctx, load.Config{Servers: servers, Clients: c.Count, Interval: max(c.Pace, 1), Seed: c.Seed, Configure: run.configure})
	swarm.Wait()
	r := newBotsReport(swarm.Stats(), time.Since(start))
	if c.JSON {
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			return err
		}
	} else {
		r.print(os.Stdout)
	}
	switch {
	case r.Joined == 0:
		return fmt.Errorf("no bot could join: %s", r.Error)
	case r.Joined < r.Clients:
		return fmt.Errorf("%d of %s could not join: %s", r.Clients-r.Joined, words.Count(r.Clients, "bot"), r.Error)
	}
	return nil
}

// versionFor returns the protocol version to speak with host. The scheme of its address or
// --protocol names the version.
func (c *botsCmd) versionFor(host string) (client.Version, error) {
	a, err := transport.ParseAddress(host)
	if err != nil {
		return "", err
	}
	asked := client.Version(c.Protocol)
	v, err := client.AddressVersion(a)
	switch {
	case err != nil || v == "":
		return asked, err
	case asked != client.AnyVersion && asked != v:
		return "", usageErrorf("the address %s names version %s, but --protocol asks for %s", a, v, asked)
	}
	return v, nil
}

// wayOf returns the farthest way found so far through a DDRace map, or nil if there is none yet.
// The first call for a map starts the search.
func (r *botsRun) wayOf(m *client.Map) *route.Way {
	r.mu.Lock()
	defer r.mu.Unlock()
	way, searched := r.ways[m]
	if !searched {
		r.ways[m] = nil
		go r.findWay(m)
	}
	return way
}

// findWay searches for ways through a map until the bots leave.
func (r *botsRun) findWay(m *client.Map) {
	f, err := route.NewFinder(route.Config{Terrain: m.Terrain, Seed: r.cfg.Seed})
	if err != nil {
		return
	}
	for over := false; !over && r.ctx.Err() == nil; {
		var way *route.Way
		if way, over = f.Run(5000); way != nil {
			r.mu.Lock()
			r.ways[m] = way
			r.mu.Unlock()
		}
	}
}

// botsRun is the state that the bots of one run share.
type botsRun struct {
	cfg      *botsCmd
	versions []client.Version // of each server
	maps     *client.Maps
	progress io.Writer
	live     bool // progress goes to a terminal

	ctx         context.Context
	mu          sync.Mutex
	navs        map[*client.Map]*mapNav
	ways        map[*client.Map]*route.Way
	downloading *client.Client // the client whose download progress is shown
}

// mapNav is the navigation data of a map. nav is valid once ready is closed; it is nil if the
// navigation could not be computed.
type mapNav struct {
	ready chan struct{}
	nav   *bot.NavGraph
}

// navOf returns the navigation of a map. The first call for a map starts the computation.
func (r *botsRun) navOf(m *client.Map) *mapNav {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.navs[m]
	if n == nil {
		n = &mapNav{ready: make(chan struct{})}
		r.navs[m] = n
		go func() {
			defer close(n.ready)
			n.nav, _ = bot.NewNavGraph(m.Terrain, nil)
		}()
	}
	return n
}

// configure fills in the configuration of bot i.
func (r *botsRun) configure(i int, cfg *client.Config) {
	cfg.Name = fmt.Sprintf("%.11s %d", r.cfg.Name, i+1)
	cfg.Password, cfg.Version, cfg.DDNetVersion = r.cfg.Password, r.versions[i%len(r.versions)], 0
	cfg.Maps, cfg.NoMap = r.maps, r.cfg.Skill == 0
	if !r.cfg.JSON {
		cfg.OnEvent = r.showDownload
	}
	if r.cfg.Skill > 0 {
		b := &botPlayer{run: r, seed: r.cfg.Seed*1000 + uint64(i), randomInput: cfg.Play}
		cfg.Play = b.input
	}
}

// showDownload shows the progress of the first bot that downloads a map.
func (r *botsRun) showDownload(c *client.Client, e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := e.(type) {
	case event.Download:
		if r.downloading == nil && e.Done == 0 {
			r.downloading = c
		}
		if r.downloading != c {
			return
		}
		if printDownload(r.progress, r.live, e); e.Done == e.Size {
			r.downloading = nil
		}
	case event.Disconnected:
		if r.downloading == c {
			r.downloading = nil
		}
	}
}

// botPlayer computes the inputs of one bot.
type botPlayer struct {
	run  *botsRun
	seed uint64
	// randomInput supplies inputs until the map is explored.
	randomInput func(*client.Client, *game.View) game.Input

	gameMap *client.Map
	ddrace  bool // the map is a DDRace map
	nav     *mapNav
	bot     *bot.Bot
	runner  *route.Runner // in DDRace, in place of the bot
	way     *route.Way
}

// input returns the input for a tick. The client's goroutine calls it.
func (p *botPlayer) input(c *client.Client, v *game.View) game.Input {
	if m := c.Map(); m != p.gameMap {
		p.gameMap, p.nav, p.bot, p.runner, p.way = m, nil, nil, nil, nil
		p.ddrace = m != nil && ddrace.Needs(&m.Terrain) != ""
	}
	// Servers tell 0.7 clients only that the game is a race, not that it is DDRace.
	if v.Game.Flags&game.GameFlagDDRace != 0 || v.Game.Flags&game.GameFlagRace != 0 && p.ddrace {
		return p.runWay(c, v)
	}
	if p.nav == nil {
		p.nav = p.run.navOf(p.gameMap)
	}
	if p.bot == nil {
		select {
		case <-p.nav.ready:
			if p.nav.nav != nil {
				p.bot, _ = bot.New(bot.Config{Nav: p.nav.nav, Skill: p.run.cfg.Skill, Seed: p.seed})
			}
		default:
		}
		if p.bot == nil {
			return p.randomInput(c, v)
		}
	}
	return p.bot.NextInput(v)
}

// runWay returns the input for a tick in DDRace.
func (p *botPlayer) runWay(c *client.Client, v *game.View) game.Input {
	if p.runner == nil {
		p.runner = route.NewRunner(p.seed)
	}
	if way := p.run.wayOf(p.gameMap); way != p.way {
		p.way = way
		p.runner.SetWay(way)
	}
	in := p.runner.NextInput(v)
	if p.runner.WantsRestart() {
		c.Kill() // fails only while the client closes, which does not matter
	}
	return in
}
