package dump

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	messages "github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// decodeSnapshot decodes a snapshot message.
func (d *Decoder) decodeSnapshot(f *flow, r *Record, m any) {
	var h snapshot.PartHeader
	var part int32
	var data []byte
	hasCRC := true
	header := func(tick, back, crc, parts int32) {
		h = snapshot.PartHeader{Tick: tick, BaseTick: tick - back, CRC: crc, Parts: parts}
	}
	switch m := m.(type) {
	case *msg6.MapChange, *msg7.MapChange:
		f.resetSnapshots()
		return
	case *msg6.Snap:
		header(m.Tick, m.DeltaTick, m.CRC, m.Parts)
		part, data = m.Part, m.Data
	case *msg7.Snap:
		header(m.Tick, m.DeltaTick, m.CRC, m.Parts)
		part, data = m.Part, m.Data
	case *msg6.SnapSingle:
		header(m.Tick, m.DeltaTick, m.CRC, 1)
		data = m.Data
	case *msg7.SnapSingle:
		header(m.Tick, m.DeltaTick, m.CRC, 1)
		data = m.Data
	case *msg6.SnapEmpty:
		header(m.Tick, m.DeltaTick, 0, 1)
		hasCRC = false
	case *msg7.SnapEmpty:
		header(m.Tick, m.DeltaTick, 0, 1)
		hasCRC = false
	default:
		return
	}
	delta, complete, err := f.assembler.Add(h, part, data)
	if err != nil {
		r.addFault("%v", err)
	}
	if !complete {
		return
	}
	var base *snapshot.Snapshot
	if h.BaseTick != -1 {
		if base = f.store.At(h.BaseTick); base == nil {
			d.stats.Unresolved++
			r.addField("unresolved", fmt.Sprintf("its base, tick %d, is not in the capture", h.BaseTick))
			return
		}
	}
	sizes := snapshot.ItemSizes(msg7.Sizes)
	if f.version == 6 {
		sizes = msg6.Sizes
	}
	if err := snapshot.ApplyDelta(&f.next, base, delta, &sizes); err != nil {
		r.addFault("%v", err)
		return
	}
	if crc := f.next.CRC(); hasCRC && crc != h.CRC {
		r.addFault("the checksum of the snapshot is %d, not %d", crc, h.CRC)
		return // clients drop it
	}
	d.stats.Snapshots++
	d.describeSnapshot(r, f.version, base, &f.next)
	f.store.Add(h.Tick, 0, &f.next)
}

// describeSnapshot adds the objects of a snapshot, and checks the objects that changed.
func (d *Decoder) describeSnapshot(r *Record, version int, base, next *snapshot.Snapshot) {
	if base == nil {
		base = &snapshot.Snapshot{}
	}
	d.registry.Reset()
	var list, changes Fields
	fresh, changed := 0, 0
	for i := range next.Len() {
		key, ints := next.Item(i)
		if version == 6 && key.Type() == msg6.TypeEx {
			d.registry.AddEx(key.ID(), ints)
		}
		old := base.Find(key)
		same := old != nil && slices.Equal(old, ints)
		switch {
		case old == nil:
			fresh++
		case !same:
			changed++
		}
		if same && !d.cfg.Objects {
			continue
		}
		typ, o, err := d.decodeObject(version, key.Type(), ints)
		name := fmt.Sprintf("%s %d", typ, key.ID())
		if err != nil && !errors.Is(err, messages.ErrUnknown) {
			r.addFault("%s: %v", name, err)
		}
		if !d.cfg.Objects && !d.cfg.Changes {
			continue
		}
		var now any = slices.Clone(ints)
		if err == nil {
			now = fieldsOf(o)
		}
		list = append(list, Field{name, now})
		switch {
		case old == nil:
			changes = append(changes, Field{"+" + name, now})
		case !same:
			changes = append(changes, Field{name, d.difference(version, key.Type(), old, now)})
		}
	}
	gone := 0
	for i := range base.Len() {
		if key, _ := base.Item(i); next.Find(key) == nil {
			gone++
			if d.cfg.Changes {
				typ, _, _ := d.decodeObject(version, key.Type(), nil)
				changes = append(changes, Field{fmt.Sprintf("-%s %d", typ, key.ID()), true})
			}
		}
	}
	r.addField("snapshot", Fields{{"items", next.Len()}, {"new", fresh}, {"changed", changed}, {"gone", gone}})
	if d.cfg.Objects {
		r.addField("objects", list)
	}
	if d.cfg.Changes {
		r.addField("changes", changes)
	}
}

// difference returns the fields of an object that changed, each with both values.
func (d *Decoder) difference(version, typ int, old []int32, now any) any {
	fields, ok := now.(Fields)
	_, o, err := d.decodeObject(version, typ, old)
	if !ok || err != nil {
		return Fields{{"from", slices.Clone(old)}, {"to", now}}
	}
	before := fieldsOf(o)
	var l Fields
	for i, f := range fields {
		if i < len(before) && !reflect.DeepEqual(before[i].Value, f.Value) {
			l = append(l, Field{f.Name, Fields{{"from", before[i].Value}, {"to", f.Value}}})
		}
	}
	return l
}

// decodeObject decodes an item and returns the name of its type.
func (d *Decoder) decodeObject(version, typ int, ints []int32) (name string, o any, err error) {
	if version == 6 {
		known := d.registry.Type(typ)
		o, err = d.objects6.Decode(known, ints)
		name = msg6.ObjectName(known)
	} else {
		o, err = d.objects7.Decode(typ, ints)
		name = msg7.ObjectName(typ)
	}
	if name == "" {
		name = fmt.Sprintf("type %d", typ)
	}
	return name, o, err
}
