package bridge6

import (
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// sizeDDNetPlayer is the number of integers of a DDNetPlayer that all releases read: flags and
// rights.
const sizeDDNetPlayer = 2

// sizeGameInfoEx is the number of integers that 16.4 sends of a GameInfoEx.
const sizeGameInfoEx = 3

// gameInfoEx makes DDNet's client predict and draw this game, without the features of DDRace.
var gameInfoEx = msg6.GameInfoEx{
	Flags: msg6.GameInfoGametypeVanilla | msg6.GameInfoBugVanillaBounce | msg6.GameInfoPredictVanilla |
		msg6.GameInfoEntitiesVanilla | msg6.GameInfoDontMaskEntities | msg6.GameInfoAllowEyeWheel,
	Version: msg6.GameInfoVersion,
	Flags2:  msg6.GameInfo2HUDHealthArmor | msg6.GameInfo2HUDAmmo,
}

// gameInfoExRace is gameInfoEx for a race.
var gameInfoExRace = msg6.GameInfoEx{
	Flags:   gameInfoEx.Flags | msg6.GameInfoTimeScore | msg6.GameInfoRace | msg6.GameInfoRaceRecordMessage,
	Version: gameInfoEx.Version,
	Flags2:  gameInfoEx.Flags2,
}

// buildDDNetTypes adds the items that define the types of the items of buildDDNetItems.
func (e *snapshotEncoder) buildDDNetTypes(b *snapshot.Builder) {
	if e.frame.Extended {
		e.types.add(b, wireTypeDDNetChar, &exDDNetCharacter)
	}
	if !e.admins.IsEmpty() || e.ddrace.on {
		e.types.add(b, wireTypeDDNetPlayer, &exDDNetPlayer)
	}
	e.types.add(b, wireTypeGameInfoEx, &exGameInfoEx)
}

// buildDDNetItems adds the items that only DDNet's clients know.
func (e *snapshotEncoder) buildDDNetItems(b *snapshot.Builder, ids *clientids.Map, version int32) {
	for i := range e.frame.Players {
		p := &e.frame.Players[i]
		id := ids.ID(p.ID)
		if id < 0 || !e.ddrace.on && !e.admins.Has(p.ID) {
			continue
		}
		item := &e.players[p.ID]
		if id == int32(p.ID) {
			b.AddShared(&item.ddnetRef, wireTypeDDNetPlayer, int(id), item.ddnet[:])
		} else {
			copy(b.Add(wireTypeDDNetPlayer, int(id), sizeDDNetPlayer), item.ddnet[:])
		}
	}
	if e.ddrace.on && version >= msg6.VersionEntityNetObjs {
		b.AddShared(&e.newGameInfoExRef, wireTypeGameInfoEx, 0, e.newGameInfoEx[:])
	} else {
		b.AddShared(&e.gameInfoExRef, wireTypeGameInfoEx, 0, e.gameInfoEx[:sizeGameInfoEx])
	}
}

// encodeDDNetPlayer encodes a player as a DDNetPlayer.
func encodeDDNetPlayer(p *game.PlayerState) (ints [sizeDDNetPlayer]int32) {
	ints[0] = int32(encodeExPlayerFlags(p))
	if p.Flags&game.PlayerFlagAdmin != 0 {
		ints[ddnetPlayerRights] = int32(msg6.AuthAdmin)
	}
	return ints
}

func (e *snapshotEncoder) addGameInfoEx() {
	o := gameInfoEx
	switch {
	case e.ddrace.on:
		o = gameInfoExDDRace
	case e.isRace:
		o = gameInfoExRace
	}
	if e.frame.Game.Flags&game.GameFlagFNG != 0 {
		o.Flags |= msg6.GameInfoPredictFNG
	}
	if e.frame.Game.Flags&game.GameFlagNoWeakHook != 0 {
		o.Flags2 |= msg6.GameInfo2NoWeakHook
	}
	if e.frame.Extended { // the client predicts and shows character states
		o.Flags |= msg6.GameInfoPredictDDRace
		o.Flags2 |= msg6.GameInfo2HUDDDRace
	}
	o.PutInts(e.gameInfoEx[:])

	// Clients that know Supports128Teams use it to tell super tees from team 64; see sendTeams.
	o.Version = msg6.GameInfoVersionTeamSizes
	o.Flags2 |= msg6.GameInfo2DDRaceTeam | msg6.GameInfo2PredictEvents | msg6.GameInfo2Supports128Teams
	o.MinTeamSize, o.MaxTeamSize = e.minTeamSize, e.maxTeamSize
	o.PutInts(e.newGameInfoEx[:])
}

// typeItems are the items that define types on the wire, indexed by type number.
type typeItems [numWireTypes]snapshot.SharedRef

func (t *typeItems) add(b *snapshot.Builder, wireType int, ints *[msg6.SizeEx]int32) {
	b.AddShared(&t[msg6.FirstExtendedWireType-wireType], msg6.TypeEx, wireType, ints[:])
}
