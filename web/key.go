package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/teeyard/teeyard/transport"
)

// Key is the secret that proves that the machine's operator sent a request. An address cannot prove
// it: strangers behind a proxy have the proxy's address, and a proxy need not add a header. The
// zero Key lets no request in.
type Key struct{ text string }

// keyBytes is the number of random bytes of a key.
const keyBytes = 16

// keyText matches a valid key, of minKey to maxKey bytes. An operator may write one into the file.
var keyText = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

const minKey, maxKey = 16, 128

// NewKey returns a new key.
func NewKey() Key {
	var b [keyBytes]byte
	rand.Read(b[:]) // never fails
	return Key{base64.RawURLEncoding.EncodeToString(b[:])}
}

// OpenKey reads the key in a file. If the file is missing or empty, OpenKey writes a new key there,
// which only the file's owner may read. Servers that share the file share the key. With an error,
// OpenKey returns a new key that is in memory only.
func OpenKey(path string) (Key, error) {
	k, err := readKey(path)
	if !errors.Is(err, errNoKey) {
		return k, err
	}
	// A key file is always complete, since it is created under a temporary name.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return k, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(k.text + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return k, err
	}
	switch err = os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist): // another server was faster, or the file is empty
		if other, err := readKey(path); !errors.Is(err, errNoKey) {
			return other, err
		}
		err = os.Rename(f.Name(), path)
	case err != nil: // a file system without links
		err = os.Rename(f.Name(), path)
	}
	return k, err
}

// errNoKey is the error for a missing or empty file.
var errNoKey = errors.New("no key")

// readKey reads the key of a file, or returns a new key and an error.
func readKey(path string) (Key, error) {
	b, err := os.ReadFile(path)
	text := strings.TrimSpace(string(b))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && text == "":
		return NewKey(), errNoKey
	case err != nil:
		return NewKey(), err
	case len(text) < minKey, len(text) > maxKey, !keyText.MatchString(text):
		return NewKey(), fmt.Errorf("%s: not a valid key; delete the file to get a new one", path)
	}
	return Key{text}, nil
}

// Link returns the address of a page with the key. It lets a browser in.
func (k Key) Link(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return page
	}
	q := u.Query()
	q.Set(keyParameter, k.text)
	u.RawQuery = q.Encode()
	return u.String()
}

// Authorize adds the key to a program's request.
func (k Key) Authorize(r *http.Request) { r.Header.Set("Authorization", "Bearer "+k.text) }

// keyParameter is the query parameter with the key.
const keyParameter = "key"

// keyCookieTime is the lifetime of the cookie. Browsers limit it to about this.
const keyCookieTime = 365 * 24 * time.Hour

// matches reports whether a text is the key, in constant time.
func (k Key) matches(text string) bool {
	return k.text != "" && subtle.ConstantTimeCompare([]byte(text), []byte(k.text)) == 1
}

// keyCookie returns the name of the cookie with the key. It contains the port, since browsers share
// cookies between the ports of a host, and other ports may be other servers.
func keyCookie(r *http.Request) string {
	name := "teeyard-key"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		name += "-" + port
	}
	return name
}

// proof is stored in the context of a request that has proven to be local.
type proof struct{ byHeader bool }

type proofKey struct{}

// Prove returns a request marked as coming from this machine, after its sender has proven so by the
// key or another secret of the operator.
func Prove(r *http.Request) *http.Request { return prove(r, proof{}) }

func prove(r *http.Request, p proof) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), proofKey{}, p))
}

// IsLocal reports whether the machine's operator provably sent a request. The request carries the
// key (see [Key.Handler]), comes from this machine or a private network, names this machine and not
// a web site as its host, and shows no sign of a proxy. The last three prove nothing, but keep out
// most requests with a leaked key.
func IsLocal(r *http.Request) bool {
	if _, proven := r.Context().Value(proofKey{}).(proof); !proven || isForwarded(r) || r.URL.Host != "" {
		return false
	}
	peer, ok := peerOf(r)
	return ok && transport.IsLAN(peer.Addr()) && isOwnHost(hostOf(r), hostname())
}

// HasKey reports whether a request carries the key in its Authorization header.
func HasKey(r *http.Request) bool {
	p, _ := r.Context().Value(proofKey{}).(proof)
	return p.byHeader
}

// IsLoopback reports whether a request comes from a loopback address and is addressed to one. This
// proves nothing about its sender.
func IsLoopback(r *http.Request) bool {
	peer, ok := peerOf(r)
	return ok && peer.Addr().IsLoopback() && isLoopbackHost(hostOf(r))
}

// bearer returns the secret in the Authorization header.
func bearer(r *http.Request) (secret string, ok bool) {
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "Bearer")
}

// Handler returns a handler that looks for the key in each request before next serves it: in the
// Authorization header, in a cookie, and in the parameter key of a link. A browser that opens such
// a link receives the cookie and is redirected to the page without the key.
func (k Key) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret, has := bearer(r)
		byHeader := has && k.matches(secret)
		cookie, err := r.Cookie(keyCookie(r))
		link := r.URL.Query().Get(keyParameter)
		switch {
		case byHeader, k.matches(link), err == nil && k.matches(cookie.Value):
			r = prove(r, proof{byHeader})
		case link != "":
			http.Error(w, "The key in this link is not valid; the link may be old. Use the link from the server's log.", http.StatusForbidden)
			return
		}
		if link != "" && isPage(r) && IsLocal(r) {
			k.letIn(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isPage reports whether a browser requests a page to show.
func isPage(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// letIn sets the cookie and redirects the browser to the page without the key.
func (k Key) letIn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	q.Del(keyParameter)
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: q.Encode()}
	// Lax, since browsers do not send strict cookies after a link in another page.
	http.SetCookie(w, &http.Cookie{
		Name: keyCookie(r), Value: k.text, Path: "/", MaxAge: int(keyCookieTime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil,
	})
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}
