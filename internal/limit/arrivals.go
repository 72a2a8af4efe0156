package limit

import (
	"net/netip"
	"time"
)

// Arrivals limits how often clients connect from one person ([Person]) and from one site ([Site]).
// A site that has used up its rate is not shut out: a person that keeps asking for [PatienceTime]
// is admitted by a second rate. Clients that connect and leave do not use up the second rate. A
// person has only a small share of it, so that even all addresses of an IPv4 site leave room for a
// new one.
type Arrivals struct {
	persons, sites               *Limiter
	patientPersons, patientSites *Limiter
	asked                        *RecentSet // persons, with the time of their first request
}

// Arrival is the answer to a person that wants to connect.
type Arrival uint8

const (
	// ArrivalAdmitted means that the person may connect now.
	ArrivalAdmitted Arrival = iota
	// ArrivalMustWait means that too many clients connect from the person's site. The person is
	// admitted if it keeps asking.
	ArrivalMustWait
	// ArrivalRefused means that the person itself connects too often.
	ArrivalRefused
)

const (
	// PatienceTime is how long a person must keep asking when its site has used up its rate.
	// Clients ask again every half second or every second.
	PatienceTime = 900 * time.Millisecond
	askedTime    = 10 * time.Second
	// arrivalsTracked is how many persons and sites are remembered. With more than about ten
	// thousand new persons a second, others are forgotten before they have waited.
	arrivalsTracked = 4096
	askedTracked    = 16384
)

// patientRate is the second rate of a site, and patientPersonRate the share of a person. The share
// is enough for a household, and the shares of 256 persons, as an IPv4 site has, are less than half
// of the rate. The last patientReserve tokens of a site are for persons that have not used their
// share yet.
var (
	patientRate       = Rate{PerSecond: 20, Burst: 64}
	patientPersonRate = Rate{PerSecond: 1. / 30, Burst: 2}
)

const patientReserve = 32

// NewArrivals returns limits with the given rates for each person and each site.
func NewArrivals(person, site Rate) *Arrivals {
	return &Arrivals{
		persons: NewLimiter(arrivalsTracked, person), sites: NewLimiter(arrivalsTracked, site),
		patientPersons: NewLimiter(askedTracked, patientPersonRate), patientSites: NewLimiter(arrivalsTracked, patientRate),
		asked: NewRecentSet(askedTracked, askedTime),
	}
}

// SetPersonRate changes the rate of each person.
func (l *Arrivals) SetPersonRate(r Rate) { l.persons.Rate = r }

// Admit decides whether an address may connect now, and counts it if so. The address must be
// proven; otherwise strangers could ask in its name.
func (l *Arrivals) Admit(now int64, a netip.Addr) Arrival {
	person, site := Person(a), Site(a)
	bySite := l.sites.Has(now, site, 1)
	if !bySite && !l.isPatient(now, person, site) {
		return ArrivalMustWait
	}
	if !l.persons.Take(now, person, 1) {
		return ArrivalRefused
	}
	if bySite {
		l.sites.Take(now, site, 1)
		return ArrivalAdmitted
	}
	l.patientPersons.Take(now, person, 1)
	l.patientSites.Take(now, site, 1)
	l.asked.Remove(person)
	return ArrivalAdmitted
}

// AdmitAgain is Admit for a person that restarts its connection. Only the person's rate counts.
func (l *Arrivals) AdmitAgain(now int64, a netip.Addr) bool { return l.persons.Take(now, Person(a), 1) }

// isPatient reports whether a person has asked for long enough, and records that it asks.
func (l *Arrivals) isPatient(now int64, person, site netip.Prefix) bool {
	since, ok := l.asked.Since(now, person)
	if !ok {
		l.asked.Add(now, person)
		return false
	}
	if now-since < int64(PatienceTime) || !l.patientPersons.Has(now, person, 1) {
		return false
	}
	left := 0
	if !l.patientPersons.Has(now, person, int(patientPersonRate.Burst)) {
		left = patientReserve
	}
	return l.patientSites.Has(now, site, left+1)
}
