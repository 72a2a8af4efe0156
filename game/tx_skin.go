package game

// skinOverride is a skin that a mod gave to a player.
type skinOverride struct {
	skin  Skin
	until int32 // tick from which the player's own is shown again; 0 now, -1 never
}

// Skin returns the skin that others see on the player.
func (p Player) Skin() Skin {
	if p.player() != nil {
		return *p.tx.w.shownSkin(p.id)
	}
	return Skin{}
}

// SetSkin shows another skin for the player: for some ticks, or with 0 until ClearSkin or until the
// player leaves. Names of parts are cut to MaxSkinPartLen bytes. Clients that only know whole skins
// show their most similar one.
func (p Player) SetSkin(s Skin, ticks int32) {
	if p.player() == nil {
		return
	}
	for i := range s.PartNames {
		s.PartNames[i] = cutString(s.PartNames[i], MaxSkinPartLen)
	}
	until := int32(-1)
	if ticks > 0 {
		until = p.tx.w.tick + min(ticks, 1<<20)
	}
	before := *p.tx.w.shownSkin(p.id)
	p.tx.w.playerExtras[p.id].skin = skinOverride{s, until}
	p.tx.w.tellSkin(p.id, before)
	p.tx.w.extend()
}

// ClearSkin ends SetSkin: others see the player's own skin again.
func (p Player) ClearSkin() {
	if p.player() != nil {
		p.tx.w.clearSkin(p.id)
	}
}

func (w *World) clearSkin(id PlayerID) {
	before := *w.shownSkin(id)
	w.playerExtras[id].skin = skinOverride{}
	w.tellSkin(id, before)
}

// tellSkin tells all that a player has another skin than before, if so.
func (w *World) tellSkin(id PlayerID, before Skin) {
	if w.players[id].inGame && *w.shownSkin(id) != before {
		w.addEvent(Event{Kind: EvSkinChange, To: MaskAll, Player: id})
	}
}

func (w *World) shownSkin(id PlayerID) *Skin {
	if s := &w.playerExtras[id].skin; s.until != 0 {
		return &s.skin
	}
	return &w.players[id].profile.Skin
}

// endSkin shows the player's own skin again when the mod's skin has expired.
func (w *World) endSkin(id PlayerID) {
	if s := &w.playerExtras[id].skin; s.until > 0 && s.until <= w.tick {
		w.clearSkin(id)
	}
}
