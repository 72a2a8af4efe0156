package admin

import (
	"embed"
	"net/http"
	"sync"

	"github.com/teeyard/teeyard/internal/webpage"
)

//go:embed static
var static embed.FS

// contentSecurityPolicy lets the page load files from this server only, and no inline code. The
// match is shown in a frame.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pages are the embedded files, compressed once.
var pages = sync.OnceValue(func() webpage.Files { return webpage.NewFiles(static, "static", contentSecurityPolicy) })

// page serves a file of the page to clients that may enter. The files are not secret, but an
// operator must not type a password into a page that an attacker on the way may have changed.
func (c *Console) page(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := c.access.enter(r); err != nil {
			http.Error(w, err.Error(), err.(*apiError).status)
			return
		}
		pages().Handler(name).ServeHTTP(w, r)
	})
}
