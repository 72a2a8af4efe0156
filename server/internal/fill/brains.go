package fill

import (
	"fmt"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/game"
)

// brain decides the inputs of a bot.
type brain interface {
	NextInput(*game.View) game.Input
	SetSkill(int)
}

// dummy is the brain of a dummy: it walks in one direction.
type dummy struct{ direction int32 }

// NextInput implements brain. The hand moves now and then, so that the dummy is not inactive.
func (d dummy) NextInput(v *game.View) game.Input {
	return game.Input{Direction: d.direction, TargetX: 100 * d.direction, TargetY: v.Frame.Tick / game.TickRate % 2}
}

// SetSkill does nothing.
func (dummy) SetSkill(int) {}

// Explored reports whether bots can play on the map. If not, it begins to explore the map.
func (b *Bots) Explored() bool {
	m := b.host.Match()
	b.setWorld(m.World)
	return b.explored(&m)
}

// explored is Explored for a match. It makes a navigation graph in a goroutine, for some 0.1 s, or
// searches a way in worlds of DDRace.
func (b *Bots) explored(m *Match) bool {
	if m.World.IsDDRace() {
		return b.hasWay(m)
	}
	if nav, made := b.makingNav.Take(); made {
		b.nav = nav
	} else if b.makingNav.Running() {
		return false
	}
	if b.navMap == m.Terrain {
		return b.nav != nil
	}
	b.nav, b.navMap = nil, m.Terrain
	done := b.makingNav.Begin()
	terrain, tuning := *m.Terrain, m.World.Tuning()
	watched, wake := b.host.IsWatched(), b.host.Wake // without clients, the loop sleeps
	go func() {
		nav, err := bot.NewNavGraph(terrain, &tuning)
		if err != nil {
			nav = nil // impossible: the world has the same terrain
		}
		done(nav)
		if watched {
			wake()
		}
	}()
	return false
}

// newBrain returns the brain of a bot that plays, nil if that cannot be. The map must be explored.
func (b *Bots) newBrain(m *Match, skill int) brain {
	b.serial++
	seed := b.cfg.Seed + b.serial
	if m.World.IsDDRace() {
		r := route.NewRunner(seed)
		r.SetWay(b.ways.way)
		return r
	}
	mind, err := bot.New(bot.Config{Nav: b.nav, Skill: skill, Seed: seed})
	if err != nil {
		return nil
	}
	return mind
}

// names are the names of bots, from the highest seat down.
var names = [...]string{
	"Ada", "Bolt", "Clover", "Dot", "Ember", "Fidget", "Gizmo", "Hazel",
	"Iggy", "Juno", "Kiwi", "Lumen", "Mango", "Nimbus", "Olive", "Pixel",
	"Quill", "Rusty", "Sprout", "Tango", "Umber", "Vega", "Waffle", "Xeno",
	"Yoyo", "Ziggy",
}

// bodies are skin parts that all clients have.
var bodies = [...]string{"fox", "bear", "koala", "mouse", "beaver", "raccoon", "hippo", "spiky", "kitty", "piglet"}

// profile returns the profile of the n-th bot.
func profile(n int) *game.Profile {
	p := &game.Profile{Name: names[n%len(names)], Clan: "bot", Country: -1}
	if n >= len(names) {
		p.Name = fmt.Sprintf("%s %d", p.Name, 1+n/len(names))
	}
	p.Skin.PartNames = [game.NumSkinParts]string{bodies[n%len(bodies)], "", "", "standard", "standard", "standard"}
	// Hues are far apart. Hands and feet are a little darker.
	hue := int32(n*67+16) & 255
	for part, light := range [game.NumSkinParts]int32{0: 110, 3: 90, 4: 80} {
		if light != 0 {
			p.Skin.UseCustomColors[part] = true
			p.Skin.PartColors[part] = hue<<16 | 170<<8 | light
		}
	}
	return p
}
