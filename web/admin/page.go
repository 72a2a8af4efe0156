package admin

import (
	"embed"
	"net/http"
	"sync"

	"github.com/teeyard/teeyard/internal/webpage"
)

//go:embed static
var static embed.FS

// contentSecurityPolicy lets the page load what is on this server, and nothing inline. The
// match is shown in a frame.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pages are the embedded files, which are compressed once.
var pages = sync.OnceValue(func() webpage.Files { return webpage.NewFiles(static, "static", contentSecurityPolicy) })

// page serves a file of the page to those who may come in. The files are no secret: what matters is
// that nobody types a password into a page that somebody on the way may have changed.
func (c *Console) page(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := c.access.enter(r); err != nil {
			http.Error(w, err.Error(), err.(*apiError).status)
			return
		}
		pages().Handler(name).ServeHTTP(w, r)
	})
}
