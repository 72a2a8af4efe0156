package bridge6

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestCapturedJoin reads a captured session of DDNet-Server: every message, and every snapshot with
// its CRC.
func TestCapturedJoin(t *testing.T) {
	client := newTestClient(t, ClientConfig{DDNetVersion: 16040})
	var assembler snapshot.PartAssembler
	store := snapshot.NewStore(snapshot.StoreConfig{})
	var empty, next snapshot.Snapshot
	snaps := 0
	methods := map[string]bool{}
	client.OnCall = func(c bridgetest.Call) {
		methods[c.Method] = true
		if c.Method != "SnapshotPart" {
			return
		}
		h := c.Args[0].(snapshot.PartHeader)
		delta, complete, err := assembler.Add(h, c.Args[1].(int32), []byte(c.Args[2].(string)))
		if err != nil || !complete {
			return
		}
		base := &empty
		if h.BaseTick >= 0 {
			if base = store.At(h.BaseTick); base == nil {
				t.Fatalf("tick %d: no base %d", h.Tick, h.BaseTick)
			}
		}
		if len(delta) == 0 {
			next.CopyFrom(base)
		} else if err := snapshot.ApplyDelta(&next, base, delta, client.ItemSizes()); err != nil || next.CRC() != h.CRC {
			t.Fatalf("tick %d: %v, CRC %d instead of %d", h.Tick, err, next.CRC(), h.CRC)
		}
		client.ReceiveSnapshot(h.Tick, store.Add(h.Tick, 0, &next))
		snaps++
	}
	for _, c := range readSession(t) {
		if c.toServer {
			continue
		}
		if err := client.Receive(bytes.Clone(c.b), c.vital); err != nil {
			t.Errorf("%x: %v", c.b, err)
		}
	}
	v := client.View()
	me, ok := client.Player(client.OwnID())
	if snaps < 10 || !ok || me.Profile.Name == "" || len(v.Players) == 0 || len(v.Characters) == 0 || len(v.Pickups) == 0 {
		t.Errorf("%d snapshots, own %+v (%v), %d players, %d tees, %d pickups", snaps, me, ok, len(v.Players), len(v.Characters), len(v.Pickups))
	}
	for _, method := range []string{"MapChange", "ConReady", "ReadyToEnter", "Motd"} {
		if !methods[method] {
			t.Errorf("no %s", method)
		}
	}
	entered := eventCall(game.Event{Kind: game.EvPlayerEntered, Target: game.Nobody, Flag: true})
	if !slices.ContainsFunc(client.Take(), func(c bridgetest.Call) bool { return cmp.Equal(c, entered) }) {
		t.Error("the client did not enter")
	}
	t.Logf("%d snapshots, %+v", snaps, me.Profile)
}

// TestDDNetItems checks that DDNet's own items decode to the same view as plain ones.
func TestDDNetItems(t *testing.T) {
	g := newTestClient(t, ClientConfig{DDNetVersion: 16200})
	var b snapshot.Builder
	var s snapshot.Snapshot
	ext := extendedItems(&b)
	ext(msg6.TypeDDNetLaser, 1, msg6.SizeDDNetLaser, &msg6.DDNetLaser{ToX: 1, ToY: 2, FromX: 3, FromY: 4, StartTick: 5})
	ext(msg6.TypeDDNetPickup, 2, msg6.SizeDDNetPickup, &msg6.DDNetPickup{X: 1, Y: 2, Type: msg6.PickupWeapon, Subtype: msg6.WeaponShotgun})
	ext(msg6.TypeDDNetProjectile, 3, msg6.SizeDDNetProjectile,
		&msg6.DDNetProjectile{X: 100, Y: 200, VelX: 600000, VelY: -800000, Type: msg6.WeaponGun, StartTick: 5})
	ext(msg6.TypeDDNetProjectile, 4, msg6.SizeDDNetProjectile,
		&msg6.DDNetProjectile{X: 100, Y: 200, VelX: 3000000, VelY: 4000000, Type: msg6.WeaponGun, StartTick: 5, Flags: msg6.ProjectileNormalizeVel})
	ext(msg6.TypeDDRaceProjectile, 5, msg6.SizeDDRaceProjectile, &msg6.DDRaceProjectile{X: 100, Y: 200, Angle: 0, Type: msg6.WeaponGrenade, StartTick: 5})
	ext(msg6.TypeDDNetPlayer, 0, msg6.SizeDDNetPlayer, &msg6.DDNetPlayer{AuthLevel: msg6.AuthAdmin})
	addItem(&b, msg6.TypePlayerInfo, 0, msg6.SizePlayerInfo, &msg6.PlayerInfo{Local: 1})
	b.Finish(&s)
	v := g.ReceiveSnapshot(5, &s)
	if d := cmp.Diff([]game.LaserState{{ID: 1, X: 1, Y: 2, FromX: 3, FromY: 4, StartTick: 5, Pos: convert.Point(1, 2), From: convert.Point(3, 4)}},
		v.Lasers); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]game.PickupState{{ID: 2, X: 1, Y: 2, Kind: game.PickupShotgun}}, v.Pickups); d != "" {
		t.Error(d)
	}
	var got [][5]int32
	for _, p := range v.Projectiles {
		got = append(got, [5]int32{p.X, p.Y, p.VelX, p.VelY, int32(p.Weapon)})
	}
	slices.SortFunc(got, func(a, b [5]int32) int { return slices.Compare(a[:], b[:]) })
	if want := [][5]int32{{1, 2, 0, 100, 3}, {1, 2, 60, -80, 1}, {1, 2, 60, 80, 1}}; !slices.Equal(got, want) {
		t.Errorf("projectiles %v", got)
	}
	if len(v.Players) != 1 || v.Players[0].Flags != game.PlayerFlagAdmin || g.OwnID() != 0 {
		t.Errorf("players %+v", v.Players)
	}
}

