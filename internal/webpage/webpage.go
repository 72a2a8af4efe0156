// Package webpage serves pages that are made once for all requests within some time.
package webpage

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"
)

// Page is an http.Handler of a page that is made at most once per MaxAge: making it costs far more
// than a request, and readers that are slow on purpose share its memory.
type Page struct {
	// Write makes the page. Only one goroutine at a time calls it.
	Write func(w io.Writer)
	// MaxAge is how old the page may be.
	MaxAge time.Duration
	// Header is added to every answer. It should include Content-Type.
	Header map[string]string
	// Now returns the time; nil means time.Now.
	Now func() time.Time

	mu     sync.Mutex
	madeAt time.Time
	body   []byte
}

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	for k, v := range p.Header {
		h.Set(k, v)
	}
	w.Write(p.current())
}

// current returns the page, whose bytes no longer change.
func (p *Page) current() []byte {
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := now()
	if age := at.Sub(p.madeAt); p.body == nil || age < 0 || age >= p.MaxAge {
		var b bytes.Buffer
		p.Write(&b)
		p.madeAt, p.body = at, b.Bytes()
	}
	return p.body
}
