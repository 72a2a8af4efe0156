package webpage

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/internal/testenv"
)

// siteOf returns a site with one folder.
func siteOf(folder string, files map[string]string) Site {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Site{folder: all}
}

func TestBundle(t *testing.T) {
	site := siteOf("a/static", map[string]string{
		"main.js": `/** An entry. */
import { half, Tee as T } from './sub/tee.js'; // both
import {
	LIMIT,
} from './limit.js';

const here = import.meta.url;
/** @type {any} */ (globalThis).x = new T(half(LIMIT) / 2);
`,
		"sub/tee.js": `import { LIMIT } from '../limit.js';
/** Half of n. @param {number} n */
export function half(n) {
	// a comment, 'with a quote
	return n / 2 > LIMIT ? n - -1 : n++ / 2;
}
export class Tee { #a = 'no // comment'; text() { return ` + "`${this.#a + '}'.replace(/[\"`}]/, {}) } /* ${`x`}`" + `.replace(/[/'"]\/*/g, ''); } }
export async function load() { await 0; }
`,
	})
	site["b"] = fstest.MapFS{"limit.js": {Data: []byte("export const LIMIT = [1, 2][0] + .5, /* x */\n\tOTHER = f(1, 2);\n")}}
	main := site["a/static"].(fstest.MapFS)
	for name, f := range main {
		f.Data = []byte(strings.NewReplacer("'./limit.js'", "'../../b/limit.js'", "'../limit.js'", "'../../../b/limit.js'").Replace(string(f.Data)))
		main[name] = f
	}
	got := string(testenv.Must(bundle(site, "a/static/main.js", "a/static")))
	want := `const $1=(()=>{const a=[1,2][0]+.5,c=f(1,2);
return{a,c}})();
const $2=(()=>{const{a}=$1;function b(n){return n/2>a?n- -1:n++/2;}
class Tee{#a='no // comment';text(){return` + "`${this.#a + '}'.replace(/[\"`}]/, {}) } /* ${`x`}`" + `.replace(/[/'"]\/*/g,'');}}
async function e(){await 0;}
return{b,Tee,e}})();
const $3=(()=>{const{b,Tee:T}=$2;const{a}=$1;const d=new URL('../../a/static/main.js',import.meta.url).href;(globalThis).x=new T(b(a)/2);
return{}})();
`
	testenv.Check(t, got == want, "%s\nwant %s", got, want)
}

// TestNotBundled checks that a bundler refuses all that it would change the meaning of.
func TestNotBundled(t *testing.T) {
	for _, script := range []string{
		"import './b.js';", "import b from './b.js';", "import * as b from './b.js';", "import { b } from 'b';", "const b = import('./b.js');",
		"export default 1;", "export { b };", "export let b = 1;", "export const { b } = c;", "export * from './b.js';",
		"export const a = f(1, 2), [b] = c;", "export const a = 1\n",
		"await f();", "const a = await f();", "for await (const a of b) {}", "import.meta.env;", "const $1 = 2;", "const a = `${import.meta.url}`;",
		"const a = 'b", "/* b", "const a = `b", "const a = `${b", "const a = /b", "import { a } from './main.js';", "import { a } from './sub/b.js';",
	} {
		_, err := bundle(siteOf("x", map[string]string{
			"main.js": script + "\n", "b.js": "export const b = 1;\n", "sub/b.js": "import { c } from '../main.js';\n",
		}), "x/main.js", "x")
		testenv.Check(t, errors.Is(err, ErrBundle), "%s is bundled: %v", script, err)
	}
}

// TestShortNames checks which variables get shorter names. Properties, globals and the names of
// bundles stay.
func TestShortNames(t *testing.T) {
	site := siteOf("x", map[string]string{"main.js": `import { other } from './other.js';
const first = 1, second = 2;
let third, fourth = 4;
const field = { first, other: first ? second : third, method() { return third; }, get value() { return fourth; } };
const { picked, renamed: local } = field;
function work(param, preset = fourth, ...remaining) {
	for (const each of remaining) document.title = each + param;
	switch (param) { case second: return [picked, local, preset, undeclared]; }
	const document2 = 'listed', listed = 3, shown = 4;
	return ` + "`${shown}`" + ` + listed + field.method() + field['second'];
}
class Thing { #hidden = 0; open = 1; static make() { return new Thing().#hidden; } }
const arrow = (left, right) => left + right, single = value2 => value2;
other(work, Thing, arrow, single, document2);
`, "other.js": "export function other(...list) { return list.length; }\nconst shader = `\n\t// why\n\tvoid main() { // x\n\t}\n`;\n"})
	got := string(testenv.Must(bundle(site, "x/main.js", "x")))
	for _, name := range []string{"first", "second", "picked", "listed", "shown", "other", "method", "document", "undeclared", "open", "local", "Thing"} {
		testenv.Check(t, regexp.MustCompile(`\b`+name+`\b`).MatchString(got), "%s is gone:\n%s", name, got)
	}
	for _, name := range []string{"third", "fourth", "field", "work", "param", "preset", "remaining", "each", "document2", "#hidden", "arrow", "left", "right",
		"single", "value2", "shader", "why"} {
		testenv.Check(t, !regexp.MustCompile(name+`\b`).MatchString(got), "%s is still there:\n%s", name, got)
	}
	testenv.Check(t, strings.Contains(got, "`\nvoid main() {\n}\n`"), "%s", got)
	testenv.Check(t, letters(0) == "a" && letters(51) == "Z" && letters(52) == "aa" && letters(52+52*52) == "aaa", "%s %s", letters(52), letters(52+52*52))
}
