package game

import (
	"github.com/teeyard/teeyard/game/ddrace"

	"github.com/teeyard/teeyard/game/vec"
)

// ShowOthers selects which tees a DDRace player sees among the tees that cannot affect the player's
// own tee.
type ShowOthers uint8

// The values of ShowOthers.
const (
	ShowOthersOff  ShowOthers = iota
	ShowOthersOn              // all of these tees
	ShowOthersTeam            // tees of the player's own team, where one of the two tees is solo
)

// sight is the view that a DDRace player chose, and whether they are paused.
type sight struct {
	others    ShowOthers
	all       bool // no matter how far away
	ownTeam   bool // a free camera shows only the own team
	hideClock bool
	pause     PauseKind
	active    int32 // tick of the last change of the input, negative before the first one
	input     Input // the last one
}

// DDRaceOptions are settings of DDRace for the players' views.
type DDRaceOptions struct {
	// MaxAFK is the time in seconds without input after which a player counts as away; 0 means
	// never. Unless it is 0, a new player counts as away until their first input, as on
	// DDNet-Server.
	MaxAFK     int32
	HideOthers bool // clients cannot choose which tees they see
}

// SetDDRaceOptions sets the options of a DDRace world. A new world has a MaxAFK of 300 seconds.
func (tx *Tx) SetDDRaceOptions(o DDRaceOptions) {
	if d := tx.w.ddrace(); d != nil {
		o.MaxAFK = min(max(o.MaxAFK, 0), maxAFK)
		d.options = o
	}
}

const maxAFK = 1 << 24 // seconds; the ticks fit into an int32

// Camera is the view of a player. Outside DDRace, only Pos, Watch and Watches have an effect.
type Camera struct{ p Player }

// Camera returns the player's view.
func (p Player) Camera() Camera { return Camera{p} }

// sight returns the view settings of the player in the game, or nil outside DDRace.
func (p Player) sight() *sight {
	if pl := p.player(); pl != nil && p.tx.w.ddrace() != nil {
		return &pl.sight
	}
	return nil
}

// SetShowOthers sets which tees the player sees.
func (c Camera) SetShowOthers(show ShowOthers) {
	if s := c.p.sight(); s != nil && show <= ShowOthersTeam {
		s.others = show
	}
}

// ShowOthers returns which tees the player sees.
func (c Camera) ShowOthers() ShowOthers {
	if s := c.p.sight(); s != nil {
		return s.others
	}
	return ShowOthersOff
}

// SetShowAll sets whether the player sees the whole map, as far as it fits into a snapshot.
func (c Camera) SetShowAll(on bool) {
	if s := c.p.sight(); s != nil {
		s.all = on
	}
}

// ShowAll reports whether the player sees the whole map.
func (c Camera) ShowAll() bool { s := c.p.sight(); return s != nil && s.all }

// SetSpecTeam sets whether the player's free camera shows only the player's team.
func (c Camera) SetSpecTeam(on bool) {
	if s := c.p.sight(); s != nil {
		s.ownTeam = on
	}
}

// SpecTeam reports whether the player's free camera shows only the player's team.
func (c Camera) SpecTeam() bool { s := c.p.sight(); return s != nil && s.ownTeam }

// SetHideClock hides or shows the race clock in the player's client.
func (p Player) SetHideClock(hide bool) {
	if s := p.sight(); s != nil {
		s.hideClock = hide
	}
}

// SetPause lets the player move the camera freely. With PauseInPlace the tee stays in the
// world. With PauseVanished the tee leaves the world as soon as it stands still on the ground.
// NotPaused brings camera and tee back. The race goes on in all cases. SetPause returns false if
// the player has no living tee.
func (c Camera) SetPause(kind PauseKind) bool {
	s, w, id := c.p.sight(), c.p.tx.w, c.p.id
	if s == nil || kind > PauseVanished || !w.isAlive(id) {
		return false
	}
	if s.pause == kind {
		return true
	}
	d, p := w.ddrace(), &w.players[id]
	if kind != PauseVanished && d.world.Tee(int(id)) == nil {
		d.world.Pause(int(id), false)
		d.mirrorTees()
		w.tx.effect(Event{Kind: EvSpawn, To: d.hiddenFrom(id).Not(), Player: id, Pos: w.tees.All[id].Pos})
	}
	if s.pause == NotPaused {
		p.cursorX, p.cursorY = int32(p.viewPos.X), int32(p.viewPos.Y)
	}
	if s.pause = kind; kind == NotPaused {
		p.viewPos = w.tees.All[id].Pos
	}
	d.world.LookAround(int(id), kind != NotPaused, kind == PauseVanished)
	return true
}

// Pause returns the state of the player's own tee while the camera moves freely.
func (c Camera) Pause() PauseKind {
	if s := c.p.sight(); s != nil {
		return s.pause
	}
	return NotPaused
}

// Pos returns the middle of the player's screen, in units (1/32 tile).
func (c Camera) Pos() vec.Vec2 {
	if p := c.p.player(); p != nil {
		return p.viewPos
	}
	return vec.Vec2{}
}

// Watch makes a spectator or a paused player follow another player. It reports whether the camera
// changed.
func (c Camera) Watch(at PlayerID) bool {
	return c.p.player() != nil && c.p.tx.w.spectate(c.p.id, SpectatePlayer, at)
}