// The DDNet items that FuzzClientSide generates, under the types from 0xff downwards, and their
// sizes.
var (
	ddnetTypes = []int{
		msg6.TypeGameInfoEx, msg6.TypeDDNetPlayer, msg6.TypeDDNetCharacter, msg6.TypeSwitchState, msg6.TypeSpecChar, msg6.TypeEntityEx,
		msg6.TypeDDNetLaser, msg6.TypeDDRaceProjectile, msg6.TypeDDNetProjectile, msg6.TypeDDNetPickup,
	}
	ddnetSizes = []int{
		msg6.SizeGameInfoEx, msg6.SizeDDNetPlayer, msg6.SizeDDNetCharacter, msg6.SizeSwitchState, msg6.SizeSpecChar, msg6.SizeEntityEx,
		msg6.SizeDDNetLaser, msg6.SizeDDRaceProjectile, msg6.SizeDDNetProjectile, msg6.SizeDDNetPickup,
	}
)

// FuzzClientSide passes messages and snapshots of arbitrary bytes to a client. Each message is
// preceded by a byte for its length and a byte that says whether it is vital. Each snapshot item
// takes one byte for the type, one for the id, and four for each integer.
func FuzzClientSide(f *testing.F) {
	for _, c := range readSession(f) {
		if !c.toServer && len(c.b) < 256 {
			f.Add(append([]byte{byte(len(c.b)), 1}, c.b...), int32(7), []byte{10, 0, 1, 0, 0, 0})
			f.Add(append([]byte{byte(len(c.b)), 1}, c.b...), int32(16040), []byte{0xff, 0, 14, 199, 236, 51, 0, 0, 0, 8, 0, 0, 0, 64})
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, tick int32, items []byte) {
		g := newTestClient(t, ClientConfig{DDNetVersion: tick % 20000})
		for len(data) >= 2 {
			k := min(int(data[0]), len(data)-2)
			g.Receive(bytes.Clone(data[2:2+k]), data[1]&1 != 0)
			data = data[2+k:]
		}
		var b snapshot.Builder
		for i, typ := range ddnetTypes {
			ex := newEx(typ)
			copy(b.Add(msg6.TypeEx, msg6.FirstExtendedWireType-i, msg6.SizeEx), ex[:])
		}
		for len(items) >= 2 {
			typ, id := int(items[0]), int(items[1])
			size := 5
			if typ >= 0xf0 {
				if i := 0xff - typ; i < len(ddnetSizes) {
					size = ddnetSizes[i]
				}
				typ += msg6.FirstExtendedWireType - 0xff
			}
			items = items[2:]
			if typ < len(msg6.Sizes) && msg6.Sizes[typ] != 0 {
				size = int(msg6.Sizes[typ])
			}
			slot := b.Add(typ, id, size)
			for i := range slot {
				for range min(4, len(items)) {
					slot[i] = slot[i]<<8 | int32(items[0])
					items = items[1:]
				}
			}
		}
		var s snapshot.Snapshot
		b.Finish(&s)
		for i := range int32(2) {
			g.ReceiveSnapshot(tick/2+i, &s)
			bridgetest.CheckView(t, g)
		}
		for _, c := range g.Take() {
			for _, a := range c.Args {
				if text, ok := a.(string); ok && c.Method != "MapData" && c.Method != "SnapshotPart" && strings.ContainsAny(text, "\x1b\x00") {
					t.Errorf("%+v", c)
				}
			}
		}
	})
}

