package deploy

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// renderer builds the command render, which has kustomize and compose-go, in a folder that a later
// test run finds again. The first build on a machine takes some minutes of CPU time.
var renderer = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "teeyard", "peers", "render")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = "render"
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// render returns the JSON that the command render prints.
func render(t *testing.T, what, path string, result any) {
	t.Helper()
	peers.RequirePrograms(t)
	program, err := renderer()
	testenv.NoError(t, err)
	cmd := exec.Command(program, what, path)
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s", failed.Stderr)
	}
	testenv.NoError(t, err)
	testenv.NoError(t, json.Unmarshal(out, result))
}

// resource is a resource of Kubernetes.
type resource = map[string]any

// at returns the value at a path such as spec.ports[0].name, nil if there is none.
func at(value any, path string) any {
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", "."), ".") {
		if index, isIndex := strings.CutSuffix(step, "]"); isIndex {
			list, _ := value.([]any)
			i := testenv.Must(strconv.Atoi(index))
			if i >= len(list) {
				return nil
			}
			value = list[i]
			continue
		}
		object, _ := value.(map[string]any)
		value = object[step]
	}
	return value
}

// text returns the text at a path, number the number, and list the list.
func text(value any, path string) string    { s, _ := at(value, path).(string); return s }
func number(value any, path string) float64 { n, _ := at(value, path).(float64); return n }
func list(value any, path string) []any     { l, _ := at(value, path).([]any); return l }

// find returns the resource of a kind, nil if there are none or several.
func find(all []resource, kind string) (found resource) {
	for _, r := range all {
		if r["kind"] == kind {
			if found != nil {
				return nil
			}
			found = r
		}
	}
	return found
}

// setting returns the value of a setting in the files of a ConfigMap, 0 if there is none.
func setting(config resource, name string) float64 {
	line := regexp.MustCompile(`(?m)^` + name + ` (\d+)$`)
	files, _ := config["data"].(map[string]any)
	for _, file := range files {
		if m := line.FindStringSubmatch(file.(string)); m != nil {
			return testenv.Must(strconv.ParseFloat(m[1], 64))
		}
	}
	return 0
}