// Watches returns the player whom a spectator follows, or -1.
func (c Camera) Watches() PlayerID {
	if p := c.p.player(); p != nil && p.isSpectating() && p.specMode == SpectatePlayer {
		return p.specID
	}
	return Nobody
}

// notMoved is the value of sight.active for a new player. Clients send a first input by themselves,
// so only the second change counts as activity.
const notMoved = -2

// moved notes that the player's input has changed.
func (s *sight) moved(tick int32) {
	if s.active++; s.active >= 0 {
		s.active = tick
	}
}

// AFK reports whether the player is away: without input for [DDRaceOptions.MaxAFK], or
// without any input since they entered.
func (p Player) AFK() bool { s := p.sight(); return s != nil && p.tx.w.ddrace().isAFK(s) }

func (d *ddraceHost) isAFK(s *sight) bool {
	limit := d.options.MaxAFK
	return limit > 0 && (s.active < 0 || d.w.tick-s.active > limit*TickRate)
}

func (d *ddraceHost) showOthers(id PlayerID, show int32) {
	if d.options.HideOthers || d.world.Settings().ShowOthersDefault != 0 || show < 0 || show > int32(ShowOthersTeam) {
		return
	}
	d.w.players[id].sight.others = ShowOthers(show)
}

// enter sets the view of a new player.
func (d *ddraceHost) enter(id PlayerID) {
	d.w.players[id].sight = sight{others: ShowOthers(d.world.Settings().ShowOthersDefault), active: notMoved}
}

// hideTees decides for each tee which players do not see it.
func (d *ddraceHost) hideTees() {
	w := d.w
	var playing, watching, on, mates, solo, super PlayerMask
	var team [ddrace.TeamSuper + 1]PlayerMask
	for i := range w.players {
		p, id := &w.players[i], PlayerID(i)
		if !p.inGame {
			continue
		}
		switch {
		case p.isSpectating():
			watching.Add(id)
		case d.world.Tee(i) != nil:
			playing.Add(id)
		}
		switch p.sight.others {
		case ShowOthersOn:
			on.Add(id)
		case ShowOthersTeam:
			mates.Add(id)
		}
		t := d.world.Team(i)
		if team[t].Add(id); t == ddrace.TeamSuper {
			super.Add(id)
		}
		if tee := d.world.Tee(i); tee != nil && tee.Core.Solo {
			solo.Add(id)
		}
	}
	for i := range w.players {
		id := PlayerID(i)
		d.notFor[i] = PlayerMask{}
		if !w.players[i].inGame {
			continue
		}
		mine := team[d.world.Team(i)].Or(super)
		if super.Has(id) {
			mine = MaskAll
		}
		acts := super.Or(MaskOne(id)) // those on whom the tee acts
		switch {
		case super.Has(id):
			acts = mine
		case !solo.Has(id):
			acts = acts.Or(mine.Without(solo))
		}
		d.notFor[i] = playing.Without(acts.Or(on).Or(mates.And(mine)))
		if watching.IsEmpty() {
			continue
		}
		for k := range w.players {
			viewer := PlayerID(k)
			if !watching.Has(viewer) {
				continue
			}
			p := &w.players[k]
			switch watched := p.watched(); {
			case watched == Nobody && p.sight.ownTeam && !acts.Has(viewer) && !mine.Has(viewer),
				watched != Nobody && !acts.Has(watched) && !on.Has(viewer) && (!mates.Has(viewer) || !mine.Has(watched)):
				d.notFor[i].Add(viewer)
			}
		}
	}
}

// watched returns the player whom a spectator's camera follows, or -1.
func (p *player) watched() PlayerID {
	if p.specMode == SpectatePlayer {
		return p.specID
	}
	return Nobody
}

// addSight adds the paused and inactive players to a frame.
func (d *ddraceHost) addSight(f *Frame) {
	w := d.w
	f.SpecTees = f.SpecTees[:0]
	for i := range f.Players {
		s := &f.Players[i]
		p, id := &w.players[s.ID], s.ID
		s.AFK, s.Pause, s.HideClock = d.isAFK(&p.sight), p.sight.pause, p.sight.hideClock
		if s.Pause == NotPaused || !w.isAlive(id) || d.world.Tee(int(id)) != nil {
			continue
		}
		t := SpecTee{Player: id, NotFor: d.notFor[id]}
		c := w.tees.All[id].Core.State()
		t.X, t.Y = c.X, c.Y
		for k := range w.players {
			o := &w.players[k]
			if o.inGame && !o.isSpectating() && o.sight.others != ShowOthersOn && d.world.Team(k) != d.world.Team(int(id)) {
				t.NotFor.Add(PlayerID(k))
			}
		}
		f.SpecTees = append(f.SpecTees, t)
	}
}

// sight visits the view settings of a DDRace player.
func (v *visitor) sight(s *sight) {
	pair(v, &s.others, &s.pause)
	within(v, "shown tees", s.others, 0, ShowOthersTeam)
	within(v, "pause", s.pause, NotPaused, PauseVanished)
	v.bools(&s.all, &s.ownTeam, &s.hideClock)
	num(v, &s.active)
	v.input(&s.input)
}

func (v *visitor) ddraceOptions(o *DDRaceOptions) {
	num(v, &o.MaxAFK)
	within(v, "seconds", o.MaxAFK, 0, maxAFK)
	v.bools(&o.HideOthers)
}
