package game

// NPC is a player without a client, made by a mode or mod with [Tx.AddNPC].
type NPC struct {
	Profile Profile
	// Team is the NPC's team. Player slots and team balance do not change it.
	Team Team
	// Skill is the skill of the bot that plays the NPC, 1 (weak) to 3 (strong). With 0 the mode or
	// mod plays it with [Player.SetInput].
	Skill int32
	// Tag is a number for the mode's or mod's own use; see [Player.NPC].
	Tag int32

	of owner
}

// npcs are the players without clients. The server knows the clients and chooses the seats: it
// sends a CmdAddNPC for each request.
type npcs struct {
	present  PlayerMask
	leaving  PlayerMask // NPCs that will be removed
	skill    [MaxPlayers]int32
	tag      [MaxPlayers]int32
	of       [MaxPlayers]owner
	requests []NPC // not in the game yet, in order
}

const maxSkill = 3

// addNPC handles CmdAddNPC.
func (w *World) addNPC(id PlayerID) {
	n := &w.npcs
	if id < 0 || id >= MaxPlayers || w.players[id].connected || len(n.requests) == 0 {
		return
	}
	r := n.requests[0]
	n.requests = append(n.requests[:0], n.requests[1:]...)
	w.join(id, true, ^uint64(id))
	p := &w.players[id]
	if team := w.clampTeam(r.Team); team != TeamSpectators {
		p.team = team
		w.countPlayer(team)
	}
	p.bot, p.ready = true, true
	n.present.Add(id)
	n.leaving.Remove(id)
	n.skill[id], n.tag[id], n.of[id] = r.Skill, r.Tag, r.of
	w.setProfile(id, &r.Profile)
	w.enter(id)
}

// forgetNPC forgets that a player who leaves is an NPC.
func (w *World) forgetNPC(id PlayerID) {
	n := &w.npcs
	n.present.Remove(id)
	n.leaving.Remove(id)
	n.skill[id], n.tag[id], n.of[id] = 0, 0, theMode
}

// NPCs returns the set of NPCs.
func (w *World) NPCs() PlayerMask { return w.npcs.present }

// NPCSkill returns the skill of the bot that plays an NPC, or 0 if the mode or mod plays it.
func (w *World) NPCSkill(id PlayerID) int32 {
	if !w.npcs.present.Has(id) {
		return 0
	}
	return w.npcs.skill[id]
}

// NPCRequests returns the open requests of the mode and mods: the number of [CmdAddNPC] commands to
// send, and the NPCs to remove with a [CmdLeave] each.
func (w *World) NPCRequests() (add int, leave PlayerMask) {
	return len(w.npcs.requests), w.npcs.leaving
}

// AppendNPCCommands appends the commands that fulfil the NPC requests of the mode and mods, with
// the highest free seats. It is for worlds without a server, such as in tests.
func (w *World) AppendNPCCommands(dst []Command) []Command {
	add, leave := w.NPCRequests()
	for id := PlayerID(w.rules.Seats() - 1); id >= 0; id-- {
		if leave.Has(id) {
			dst = append(dst, Command{Kind: CmdLeave, Player: id, Target: Nobody})
		} else if add > 0 && !w.players[id].connected {
			dst = append(dst, Command{Kind: CmdAddNPC, Player: id, Target: Nobody})
			add--
		}
	}
	return dst
}

// AddNPC requests a player without a client. The NPC enters the game as soon as a seat is free,
// which EnterHook reports. It counts as a player for the match. AddNPC returns false if there are
// too many requests.
func (tx *Tx) AddNPC(n NPC) bool {
	if len(tx.w.npcs.requests) >= tx.w.rules.Seats() {
		return false
	}
	n.Profile.sanitize()
	n.Team = min(max(n.Team, TeamSpectators), TeamBlue)
	n.Skill = min(max(n.Skill, 0), maxSkill)
	n.of = tx.w.running
	tx.w.npcs.requests = append(tx.w.npcs.requests, n)
	return true
}

// RemoveNPC makes an NPC leave the game. It leaves soon after the call.
func (p Player) RemoveNPC() { p.tx.w.npcs.remove(p.id) }

func (n *npcs) remove(id PlayerID) {
	if n.present.Has(id) {
		n.leaving.Add(id)
	}
}

// NPC returns the tag of an NPC, and false if the player is not an NPC.
func (p Player) NPC() (tag int32, ok bool) {
	if !p.tx.w.npcs.present.Has(p.id) {
		return 0, false
	}
	return p.tx.w.npcs.tag[p.id], true
}

// SetNPCSkill sets the skill of the bot that plays an NPC: 1 to 3, or 0 for no bot.
func (p Player) SetNPCSkill(skill int32) {
	if p.tx.w.npcs.present.Has(p.id) {
		p.tx.w.npcs.skill[p.id] = min(max(skill, 0), maxSkill)
	}
}

// SetInput sets the controls of an NPC until the next call. Weapons react at once. SetInput returns
// false if the player is not an NPC or no client could send the input.
func (p Player) SetInput(in Input) bool {
	if !p.tx.w.npcs.present.Has(p.id) || !in.valid() {
		return false
	}
	p.tx.w.sim.setInput(p.id, in)
	return true
}