// problems returns what is wrong with resources: their fields, and what Agones' webhooks and our
// servers expect of them.
func problems(all []resource) (wrong []string) {
	for _, r := range all {
		kind, _ := r["kind"].(string)
		wrong = append(wrong, check(kind, kind, map[string]any(r))...)
	}
	fleet, scaler, monitor, config := find(all, "Fleet"), find(all, "FleetAutoscaler"), find(all, "PodMonitor"), find(all, "ConfigMap")
	if len(wrong) > 0 {
		return wrong
	}
	if len(all) != 4 || fleet == nil || scaler == nil || monitor == nil || config == nil {
		return []string{fmt.Sprintf("%d resources, want a Fleet, a FleetAutoscaler, a PodMonitor and a ConfigMap", len(all))}
	}
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	server := at(fleet, "spec.template.spec")
	pod := at(server, "template.spec")
	wrong = append(wrong, podProblems(pod, config)...)

	expect(text(server, "container") == text(pod, "containers[0].name"), "container is not the name of the first container")
	ports := list(server, "ports")
	expect(len(ports) == 1, "%d ports, want one for players and pages", len(ports))
	for _, p := range ports {
		expect(text(p, "protocol") == "TCPUDP", "protocol %q: players need UDP, pages and browsers TCP", text(p, "protocol"))
		expect(text(p, "portPolicy") == "Dynamic", "portPolicy %q: only Dynamic lets several servers run on a node", text(p, "portPolicy"))
		expect(at(p, "hostPort") == nil, "hostPort is for portPolicy Static")
		expect(number(p, "containerPort") == 8303, "containerPort %v is not the image's port", number(p, "containerPort"))
	}
	overflow := at(fleet, "spec.allocationOverflow.labels")
	labels, _ := overflow.(map[string]any)
	expect(labels["teeyard.dev/drain"] == "true", "without the label teeyard.dev/drain, old servers with players stay")

	grace, drain := number(pod, "terminationGracePeriodSeconds"), setting(config, "sv_term_drain")
	expect(drain > 0, "without sv_term_drain, SIGTERM ends a match")
	expect(drain+15 <= grace, "sv_term_drain %v leaves less than 15 s of the grace period of %v s", drain, grace)
	expect(text(server, "eviction.safe") != "Always" || grace <= 600, "the cluster autoscaler waits for 600 s, not for %v", grace)

	clients := setting(config, "sv_max_clients")
	for _, path := range []string{"counters.players.capacity", "lists.players.capacity"} {
		expect(number(server, path) == clients, "%s is %v, and sv_max_clients %v", path, number(server, path), clients)
	}
	for _, p := range list(fleet, "spec.priorities") {
		kind := map[string]string{"Counter": "counters.", "List": "lists."}[text(p, "type")]
		expect(at(server, kind+text(p, "key")) != nil, "priorities: the template has no %s %q", text(p, "type"), text(p, "key"))
	}

	expect(text(scaler, "spec.fleetName") == text(fleet, "metadata.name"), "fleetName is not the name of the Fleet")
	expect(text(scaler, "spec.policy.type") == "Counter", "the policy is not Counter")
	counter := at(scaler, "spec.policy.counter")
	expect(at(server, "counters."+text(counter, "key")) != nil, "policy: the template has no counter %q", text(counter, "key"))
	buffer, low, high := number(counter, "bufferSize"), number(counter, "minCapacity"), number(counter, "maxCapacity")
	expect(low <= high, "minCapacity %v is larger than maxCapacity %v", low, high)
	if _, isNumber := at(counter, "bufferSize").(float64); isNumber {
		expect(buffer <= high, "maxCapacity %v is smaller than bufferSize %v", high, buffer)
		expect(low == 0 || buffer <= low, "minCapacity %v is smaller than bufferSize %v", low, buffer)
	} else {
		expect(low >= 1, "a bufferSize in percent needs a minCapacity")
	}
	expect(high >= clients, "maxCapacity %v has no place for a server", high)

	podLabels, _ := at(server, "template.metadata.labels").(map[string]any)
	wanted, _ := at(monitor, "spec.selector.matchLabels").(map[string]any)
	expect(len(wanted) > 0, "the PodMonitor selects all pods")
	for name, value := range wanted {
		expect(podLabels[name] == value, "the PodMonitor selects no pod of the Fleet: %s", name)
	}
	endpoint := at(monitor, "spec.podMetricsEndpoints[0]")
	expect(number(endpoint, "portNumber") == number(server, "ports[0].containerPort"), "the PodMonitor has another port")
	return wrong
}

// podProblems returns what is wrong with the pod of a server.
func podProblems(pod any, config resource) (wrong []string) {
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	volumes := map[string]bool{}
	for _, v := range list(pod, "volumes") {
		volumes[text(v, "name")] = false
		if name := text(v, "configMap.name"); name != "" {
			expect(name == text(config, "metadata.name"), "no ConfigMap has the name %s", name)
		}
		expect(len(v.(map[string]any)) == 2, "volume %s has not one source", text(v, "name"))
	}
	folders := map[string]bool{}
	for _, c := range list(pod, "containers") {
		for _, m := range list(c, "volumeMounts") {
			_, known := volumes[text(m, "name")]
			expect(known, "no volume has the name %s", text(m, "name"))
			volumes[text(m, "name")] = true
			folders[text(m, "mountPath")] = true
		}
		for _, kind := range []string{"cpu", "memory"} {
			request, limit := text(c, "resources.requests."+kind), text(c, "resources.limits."+kind)
			expect(limit == "" || quantity(request) <= quantity(limit), "requests %s of %s, limit %s", request, kind, limit)
		}
		expect(at(c, "securityContext.readOnlyRootFilesystem") == true, "the root is writable")
		expect(strings.Contains(text(c, "image"), ":"), "the image %s has no version, so an update would change nothing", text(c, "image"))
	}
	for name, used := range volumes {
		expect(used, "volume %s is not mounted", name)
	}
	expect(folders["/data"] && folders["/etc/teeworlds"], "no volume for the server's folder and its configuration")
	expect(number(pod, "securityContext.runAsUser") == 65532, "the user is not the image's")
	return wrong
}

