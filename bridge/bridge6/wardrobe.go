package bridge6

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// wardrobe keeps the ClientInfo of every player, and how those dressed whose clients
// are 0.6: the game has only what 0.7 makes of it. DDNet's clients ask for their skin
// again and again if they see themselves in another.
type wardrobe struct {
	infos [game.MaxPlayers]clientInfo
	// all are the infos of those in shown, which is what most clients see.
	all   *snapshot.SharedItems
	shown game.PlayerMask
	stale bool // all are not up to date
}

// clientInfo is a player as 0.6 shows him.
type clientInfo struct {
	ints    [msg6.SizeClientInfo]int32
	profile game.Profile // that ints are of
	fresh   bool         // ints are up to date with worn and wish
	// worn is the look that profile's skin was made of, if it was; wish is the look
	// told last, which the game may refuse.
	worn, wish         look
	wornSkin, wishSkin game.Skin
	hasWorn, hasWish   bool
}

// wear takes note of what a player's client told.
func (d *wardrobe) wear(id game.PlayerID, l look) {
	c := &d.infos[id]
	c.wish, c.wishSkin, c.hasWish, c.fresh = l, skinOf(l), true, false
}

// strip forgets what the player had on whose seat it was.
func (d *wardrobe) strip(id game.PlayerID) { d.infos[id], d.stale = clientInfo{}, true }

// dress brings the ClientInfo of a player up to date.
func (d *wardrobe) dress(w *game.World, id game.PlayerID) {
	p, ok := w.Player(id)
	c := &d.infos[id]
	if !ok || c.fresh && c.profile == p.Profile {
		return
	}
	if c.hasWish && c.wishSkin == p.Profile.Skin {
		c.worn, c.wornSkin, c.hasWorn = c.wish, c.wishSkin, true
	}
	l := c.worn
	if !c.hasWorn || c.wornSkin != p.Profile.Skin {
		l = lookOf(&p.Profile.Skin)
	}
	c.profile, c.fresh, d.stale = p.Profile, true, true
	putInfo(&c.ints, &p.Profile, &l)
}

// gather brings all up to date, of those who are there.
func (d *wardrobe) gather(players []game.PlayerState) {
	var here game.PlayerMask
	for i := range players {
		here |= game.MaskOne(players[i].ID)
	}
	if !d.stale && d.shown == here && d.all != nil {
		return
	}
	d.shown, d.stale = here, false
	var b snapshot.Builder
	for i := range players {
		p := players[i].ID
		copy(b.Add(msg6.TypeClientInfo, int(p), msg6.SizeClientInfo), d.infos[p].ints[:])
	}
	var s snapshot.Snapshot
	b.Finish(&s)
	d.all = snapshot.NewSharedItems(&s)
}

func putInfo(dst *[msg6.SizeClientInfo]int32, p *game.Profile, l *look) {
	o := msg6.ClientInfo{Country: p.Country}
	if l.custom {
		o.UseCustomColor = 1
	}
	o.ColorBody, o.ColorFeet = l.body, l.feet
	msg6.StrToInts(o.Name[:], []byte(p.Name))
	msg6.StrToInts(o.Clan[:], []byte(p.Clan))
	msg6.StrToInts(o.Skin[:], []byte(l.name))
	o.PutInts(dst[:])
}

// spokesmanInfo is that of the id under which those speak who have none: without a
// name, which they put before what they say.
var spokesmanInfo = func() (ints [msg6.SizeClientInfo]int32) {
	putInfo(&ints, &game.Profile{Name: " ", Country: -1}, &look{name: defaultSkin})
	return ints
}()
