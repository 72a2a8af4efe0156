package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/transport/udp"
)

type botsCmd struct {
	Host     []string      `arg:"" help:"Servers, as host or host:port; bots join them in turn."`
	Count    int           `help:"How many join." default:"4"`
	Skill    int           `help:"1 beginner to 3 adversary; 0 walks about at random and needs no map." default:"2"`
	Seed     uint64        `help:"Makes what they do; equal seeds make equal bots." default:"1"`
	Duration time.Duration `help:"Leave after so long; 0 stays until interrupted." default:"30s"`
	Pace     time.Duration `help:"Time between one joining and the next." default:"20ms"`
	Name     string        `help:"What they are called, a number follows." default:"bot"`
	Password string        `help:"Password of the server." env:"TEEYARD_PASSWORD"`
	Protocol string        `help:"What to speak: 0.7, 0.6 (also DDNet's), or any, to find out." enum:"any,0.7,0.6" default:"any"`
	Cache    string        `help:"Folder for downloaded maps; \"-\" keeps none." placeholder:"DIR"`
	JSON     bool          `name:"json" help:"Print the report as JSON."`
}

// Help says what the report is good for.
func (botsCmd) Help() string {
	return `Bots play on any 0.7 or 0.6 server, and tell at the end how it served them: how long
joining took, how many snapshots came and whether they were whole, and how early the
inputs arrived. On a server of this machine each bot has an address of its own, so
that limits per address do not count.`
}

// Run plays until the time is over and reports.
func (c *botsCmd) Run() error {
	if c.Count < 1 || c.Count > 1000 {
		return errors.New("--count is 1 to 1000")
	}
	if c.Skill < 0 || c.Skill > 3 {
		return errors.New("--skill is 0 to 3")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Duration)
		defer cancel()
	}
	loopback := true
	for _, host := range c.Host {
		peer, err := udp.Resolve(ctx, host, client.DefaultPort)
		if err != nil {
			return err
		}
		loopback = loopback && peer.Addr().IsLoopback() && peer.Addr().Is4()
	}
	swarm := &swarm{cfg: c, maps: client.NewMaps(c.Cache, client.InstalledMaps()...), navs: map[*client.Map]*nav{}, loopback: loopback}
	begin := time.Now()
	var wait sync.WaitGroup
	players := make([]*player, c.Count)
	for i := range players {
		p := &player{swarm: swarm, index: i, rand: rand.New(rand.NewPCG(c.Seed, uint64(i)))}
		players[i] = p
		wait.Add(1)
		go func() {
			defer wait.Done()
			p.play(ctx, begin.Add(time.Duration(i)*c.Pace))
		}()
	}
	wait.Wait()
	r := sum(players, time.Since(begin))
	if c.JSON {
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			return err
		}
	} else {
		r.print(os.Stdout)
	}
	if r.Joined == 0 {
		return fmt.Errorf("nobody got in: %s", r.Error)
	}
	return nil
}

// swarm is what the bots share.
type swarm struct {
	cfg      *botsCmd
	maps     *client.Maps
	loopback bool

	mu       sync.Mutex
	navs     map[*client.Map]*nav
	fetching *player // whose download is shown
}

// nav is what bots know of a map, once it is found out.
type nav struct {
	ready chan struct{}
	nav   *bot.NavGraph
}

// nav begins to explore a map, the first time.
func (s *swarm) nav(m *client.Map) *nav {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.navs[m]
	if n == nil {
		n = &nav{ready: make(chan struct{})}
		s.navs[m] = n
		go func() {
			defer close(n.ready)
			n.nav, _ = bot.NewNavGraph(m.Terrain, nil) // without it they walk about
		}()
	}
	return n
}

// player is one bot.
type player struct {
	*swarm
	index int
	rand  *rand.Rand
	begun time.Time

	// Of the goroutine of the client.
	m      *client.Map
	nav    *nav
	brain  *bot.Bot
	input  game.Input
	timing []int32

	join    time.Duration
	playing time.Duration
	stats   client.Stats
	version client.Version
	err     error
}

// play is the life of a bot.
func (p *player) play(ctx context.Context, at time.Time) {
	select {
	case <-time.After(time.Until(at)):
	case <-ctx.Done():
		p.err = ctx.Err()
		return
	}
	cfg := client.Config{
		Name: fmt.Sprintf("%.11s %d", p.cfg.Name, p.index+1), Password: p.cfg.Password, Maps: p.maps, NoMap: p.cfg.Skill == 0, Version: client.Version(p.cfg.Protocol),
		OnEvent: p.onEvent, Play: p.think, OnTiming: p.onTiming,
	}
	if p.loopback {
		cfg.From = fmt.Sprintf("127.0.%d.%d", 1+p.index/250, 1+p.index%250)
	}
	p.begun = time.Now()
	c, err := client.Dial(ctx, p.cfg.Host[p.index%len(p.cfg.Host)], cfg)
	if err != nil {
		p.err = err
		return
	}
	p.join = time.Since(p.begun)
	defer c.Close()
	select {
	case <-ctx.Done():
	case <-c.Done():
		p.err = c.Err()
	}
	p.version = c.Version()
	p.stats, p.playing = c.Stats(), time.Since(p.begun)-p.join
	c.Close()
	<-c.Done()
}

// onEvent shows how the map comes to the bot that was the first to ask for it.
func (p *player) onEvent(_ *client.Client, e client.Event) {
	if p.cfg.JSON {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case client.Download:
		if p.fetching == nil && e.Done == 0 {
			p.fetching = p
		}
		if p.fetching != p {
			return
		}
		if progress(e); e.Done == e.Size {
			p.fetching = nil
		}
	case client.Disconnected:
		if p.fetching == p {
			p.fetching = nil
		}
	}
}

// maxTimings bounds the samples that one bot keeps.
const maxTimings = 1 << 16

func (p *player) onTiming(_, left int32) {
	if len(p.timing) < maxTimings {
		p.timing = append(p.timing, left)
	}
}

// think is the input for a tick.
func (p *player) think(c *client.Client, v *game.View) game.Input {
	if p.cfg.Skill == 0 {
		return p.wander()
	}
	if m := c.Map(); m != p.m {
		p.m, p.nav, p.brain = m, p.swarm.nav(m), nil
	}
	if p.brain == nil {
		select {
		case <-p.nav.ready:
			if p.nav.nav != nil {
				p.brain, _ = bot.New(bot.Config{Nav: p.nav.nav, Skill: p.cfg.Skill, Seed: p.cfg.Seed*1000 + uint64(p.index)})
			}
		default:
		}
		if p.brain == nil {
			return p.wander()
		}
	}
	return p.brain.NextInput(v)
}

// wander is what a bot does that knows nothing of the map.
func (p *player) wander() game.Input {
	in, r := &p.input, p.rand
	if r.IntN(15) == 0 {
		in.Direction = int32(r.IntN(3) - 1)
	}
	if r.IntN(12) == 0 {
		in.Jump = !in.Jump
	}
	if r.IntN(20) == 0 {
		in.Hook = !in.Hook
	}
	if r.IntN(4) == 0 {
		in.TargetX, in.TargetY = int32(r.IntN(601)-300), int32(r.IntN(601)-300)
	}
	if r.IntN(8) == 0 {
		in.Fire = (in.Fire + 1) & 63
	}
	if r.IntN(50) == 0 {
		in.WantedWeapon = int32(1 + r.IntN(5))
	}
	return *in
}