// addItem adds an item to b.
func addItem(b *snapshot.Builder, typ, id, n int, o interface{ PutInts([]int32) }) {
	o.PutInts(b.Add(typ, id, n))
}

// TestEmoteRange checks that a character's emote always exists. The wire format allows a number one
// above the last emote.
func TestEmoteRange(t *testing.T) {
	for wire, want := range map[msg6.Emote]game.Emote{
		-1: game.EmoteNormal, msg6.EmoteAngry: game.EmoteAngry, msg6.EmoteBlink: game.EmoteBlink, 6: game.EmoteBlink, math.MaxInt32: game.EmoteBlink,
	} {
		var b snapshot.Builder
		addItem(&b, msg6.TypeCharacter, 3, msg6.SizeCharacter, &msg6.Character{Emote: wire})
		var s snapshot.Snapshot
		b.Finish(&s)
		v := newTestClient(t, ClientConfig{}).ReceiveSnapshot(1, &s)
		if len(v.Characters) != 1 || v.Characters[0].Emote != want {
			t.Errorf("emote %d: %+v, want emote %d", wire, v.Characters, want)
		}
	}
}

// TestEntitiesAreOfOneSnapshot checks that a laser does not become a door because a laser with the
// same id was a door in the previous snapshot.
func TestEntitiesAreOfOneSnapshot(t *testing.T) {
	c := newTestClient(t, ClientConfig{DDNetVersion: 16040})
	c.gameFlags = game.GameFlagDDRace
	for tick, door := range []bool{true, false} {
		var b snapshot.Builder
		var s snapshot.Snapshot
		add := extendedItems(&b)
		for id := range 2 {
			add(msg6.TypeDDNetLaser, 1+id, msg6.SizeDDNetLaser, &msg6.DDNetLaser{ToX: 1, ToY: 2, FromX: 3, FromY: 4, StartTick: 5, Type: msg6.LaserRifle})
			if door || id == 1 {
				add(msg6.TypeEntityEx, 1+id, msg6.SizeEntityEx, &msg6.EntityEx{EntityClass: msg6.EntityDoor})
			}
		}
		b.Finish(&s)
		v := c.ReceiveSnapshot(int32(10+tick), &s)
		if len(v.Lasers) != 2 || v.Lasers[0].Entity.Kind != game.NoMapEntity != door || v.Lasers[1].Entity.Kind != game.MapDoor {
			t.Errorf("door %v: %+v", door, v.Lasers)
		}
	}
}

// TestOldDDRaceProjectiles checks that a client can tell plain projectiles and DDRaceProjectiles
// apart in releases that receive both under one type.
func TestOldDDRaceProjectiles(t *testing.T) {
	c := newTestClient(t, ClientConfig{DDNetVersion: msg6.VersionAntiPingProjectile})
	var b snapshot.Builder
	var s snapshot.Snapshot
	addItem(&b, msg6.TypeProjectile, 1, msg6.SizeProjectile, &msg6.Projectile{X: 700, Y: 800, VelX: 60, VelY: -80, Type: msg6.WeaponGun, StartTick: 5})
	addItem(&b, msg6.TypeProjectile, 2, msg6.SizeDDRaceProjectile,
		&msg6.DDRaceProjectile{X: 70000, Y: 80000, Data: msg6.DDRaceProjectileIsDDNet, Type: msg6.WeaponGrenade, StartTick: 5})
	b.Finish(&s)
	v := c.ReceiveSnapshot(10, &s)
	if len(v.Projectiles) != 2 {
		t.Fatalf("%+v", v.Projectiles)
	}
	for i, want := range [][5]int32{{700, 800, 60, -80, int32(game.WeaponGun)}, {700, 800, 0, 100, int32(game.WeaponGrenade)}} {
		if p := v.Projectiles[i]; [5]int32{p.X, p.Y, p.VelX, p.VelY, int32(p.Weapon)} != want {
			t.Errorf("%+v, want %v", p, want)
		}
	}
}

// extendedItems returns a function that adds DDNet's own items to a snapshot, each type after the
// item that names it.
func extendedItems(b *snapshot.Builder) func(typ, id, n int, o msg6.Object) {
	var r msg6.TypeRegistry
	r.BeginSnapshot()
	return func(typ, id, n int, o msg6.Object) {
		number, first := r.WireType(typ)
		if first {
			u, _ := msg6.TypeUUID(typ)
			addItem(b, msg6.TypeEx, number, msg6.SizeEx, &msg6.Ex{UUID: u})
		}
		o.PutInts(b.Add(number, id, n))
	}
}