// overlays are the folders below k8s that an operator applies.
var overlays = []string{"base", "overlays/nats"}

// TestKubernetes renders the files for Kubernetes and checks every field. No cluster runs here.
func TestKubernetes(t *testing.T) {
	for _, dir := range overlays {
		var all []resource
		render(t, "kustomize", filepath.Join("k8s", dir), &all)
		for _, p := range problems(all) {
			t.Errorf("%s: %s", dir, p)
		}
	}
}

// TestKubernetesMutants checks that TestKubernetes finds mistakes.
func TestKubernetesMutants(t *testing.T) {
	var all []resource
	render(t, "kustomize", "k8s/overlays/nats", &all)
	testenv.Require(t, len(problems(all)) == 0, "the files have problems")
	original := testenv.Must(json.Marshal(all))
	// found changes the resource of a kind and reports whether a problem contains a text.
	found := func(kind, want string, change func(resource)) (string, bool) {
		var changed []resource
		testenv.NoError(t, json.Unmarshal(original, &changed))
		change(find(changed, kind))
		all := strings.Join(problems(changed), "\n")
		return all, all != "" && strings.Contains(all, want)
	}
	// Each field with another name, and with a value of another type.
	harmless := map[string]bool{"another name spec.template.metadata.labels.app.kubernetes.io/name": true}
	changes := 0
	for _, kind := range []string{"Fleet", "FleetAutoscaler", "PodMonitor"} {
		for _, path := range paths(find(all, kind), "") {
			parent, name := path[:max(strings.LastIndex(path, "\x00"), 0)], path[strings.LastIndex(path, "\x00")+1:]
			for what, change := range map[string]func(map[string]any){
				"another name": func(o map[string]any) { o[name+"_"] = o[name]; delete(o, name) },
				"another type": func(o map[string]any) {
					if _, isText := o[name].(string); isText {
						o[name] = true
					} else {
						o[name] = "text!"
					}
				},
			} {
				if harmless[what+" "+strings.ReplaceAll(path, "\x00", ".")] {
					continue
				}
				changes++
				if _, ok := found(kind, "", func(r resource) { change(follow(r, parent)) }); !ok {
					t.Errorf("%s of %s %q is no problem", what, kind, strings.ReplaceAll(path, "\x00", "."))
				}
			}
		}
	}
	testenv.Check(t, changes > 150, "%d changes", changes)
	// Values that are allowed by themselves.
	for _, m := range []struct{ kind, path, value, want string }{
		{"Fleet", "spec.replicas", `-1`, "not an integer from 0"},
		{"Fleet", "spec.strategy.rollingUpdate.maxSurge", `"0%"`, "maxSurge"},
		{"Fleet", "spec.strategy.type", `"Rolling"`, "Recreate|RollingUpdate"},
		{"Fleet", "spec.allocationOverflow.labels", `{"teeyard.dev/drain": "false"}`, "old servers with players stay"},
		{"Fleet", "spec.allocationOverflow.labels", `{"teeyard.dev/drain": "not a label"}`, "value of a label"},
		{"Fleet", "spec.allocationOverflow.labels", `{"/drain": "true"}`, "name of a label"},
		{"Fleet", "spec.priorities[0].key", `"rooms"`, "no Counter"},
		{"Fleet", "spec.template.spec.container", `"other"`, "first container"},
		{"Fleet", "spec.template.spec.ports[0].protocol", `"UDP"`, "browsers TCP"},
		{"Fleet", "spec.template.spec.ports[0].hostPort", `8303`, "hostPort"},
		{"Fleet", "spec.template.spec.ports[0].containerPort", `0`, "from 1 to 65535"},
		{"Fleet", "spec.template.spec.ports[0].portPolicy", `"Static"`, "several servers"},
		{"Fleet", "spec.template.spec.counters.players.capacity", `8`, "sv_max_clients"},
		{"Fleet", "spec.template.spec.counters", `{"seats": {"capacity": 16}}`, "no counter"},
		{"Fleet", "spec.template.spec.lists.players.capacity", `1001`, "from 0 to 1000"},
		{"Fleet", "spec.template.spec.template.spec.terminationGracePeriodSeconds", `590`, "less than 15 s"},
		{"Fleet", "spec.template.spec.template.spec.terminationGracePeriodSeconds", `3600`, "waits for 600 s"},
		{"Fleet", "spec.template.spec.template.spec.containers[0].image", `null`, "image"},
		{"Fleet", "spec.template.spec.template.spec.containers[0].image", `"teeyard"`, "no version"},
		{"Fleet", "spec.template.spec.template.spec.containers[0].resources.requests.memory", `"1Gi"`, "requests 1Gi"},
		{"Fleet", "spec.template.spec.template.spec.volumes[0].name", `"other"`, "no volume"},
		{"Fleet", "spec.template.spec.template.spec.volumes[1].configMap.name", `"teeyard-config"`, "no ConfigMap"},
		{"FleetAutoscaler", "spec.fleetName", `"fleet"`, "name of the Fleet"},
		{"FleetAutoscaler", "spec.policy.type", `"Buffer"`, "not Counter"},
		{"FleetAutoscaler", "spec.policy.counter.key", `"rooms"`, "no counter"},
		{"FleetAutoscaler", "spec.policy.counter.minCapacity", `16`, "smaller than bufferSize"},
		{"FleetAutoscaler", "spec.policy.counter.maxCapacity", `31`, "larger than maxCapacity"},
		{"FleetAutoscaler", "spec.policy.counter.maxCapacity", `null`, "no maxCapacity"},
		{"FleetAutoscaler", "spec.sync.fixedInterval.seconds", `0`, "from 1"},
		{"PodMonitor", "spec.podMetricsEndpoints[0].portNumber", `8304`, "another port"},
		{"PodMonitor", "spec.selector.matchLabels", `{"app": "teeyard"}`, "no pod"},
		{"ConfigMap", "data", `{"autoexec.cfg": "sv_max_clients 16\n"}`, "SIGTERM ends a match"},
	} {
		dot := strings.LastIndex(m.path, ".")
		problem, ok := found(m.kind, m.want, func(r resource) {
			parent := any(r)
			if dot > 0 {
				parent = at(r, m.path[:dot])
			}
			var value any
			testenv.NoError(t, json.Unmarshal([]byte(m.value), &value))
			parent.(map[string]any)[m.path[dot+1:]] = value
		})
		testenv.Check(t, ok, "%s %s = %s: %q, want %q", m.kind, m.path, m.value, problem, m.want)
	}
}

// paths returns the paths of all fields below a value, with NUL between the names.
func paths(value any, path string) (all []string) {
	join := func(name string) string { return strings.TrimPrefix(path+"\x00"+name, "\x00") }
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(append(all, join(name)), paths(value[name], join(name))...)
		}
	case []any:
		for i, item := range value {
			all = append(all, paths(item, join(strconv.Itoa(i)))...)
		}
	}
	return all
}

// follow returns the object at a path.
func follow(value any, path string) map[string]any {
	for name := range strings.SplitSeq(path, "\x00") {
		switch v := value.(type) {
		case map[string]any:
			if name != "" {
				value = v[name]
			}
		case []any:
			value = v[testenv.Must(strconv.Atoi(name))]
		}
	}
	return value.(map[string]any)
}
