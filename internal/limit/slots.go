package limit

import (
	"net/netip"
	"sync"
)

// Slots bounds how much is done at once: for all persons together, and for each. It is safe for several
// goroutines.
type Slots struct {
	// Most is for all together, MostPerPerson for each; the zero Prefix is no person.
	Most, MostPerPerson int

	mu        sync.Mutex
	taken     int
	perPerson map[netip.Prefix]int
}

// Take takes a slot for a person and reports true, if there is one. The caller releases it.
func (s *Slots) Take(person netip.Prefix) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.Most || person.IsValid() && s.perPerson[person] >= s.MostPerPerson {
		return false
	}
	s.taken++
	if s.perPerson == nil {
		s.perPerson = make(map[netip.Prefix]int)
	}
	s.perPerson[person]++
	return true
}

// Taken returns how many slots are taken.
func (s *Slots) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Release gives back a slot that the person has taken.
func (s *Slots) Release(person netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.perPerson[person]--; s.perPerson[person] == 0 {
		delete(s.perPerson, person)
	}
}
