package limit

import (
	"net/netip"
	"sync"
)

// Slots limits how many operations run at once, for all persons together and for each person. It is
// safe for several goroutines.
type Slots struct {
	// Most is the limit for all together, and MostPerPerson the limit for each. The zero Prefix is
	// not a person, and only Most applies to it.
	Most, MostPerPerson int

	mu        sync.Mutex
	taken     int
	perPerson map[netip.Prefix]int
}

// Take takes a slot for a person and returns true, if one is free. The caller must release it.
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

// Taken returns the number of slots in use.
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
