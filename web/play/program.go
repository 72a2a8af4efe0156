package play

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/web"
)

// The files of scripts/build-play. The server sends the program as they are.
var (
	//go:embed built/play.wasm.gz
	programGzip []byte
	//go:embed built/play.wasm.br
	programBrotli []byte
	//go:embed built/play.json
	programBuild []byte
)

// Build says how the program was compiled.
type Build struct {
	// Commit is the version of the sources, from git describe.
	Commit string `json:"commit"`
	// Go is the version of Go.
	Go string `json:"go"`
	// SHA256 and Size (bytes) are those of the program, which is not compressed.
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
}

// Program returns how the program was compiled.
var Program = sync.OnceValue(func() (b Build) {
	if err := json.Unmarshal(programBuild, &b); err != nil {
		panic(err) // a test reads it
	}
	return b
})

// program is the compressed program.
var program = sync.OnceValue(func() *webpage.File {
	return &webpage.File{
		ContentType: "application/wasm", CSP: contentSecurityPolicy, Hash: Program().SHA256[:16], Gzip: programGzip, Brotli: programBrotli,
	}
})

// serveProgram serves /play/play.wasm. The page shows the progress with the size that it will have.
func serveProgram(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Uncompressed-Length", strconv.Itoa(Program().Size))
	program().ServeHTTP(web.SlowWriter(w), r)
}
