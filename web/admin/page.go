package admin

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"

	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

//go:embed static
var static embed.FS

// contentSecurityPolicy lets the page load files from this server only, and no inline code. The
// match is shown in a frame.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// files returns the files of the page.
func files() fs.FS {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}

// folder is the path of the files.
const folder = "admin/static"

// newApp returns the page with its modules as one script. The look and the frame are those of the
// viewer.
func newApp() *webpage.App {
	return &webpage.App{Site: webpage.Site{folder: files(), "viewer": viewer.Files()}, HTML: folder + "/index.html", Folder: folder, CSP: contentSecurityPolicy}
}

// page serves a part of the page to clients that may enter. The files are not secret, but an
// operator must not type a password into a page that an attacker on the way may have changed.
func (c *Console) page(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := c.access.enter(r); err != nil {
			web.Deny(w, r, err.(*apiError).status, strings.TrimPrefix(err.Error(), "Access denied: "))
			return
		}
		h.ServeHTTP(w, r)
	})
}
