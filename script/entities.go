package script

import (
	"errors"
	"fmt"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// entityKind is a kind of entities that the file declares.
type entityKind struct {
	name              string
	parts             int32
	tick, draw, reset rt.Value
	id                game.KindID // set by the world in Start
}

func (*entityKind) kind() *kind    { return entityKindKind }
func (k *entityKind) text() string { return "entity kind " + k.name }

var (
	entityKindKind = &kind{"kind of entities", nil}
	entityObject   = &kind{"entity", map[string]member{
		"id":     part(func(e *game.Entity) int32 { return int32(e.ID()) }, nil),
		"pos":    part(func(e *game.Entity) vec.Vec2 { return e.Pos }, func(e *game.Entity, p vec.Vec2) { e.Pos = p }),
		"vel":    part(func(e *game.Entity) vec.Vec2 { return e.Vel }, func(e *game.Entity, p vec.Vec2) { e.Vel = p }),
		"to":     part(func(e *game.Entity) vec.Vec2 { return e.To }, func(e *game.Entity, p vec.Vec2) { e.To = p }),
		"owner":  part(func(e *game.Entity) game.PlayerID { return e.Owner }, func(e *game.Entity, id game.PlayerID) { e.Owner = id }),
		"team":   part(func(e *game.Entity) game.Team { return e.Team }, func(e *game.Entity, t game.Team) { e.Team = t }),
		"born":   part(func(e *game.Entity) int32 { return e.Born() }, nil),
		"data":   method(2, entityData),
		"set":    method(3, setEntityData),
		"move":   method(3, moveEntity),
		"remove": method(1, removeEntity),
	}}
	drawingKind = &kind{"drawing", map[string]member{
		"laser":      method(5, drawLaser),
		"pickup":     method(5, drawPickup),
		"projectile": method(6, drawProjectile),
	}}
)

func init() {
	entityKindKind.members = map[string]member{
		"spawn": method(2, oldCosts(effectCost, spawnEntity)),
		"each":  method(2, oldCosts(50, eachEntity)),
	}
	kinds = append(kinds, entityKindKind, entityObject, drawingKind)
}

// declareEntityKind is the function entity_kind{name = "ball", tick = function(e) end}.
func declareEntityKind(v *vm, c *rt.GoCont) error {
	f := v.declaration(c, "name", "parts", "tick", "draw", "reset")
	k := &entityKind{name: f.text("name"), parts: f.number("parts", 1), tick: f.function("tick"), draw: f.function("draw"), reset: f.function("reset")}
	switch {
	case f.err != nil:
		return f.err
	case v.declared.kind(k.name) != nil:
		return fmt.Errorf("there is a kind of entities %s already", k.name)
	case k.parts < 1 || k.parts > game.MaxEntityParts:
		return fmt.Errorf("parts is %d, want 1 to %d", k.parts, game.MaxEntityParts)
	}
	v.declared.kinds = append(v.declared.kinds, k)
	v.push(c, rt.UserDataValue(rt.NewUserData(k, v.metas[entityKindKind])))
	return nil
}

// addKinds adds the declared kinds to the world. They call the functions of the current script,
// also after a reload.
func (m *Mod) addKinds(setup *game.Setup) {
	for _, k := range m.vm.declared.kinds {
		name := k.name
		run := func(ctx *game.Ctx, e *game.Entity, which func(*entityKind) rt.Value) {
			if k := m.vm.declared.kind(name); k != nil && m.vm.calls < maxCalls {
				f := &m.vm.frames[m.vm.calls]
				f.entity.data = e
				m.callFunction(&ctx.Tx, which(k), f.entity.value)
				f.entity.data = nil
			}
		}
		kind := game.EntityKind{Parts: int(k.parts)}
		if !k.tick.IsNil() {
			kind.Tick = func(ctx *game.Ctx, e *game.Entity) { run(ctx, e, func(k *entityKind) rt.Value { return k.tick }) }
		}
		if !k.reset.IsNil() {
			kind.Reset = func(ctx *game.Ctx, e *game.Entity) { run(ctx, e, func(k *entityKind) rt.Value { return k.reset }) }
		}
		if !k.draw.IsNil() {
			kind.Draw = func(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
				k := m.vm.declared.kind(name)
				if k == nil || m.vm.calls != 0 {
					return
				}
				f := &m.vm.frames[0]
				f.entity.data, f.drawing.data = e, d
				m.vm.drawing = true
				m.callFunction(&ctx.Tx, k.draw, f.entity.value, f.drawing.value)
				m.vm.drawing = false
				f.entity.data, f.drawing.data = nil, nil
			}
		}
		k.id = setup.AddEntityKind(kind)
		m.kinds[name] = k.id
	}
}

// kindOf returns the kind of entities on which a method is called.
func kindOf(c *rt.GoCont) (*entityKind, error) {
	if u, ok := value(c, 0).TryUserData(); ok {
		if k, ok := u.Value().(*entityKind); ok {
			if k.id == 0 {
				return nil, errors.New("a kind of entities that is new can be used with the next map")
			}
			return k, nil
		}
	}
	return nil, badArgument(0, "a kind of entities", value(c, 0))
}

// eachEntity is kind:each(f). It calls f with each entity of the kind, oldest first.
func eachEntity(v *vm, c *rt.GoCont) error {
	k, err := kindOf(c)
	if err != nil {
		return err
	}
	var ids []game.EntityID
	if err := do0(func(tx *game.Tx) {
		for e := range tx.Entities(k.id) {
			ids = append(ids, e.ID())
		}
	})(v, c); err != nil {
		return err
	}
	v.r.RequireMem(uint64(8*len(ids)) + 200)
	v.payItems(costOf("kind of entities:each"), len(ids))
	e := newEvent[game.Entity](v, entityObject)
	defer func() { e.data = nil }()
	for _, id := range ids {
		if e.data = v.tx.Entity(id); e.data == nil {
			continue // an earlier call of f removed it
		}
		if err := rt.Call(v.thread, value(c, 1), []rt.Value{e.value}, rt.NewTerminationWith(c, 0, false)); err != nil {
			return err
		}
	}
	return nil
}

// spawnEntity is kind:spawn{pos = ..., vel = ...}. It returns the id of the entity.
func spawnEntity(v *vm, c *rt.GoCont) error {
	k, err := kindOf(c)
	if err != nil {
		return err
	}
	f := v.fields(c, 1, "pos", "vel", "to", "owner", "team")
	e := game.Entity{
		Pos: f.vector(v, "pos"), Vel: f.vector(v, "vel"), To: f.vector(v, "to"),
		Owner: f.player("owner"), Team: word(f, "team", teamNames, game.TeamRed),
	}
	if f.err != nil {
		return f.err
	}
	return ask0(func(tx *game.Tx) game.EntityID { return tx.SpawnEntity(k.id, e) })(v, c)
}

// entityOf returns the entity on which a method is called.
func entityOf(c *rt.GoCont) (*game.Entity, error) {
	if u, ok := value(c, 0).TryUserData(); ok {
		if e, ok := u.Value().(*event[game.Entity]); ok && e.data != nil {
			return e.data, nil
		}
	}
	return nil, errEnded
}

// entityData is e:data(i), one of eight numbers. setEntityData is e:set(i, n).
func entityData(v *vm, c *rt.GoCont) error {
	e, i, err := entityIndex(v, c)
	if err == nil {
		result(v, c, e.Data[i])
	}
	return err
}

func setEntityData(v *vm, c *rt.GoCont) error {
	e, i, err := entityIndex(v, c)
	if err != nil {
		return err
	}
	e.Data[i], err = arg[int32](v, c, 2)
	return err
}

func entityIndex(v *vm, c *rt.GoCont) (*game.Entity, int32, error) {
	e, err := entityOf(c)
	if err != nil {
		return nil, 0, err
	}
	i, err := arg[int32](v, c, 1)
	if err == nil && (i < 1 || int(i) > len(e.Data)) {
		err = badArgument(1, fmt.Sprintf("a number from 1 to %d", len(e.Data)), value(c, 1))
	}
	return e, i - 1, err
}

// moveEntity is e:move(size, elasticity). It moves the entity by its velocity, bounces it off
// walls, and returns whether it touched a deadly tile.
func moveEntity(v *vm, c *rt.GoCont) error {
	e, err := entityOf(c)
	if err != nil {
		return err
	}
	size, err := arg[float32](v, c, 1)
	if err != nil {
		return err
	}
	elasticity, err := option[float32](v, c, 2, 0)
	if err != nil {
		return err
	}
	return ask0(func(tx *game.Tx) bool {
		v.payWay(min(4*e.Vel.Len(), 4096)) // MoveBox checks four corners for each unit
		return tx.Map().MoveBox(&e.Pos, &e.Vel, vec.Vec2{X: size, Y: size}, elasticity)
	})(v, c)
}

func removeEntity(_ *vm, c *rt.GoCont) error {
	e, err := entityOf(c)
	if err == nil {
		e.Remove()
	}
	return err
}

// drawingOf returns the drawing on which a method is called, and the index of the part.
func drawingOf(v *vm, c *rt.GoCont) (*game.Drawing, int, error) {
	if u, ok := value(c, 0).TryUserData(); ok {
		if d, ok := u.Value().(*event[game.Drawing]); ok && d.data != nil {
			part, err := arg[int32](v, c, 1)
			return d.data, int(part) - 1, err
		}
	}
	return nil, 0, errEnded
}

// two converts arguments 2 and 3 and the viewers after them.
func two[A, B any](v *vm, c *rt.GoCont) (a A, b B, to game.PlayerMask, err error) {
	if a, err = arg[A](v, c, 2); err == nil {
		if b, err = arg[B](v, c, 3); err == nil {
			to, err = arg[game.PlayerMask](v, c, 4)
		}
	}
	return a, b, to, err
}

// drawLaser is d:laser(part, from, to, viewers).
func drawLaser(v *vm, c *rt.GoCont) error {
	d, n, err := drawingOf(v, c)
	if err != nil {
		return err
	}
	from, pos, to, err := two[vec.Vec2, vec.Vec2](v, c)
	if err == nil {
		d.Laser(n, from, pos, to)
	}
	return err
}

// drawPickup is d:pickup(part, kind, pos, viewers).
func drawPickup(v *vm, c *rt.GoCont) error {
	d, n, err := drawingOf(v, c)
	if err != nil {
		return err
	}
	kind, pos, to, err := two[game.PickupKind, vec.Vec2](v, c)
	if err == nil {
		d.Pickup(n, kind, pos, to)
	}
	return err
}

// drawProjectile is d:projectile(part, weapon, pos, viewers, vel).
func drawProjectile(v *vm, c *rt.GoCont) error {
	d, n, err := drawingOf(v, c)
	if err != nil {
		return err
	}
	weapon, pos, to, err := two[game.Weapon, vec.Vec2](v, c)
	if err != nil {
		return err
	}
	vel, err := option(v, c, 5, vec.Vec2{})
	if err == nil {
		d.Projectile(n, weapon, pos, vel, to)
	}
	return err
}
