package bridge6

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// skinCache stores the encoded ClientInfo of every player. skinCache also remembers the original
// skins of 0.6 players, because the game stores only their 0.7 equivalents. DDNet's client repeats
// its request for a skin until it sees exactly that skin.
type skinCache struct {
	infos [game.MaxPlayers]cachedInfo
}

// cachedInfo is one player, encoded for 0.6.
type cachedInfo struct {
	ints    [msg6.SizeClientInfo]int32
	profile game.Profile // the profile that ints were encoded from
	ref     snapshot.SharedRef
	valid   bool // whether ints match shown and requested
	// shown is the 0.6 skin behind the game's current skin, valid if hasShown is set. requested is
	// the skin that the client sent last, valid if hasRequested is set. The game may have refused
	// it.
	shown, requested         skin06
	shownSkin, requestedSkin game.Skin // the same skins, converted to 0.7
	hasShown, hasRequested   bool
}

// set stores the skin that a player's client sent.
func (c *skinCache) set(id game.PlayerID, s skin06) {
	e := &c.infos[id]
	e.requested, e.requestedSkin, e.hasRequested, e.valid = s, fromSkin06(s), true, false
}

// clear forgets the id's last player.
func (c *skinCache) clear(id game.PlayerID) { c.infos[id] = cachedInfo{} }

// update encodes a player's info again if it changed.
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

// proxyInfo is the ClientInfo of the proxy player, who has the spare id of a client and speaks for
// players without an id. The proxy's name is blank, because each line already contains the
// speaker's name.
var proxyInfo = func() (ints [msg6.SizeClientInfo]int32) {
	putClientInfo(&ints, &game.Profile{Name: " ", Country: -1}, &skin06{name: defaultSkin})
	return ints
}()
