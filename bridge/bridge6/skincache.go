package bridge6

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// skinCache has the ClientInfo of every player. It remembers the skins of players whose
// clients are 0.6, because the game has only what 0.7 makes of them: DDNet's clients
// request their skin again and again while they see themselves in another one.
type skinCache struct {
	infos [game.MaxPlayers]cachedInfo
}

// cachedInfo is a player as 0.6 shows them.
type cachedInfo struct {
	ints    [msg6.SizeClientInfo]int32
	profile game.Profile // that ints were made of
	ref     snapshot.SharedRef
	valid   bool // ints are up to date with shown and requested
	// shown is the 0.6 skin that the game's skin was made of, if hasShown. requested is
	// the skin that the client sent last, if hasRequested; the game may have refused it.
	shown, requested         skin06
	shownSkin, requestedSkin game.Skin // the same as 0.7 has them
	hasShown, hasRequested   bool
}

// set remembers the skin that a player's client sent.
func (c *skinCache) set(id game.PlayerID, s skin06) {
	e := &c.infos[id]
	e.requested, e.requestedSkin, e.hasRequested, e.valid = s, fromSkin06(s), true, false
}

// clear forgets the player who had the id.
func (c *skinCache) clear(id game.PlayerID) { c.infos[id] = cachedInfo{} }

// update brings the info of a player up to date.
func (c *skinCache) update(w *game.World, id game.PlayerID) {
	p, ok := w.Player(id)
	e := &c.infos[id]
	if !ok || e.valid && e.profile == p.Profile {
		return
	}
	if e.hasRequested && e.requestedSkin == p.Profile.Skin {
		e.shown, e.shownSkin, e.hasShown = e.requested, e.requestedSkin, true
	}
	s := e.shown
	if !e.hasShown || e.shownSkin != p.Profile.Skin {
		s = toSkin06(&p.Profile.Skin)
	}
	e.profile, e.valid = p.Profile, true
	putClientInfo(&e.ints, &p.Profile, &s)
}

func putClientInfo(dst *[msg6.SizeClientInfo]int32, p *game.Profile, s *skin06) {
	o := msg6.ClientInfo{Country: p.Country}
	if s.useCustomColor {
		o.UseCustomColor = 1
	}
	o.ColorBody, o.ColorFeet = s.colorBody, s.colorFeet
	msg6.StrToInts(o.Name[:], []byte(p.Name))
	msg6.StrToInts(o.Clan[:], []byte(p.Clan))
	msg6.StrToInts(o.Skin[:], []byte(s.name))
	o.PutInts(dst[:])
}

// proxyInfo is the ClientInfo of proxyID. It has no name, because the names of those for
// whom it speaks are in the texts.
var proxyInfo = func() (ints [msg6.SizeClientInfo]int32) {
	putClientInfo(&ints, &game.Profile{Name: " ", Country: -1}, &skin06{name: defaultSkin})
	return ints
}()
