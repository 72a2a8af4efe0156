package gamemap

// Limits and functions that the tests of package gamemap_test reach.
const (
	LoadPatience = loadPatience
	MaxLoadTime  = maxLoadTime
	MaxReads     = maxReads
	SentAtOnce   = sentAtOnce
)

// ReadFile is readFile.
var ReadFile = readFile

// Idle reports whether nothing is planned.
func (m *Maps) Idle() bool { return m.plan == plan{} }

// Update is Listing.update.
func (l *Listing) Update(names []string) { l.update(names) }

// Chunk returns the number of the next chunk for the client.
func (d *Download) Chunk() int { return d.nextChunk }
