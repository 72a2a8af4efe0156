package limit

import (
	"net/netip"
	"time"
)

// Arrivals limits how often clients connect from one person and from one site. A site that
// uses up its rate is not shut out: a person that keeps asking for [PatienceTime] gets in by
// a second rate. Those who connect and leave do not use that up, and a person has only a
// share of it: all addresses of an IPv4 site together leave room for one that comes anew.
type Arrivals struct {
	persons, sites               *Limiter
	patientPersons, patientSites *Limiter
	asked                        *RecentSet // persons, when they asked first
}

// Arrival is the answer to a person that wants to connect.
type Arrival uint8

const (
	// ArrivalAdmitted means that the person may connect now.
	ArrivalAdmitted Arrival = iota
	// ArrivalMustWait means that too many connect from the person's site. The person gets in
	// by asking on.
	ArrivalMustWait
	// ArrivalRefused means that the person itself connects too often.
	ArrivalRefused
)

const (
	// PatienceTime is how long a person must have asked when its site uses up its rate.
	// Clients ask again each half second, or each second.
	PatienceTime = 900 * time.Millisecond
	askedTime    = 10 * time.Second
	// arrivalsTracked is in persons, or sites. A flood of more than some ten thousand
	// persons a second makes the table forget others before they have waited.
	arrivalsTracked = 4096
	askedTracked    = 16384
)

// patientRate is the second rate of a site, and patientPersonRate a person's share of it: enough
// for a household, and less than half for the 256 persons of an IPv4 site. A person that has
// used some of its share leaves patientReserve to those that have not.
var (
	patientRate       = Rate{PerSecond: 20, Burst: 64}
	patientPersonRate = Rate{PerSecond: 1. / 30, Burst: 2}
)

const patientReserve = 32

// NewArrivals returns limits with the rates of each person and of each site.
func NewArrivals(person, site Rate) *Arrivals {
	return &Arrivals{
		persons: NewLimiter(arrivalsTracked, person), sites: NewLimiter(arrivalsTracked, site),
		patientPersons: NewLimiter(askedTracked, patientPersonRate), patientSites: NewLimiter(arrivalsTracked, patientRate),
		asked: NewRecentSet(askedTracked, askedTime),
	}
}

// Admit says whether an address may connect now, and counts it if so. The address must be
// proven: otherwise others could ask in its name.
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

// AdmitAgain is Admit for a person that has a connection and begins it anew. Only the
// person's rate counts.
func (l *Arrivals) AdmitAgain(now int64, a netip.Addr) bool { return l.persons.Take(now, Person(a), 1) }

// isPatient reports whether a person has asked for long enough, and notes that it asks.
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
