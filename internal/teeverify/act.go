package teeverify

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
)

// actAll applies the actions that are recorded between two ticks. If the first tick was not
// stepped, it also applies the rank answers at that tick's end.
func (t *match) actAll(f *frame, stepped bool) {
	for i := range f.actions {
		if rec := &f.actions[i]; !stepped || i >= f.early || !isAnswer(rec) {
			t.act(rec)
		}
	}
	// The recording has team joins after all commands. A lock applies to the joined team, so locks
	// come last.
	for i := range f.actions {
		if rec := &f.actions[i]; rec.Kind == teehistorian.Command && rec.Name == "lock" && rec.Client >= 0 && rec.Client < ddrace.MaxTees {
			t.lock(int(rec.Client), rec.Args)
		}
	}
	slices.SortStableFunc(t.inputs, func(a, b ddrace.PlayerInput) int { return a.Player - b.Player })
}

// isAnswer reports whether a record is an answer of the ranks. DDNet-Server records answers at the
// end of a tick, before the positions of tees; our server records them between two ticks.
func isAnswer(rec *teehistorian.Record) bool {
	return rec.Kind == teehistorian.Extra && (rec.ID == teehistorian.ExtraSaved || rec.ID == teehistorian.ExtraSaveFailed ||
		rec.ID == teehistorian.ExtraLoaded || rec.ID == teehistorian.ExtraLoadFailed)
}

func (t *match) act(rec *teehistorian.Record) {
	id := int(rec.Client)
	if id >= ddrace.MaxTees {
		t.unknown(fmt.Sprintf("client %d and above", ddrace.MaxTees))
		return
	}
	switch rec.Kind {
	case teehistorian.InputDiff, teehistorian.InputNew:
		t.input(id, &rec.Input)
	case teehistorian.Message:
		t.message(id, rec.Data)
	case teehistorian.Join:
		version7 := t.clients[id].version7
		t.clients[id] = clientState{version7: version7, watches: freeView}
	case teehistorian.Drop:
		t.clients[id] = clientState{}
		t.unwatch(id)
		t.world.Leave(id)
	case teehistorian.Command:
		t.command(id, rec)
	case teehistorian.Extra:
		t.extra(rec)
	}
}

func (t *match) input(id int, in *teehistorian.Input) {
	c := &t.clients[id]
	next := ddrace.Input{
		Direction: in[0], TargetX: in[1], TargetY: in[2], Jump: in[3] != 0, Fire: in[4], Hook: in[5] != 0,
		Flags: in[6], WantedWeapon: in[7], NextWeapon: in[8], PrevWeapon: in[9],
	}
	at := Repeat{Tick: t.world.Tick() + 1, Client: id}
	if c.hasInput {
		if slices.Contains(t.res.Repeated, at) {
			t.inputs = append(t.inputs, ddrace.PlayerInput{Player: id, Input: c.input})
		}
		if c.recentFor != at.Tick {
			t.recent, c.recentFor = append(t.recent, at), at.Tick
		}
	}
	c.input, c.hasInput = next, true
	if c.pause != notPaused && c.watches == freeView {
		c.view = ddrace.Vec{X: float32(next.TargetX), Y: float32(next.TargetY)}
	}
	t.inputs = append(t.inputs, ddrace.PlayerInput{Player: id, Input: next})
}

func (t *match) message(id int, b []byte) {
	var u packer.Unpacker
	u.Reset(b)
	c := &t.clients[id]
	kill, team, watch := int32(msg6.IDClKill), int32(msg6.IDClSetTeam), int32(msg6.IDClSetSpectatorMode)
	start, change := int32(msg6.IDClStartInfo), int32(msg6.IDClChangeInfo)
	if c.version7 {
		kill, team, watch = int32(msg7.IDClKill), int32(msg7.IDClSetTeam), int32(msg7.IDClSetSpectatorMode)
		start, change = int32(msg7.IDClStartInfo), start // 0.7 has no change message
	}
	n := u.Int()
	if t.paused && (n == kill || n == team || n == watch) {
		return // DDNet-Server ignores these in a paused game
	}
	switch n {
	case watch:
		free := c.version7 && u.Int() != int32(msg7.SpecPlayer)
		if at := int(u.Int()); free {
			c.watches = freeView
		} else if at >= freeView && at < ddrace.MaxTees {
			c.watches = at
		}
	case start, change:
		if name := string(u.String(packer.SanitizeCC)); u.Err() == nil && (n == change || c.name == "") {
			c.name = name
		}
	case kill:
		t.kill(id)
	case team:
		t.spectate(id, u.Int() < 0)
	}
}

// kill handles a player's request to die.
func (t *match) kill(id int) {
	c := &t.clients[id]
	now := t.world.Tick()
	if t.world.AliveTee(id) == nil || c.pause != notPaused || !t.own && t.protected(id) || c.lastKill > 0 && c.lastKill+t.killDelay > now {
		return
	}
	c.lastKill = now
	t.world.Kill(id, ddrace.WeaponSelf, false)
}

// protected reports whether only /kill can kill a player's tee.
func (t *match) protected(id int) bool {
	tee := t.world.AliveTee(id)
	return tee != nil && t.killProtection > 0 && tee.Race == ddrace.RaceStarted && t.world.Tick()-tee.StartTick >= 60*t.killProtection
}

// spectate handles a player's request to become a spectator or a player.
func (t *match) spectate(id int, watches bool) {
	c := &t.clients[id]
	now := t.world.Tick()
	if c.spectator == watches || !t.own && (c.pause != notPaused || t.protected(id) || c.lastTeam > 0 && c.lastTeam+t.teamDelay > now) {
		return
	}
	if c.pause != notPaused { // our server records only changes that happened; an operator made this one
		t.pause(id, notPaused, true)
	}
	if c.spectator = watches; c.entered {
		c.lastTeam = now
	}
	if c.watches = freeView; watches {
		t.unwatch(id)
	}
	t.world.SetSpectator(id, watches)
}

// unwatch resets the view of all players who watch a player that no longer plays.
func (t *match) unwatch(id int) {
	for i := range t.clients {
		if t.clients[i].watches == id {
			t.clients[i].watches = freeView
		}
	}
}

func (t *match) extra(rec *teehistorian.Record) {
	var u packer.Unpacker
	u.Reset(rec.Data)
	a, b := int(u.Int()), u.Int()
	if a < 0 || a >= ddrace.MaxTees {
		return
	}
	switch rec.ID {
	case teehistorian.ExtraJoin7:
		t.clients[a].version7 = true
	case teehistorian.ExtraView:
		c := &t.clients[a]
		c.view, c.viewTick = ddrace.Vec{X: float32(b), Y: float32(u.Int())}, t.world.Tick()
	case teehistorian.ExtraReady:
		t.clients[a].entered = true
		t.world.Enter(a, t.clients[a].spectator)
	case teehistorian.ExtraSwap:
		if b >= 0 && b < ddrace.MaxTees {
			t.swap(a, int(b))
		}
	case teehistorian.ExtraSaved, teehistorian.ExtraSaveFailed:
		t.saved(uint8(a), rec.ID == teehistorian.ExtraSaved)
	case teehistorian.ExtraLoaded:
		u.Reset(rec.Data)
		u.Int() // skip the team; the rest is not numbers
		t.loaded(uint8(a), &u)
	case teehistorian.ExtraLoadFailed:
		t.teams.waiting[a] = false
	case teehistorian.ExtraPractice:
		t.world.SetPractice(uint8(a), b != 0)
	case teehistorian.ExtraTeam:
		t.world.SetTeam(a, uint8(b))
	}
}
