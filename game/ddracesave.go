package game

import "github.com/teeyard/teeyard/game/vec"

// visitThings visits empty lists: visit has the shots and map objects.
func (d *ddraceHost) visitThings(v *visitor) {
	var none []struct{}
	for range 2 { // shots
		v.hashed(0)
		length(v, &none, 0)
	}
	length(v, &none, 0) // pickups
}

func (d *ddraceHost) check(*visitor, func(uint16)) {}

func (d *ddraceHost) visit(v *visitor) {
	if !v.extra(46, true) {
		return
	}
	v.mask(&d.entered)
	d.world.Visit((*ddraceVisitor)(v))
	if v.extra(60, d.options != DDRaceOptions{}) {
		v.ddraceOptions(&d.options)
	}
	if v.op == restoring && v.err == nil {
		d.mirrorTees()
	}
}

// ddraceVisitor visits the fields of the simulation.
type ddraceVisitor visitor

func (d *ddraceVisitor) Restores() bool { return d.op == restoring }

// Tees returns the number of tees to visit.
func (d *ddraceVisitor) Tees() int { return d.seats }

func (d *ddraceVisitor) Int32s(list []int32) {
	if d.op != hashing {
		for i := range list {
			d.Int32(&list[i])
		}
		return
	}
	h := d.hash
	for _, n := range list {
		h.i32(n)
	}
	d.hash = h
}

func (d *ddraceVisitor) Int32(p *int32)   { num((*visitor)(d), p) }
func (d *ddraceVisitor) Int8(p *int8)     { num((*visitor)(d), p) }
func (d *ddraceVisitor) Uint8(p *uint8)   { num((*visitor)(d), p) }
func (d *ddraceVisitor) Uint64(p *uint64) { number64((*visitor)(d), p) }
func (d *ddraceVisitor) Vec(p *vec.Vec2)  { (*visitor)(d).vec(p, limitPos) }

func (d *ddraceVisitor) Bool(p *bool) {
	v := (*visitor)(d)
	var n uint8
	if *p {
		n = 1
	}
	num(v, &n)
	within(v, "flag", n, 0, 1)
	*p = n == 1
}

func (d *ddraceVisitor) Float(p *float32) {
	v := (*visitor)(d)
	if v.op == hashing {
		v.hash.float(*p)
		return
	}
	v.float(p, limitPos)
}

func (d *ddraceVisitor) Length(n, limit int) int {
	v := (*visitor)(d)
	v.hashed(n)
	list := make([]struct{}, n)
	length(v, &list, limit)
	return len(list)
}

func (d *ddraceVisitor) Within(what string, n, lo, hi int32) {
	within((*visitor)(d), what, n, lo, hi)
}
