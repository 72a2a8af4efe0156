package game

import "github.com/teeyard/teeyard/game/vec"

// maxEntityIDs is the number of entity ids (0.7: snapshot ids 0..16383).
const maxEntityIDs = 16384

// idPool allocates entity ids in the order of the 0.7.5 server: the id freed last is the next one.
// Characters and flags have ids too, although clients only see the ids of projectiles, lasers and
// pickups.
type idPool struct {
	nextUnused int32 // ids from here on are unused
	freed      []uint16
}

func (p *idPool) alloc() (uint16, bool) {
	if n := len(p.freed); n > 0 {
		id := p.freed[n-1]
		p.freed = p.freed[:n-1]
		return id, true
	}
	if p.nextUnused >= maxEntityIDs {
		return 0, false
	}
	p.nextUnused++
	return uint16(p.nextUnused - 1), true
}

func (p *idPool) free(id uint16) { p.freed = append(p.freed, id) }

// charList is a list of characters, newest first.
type charList struct {
	ids   [MaxPlayers]PlayerID
	count int
}

func (l *charList) push(id PlayerID) {
	copy(l.ids[1:], l.ids[:l.count])
	l.ids[0] = id
	l.count++
}

func (l *charList) remove(id PlayerID) {
	for i := 0; i < l.count; i++ {
		if l.ids[i] == id {
			copy(l.ids[i:], l.ids[i+1:l.count])
			l.count--
			return
		}
	}
}

// findCharacters fills out with the characters closer to pos than radius plus
// proximityRadius, newest first, and returns their number.
func (w *World) findCharacters(pos vec.Vec2, radius float32, out *[MaxPlayers]PlayerID) int {
	n := 0
	for i := 0; i < w.charOrder.count; i++ {
		id := w.charOrder.ids[i]
		if vec.Distance(w.characters[id].pos, pos) < radius+proximityRadius {
			out[n] = id
			n++
		}
	}
	return n
}

// closestCharacter returns the character closest to pos, within radius plus
// proximityRadius and within twice the radius, or Nobody.
func (w *World) closestCharacter(pos vec.Vec2, radius float32) PlayerID {
	best, nearest := Nobody, radius*2
	for i := 0; i < w.charOrder.count; i++ {
		id := w.charOrder.ids[i]
		d := vec.Distance(pos, w.characters[id].pos)
		if d < proximityRadius+radius && d < nearest {
			best, nearest = id, d
		}
	}
	return best
}
