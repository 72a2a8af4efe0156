package bridge7

import (
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ReceiveSnapshot ignores unknown items and items with values out of range.
func (c *clientSide) ReceiveSnapshot(tick int32, s *snapshot.Snapshot) *game.View {
	if c.demo != nil {
		c.readDemoObjects(s)
	}
	c.BeginSnapshot(tick, c.Limits)
	for i := range s.Len() {
		key, ints := s.Item(i)
		if typ := key.Type(); typ > 0 && typ <= msg7.TypeGameDataRace { // reading other types would allocate an error
			if o, err := c.items.Decode(typ, ints); err == nil {
				c.addItem(o, key.ID())
			}
		}
	}
	c.EndSnapshot()
	return &c.CurrentView
}

// addItem adds an item to the view. Items arrive in ascending order of type, so a player comes
// before the item of a spectator who watches that player.
func (c *clientSide) addItem(o msg7.Object, id int) {
	switch o := o.(type) {
	case *msg7.Projectile:
		c.AddProjectile(id, o.X, o.Y, o.VelX, o.VelY, game.Weapon(o.Type), o.StartTick)
	case *msg7.Laser:
		c.AddLaser(id, o.X, o.Y, o.FromX, o.FromY, o.StartTick)
	case *msg7.Pickup:
		c.AddPickup(id, o.X, o.Y, game.PickupKind(o.Type))
	case *msg7.Flag:
		c.AddFlag(game.Team(o.Team), o.X, o.Y)
	case *msg7.GameData:
		g := &c.Frame.Game
		g.StartTick, g.State, g.EndTick = o.StartTick, game.GameStateFlags(o.StateFlags), o.StateEndTick
	case *msg7.GameDataTeam:
		c.Frame.Game.TeamScore = [2]int32{o.ScoreRed, o.ScoreBlue}
	case *msg7.GameDataFlag:
		g := &c.Frame.Game
		g.FlagCarrier = [2]int32{int32(o.CarrierRed), int32(o.CarrierBlue)}
		g.FlagDropTick = [2]int32{o.DropTickRed, o.DropTickBlue}
	case *msg7.Character:
		if id < msg7.MaxClients {
			c.addCharacter(game.PlayerID(id), o)
		}
	case *msg7.PlayerInfo:
		if id < msg7.MaxClients {
			p := &c.Players[id]
			p.Score, p.Flags = o.Score, game.PlayerFlags(o.PlayerFlags)
			p.Alive, p.Ready = false, p.Flags&game.PlayerFlagReady != 0
			c.Frame.Players = append(c.Frame.Players, game.PlayerState{
				ID: p.ID, Team: p.Team, Flags: p.Flags, Score: o.Score, Latency: o.Latency, SpectatorID: game.Nobody,
			})
		}
	case *msg7.SpectatorInfo:
		if id == int(c.Own) {
			c.Watch(game.SpectateMode(o.Mode), game.PlayerID(o.SpectatorID), o.X, o.Y)
		}
	case *msg7.PlayerInfoRace:
		if id < msg7.MaxClients {
			c.SetRaceStart(game.PlayerID(id), o.StartTick)
		}
	case *msg7.GameDataRace:
		c.Frame.Game.Race = game.RaceState{BestTime: max(o.BestTime, 0), Precision: o.Precision, Flags: game.RaceFlags(o.RaceFlags)}
	default:
		if len(c.EffectEvents) < items.MaxEffects {
			if ev, ok := decodeEffect(o); ok {
				c.AddEffect(id, ev)
			}
		}
	}
}

func (c *clientSide) addCharacter(id game.PlayerID, o *msg7.Character) {
	c.AddCharacter(game.CharacterState{
		Player: id, Tick: o.Tick, X: o.X, Y: o.Y, VelX: o.VelX, VelY: o.VelY, Angle: o.Angle, Direction: o.Direction,
		Jumped: o.Jumped, HookedPlayer: o.HookedPlayer, HookState: int32(o.HookState), HookTick: o.HookTick,
		HookX: o.HookX, HookY: o.HookY, HookDX: o.HookDX, HookDY: o.HookDY,
		Health: o.Health, Armor: o.Armor, Ammo: o.Ammo, Weapon: game.Weapon(o.Weapon), Emote: game.Emote(o.Emote),
		AttackTick: o.AttackTick, TriggeredEvents: int32(o.TriggeredEvents),
	})
}

// decodeEffect returns the event that an item shows, or false if it shows none.
func decodeEffect(o msg7.Object) (game.Event, bool) {
	ev := game.Event{Player: game.Nobody, Target: game.Nobody}
	var common msg7.EventCommon
	switch o := o.(type) {
	case *msg7.EventExplosion:
		ev.Kind, common = game.EvExplosion, o.EventCommon
	case *msg7.EventSpawn:
		ev.Kind, common = game.EvSpawn, o.EventCommon
	case *msg7.EventHammerHit:
		ev.Kind, common = game.EvHammerHit, o.EventCommon
	case *msg7.EventDeath:
		ev.Kind, common, ev.Player = game.EvDeath, o.EventCommon, game.PlayerID(o.ClientID)
	case *msg7.EventSoundWorld:
		ev.Kind, common, ev.Sound = game.EvSound, o.EventCommon, game.Sound(o.Sound)
	case *msg7.EventDamage:
		ev.Kind, common, ev.Player = game.EvDamage, o.EventCommon, game.PlayerID(o.ClientID)
		ev.Angle, ev.Value, ev.Extra, ev.Flag = o.Angle, o.Health, o.Armor, o.Self
	default:
		return ev, false
	}
	ev.Pos = convert.Point(common.X, common.Y)
	return ev, true
}
