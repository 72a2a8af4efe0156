package deploy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// fields are facts about the resources in k8s: the fields that may be there, at least those that
// we use. Agones drops or rejects others. A line has the path, the type and what the value may be.
// [] is an item of a list, and * a value of a map. A field with ! must be there.
//
// Sources: Agones 1.57 (install/helm/agones/templates/crds), prometheus-operator 0.79 (PodMonitor),
// Kubernetes 1.32 (PodTemplateSpec).
var fields = parseFields(`
Fleet                                                object
Fleet.apiVersion!                                    string agones.dev/v1
Fleet.kind!                                          string Fleet
Fleet.metadata!                                      object
Fleet.metadata.name!                                 name
Fleet.metadata.labels                                map
Fleet.metadata.labels.*                              label
Fleet.metadata.annotations                           map
Fleet.metadata.annotations.*                         string
Fleet.spec!                                          object
Fleet.spec.replicas                                  integer 0..2147483647
Fleet.spec.scheduling                                string Packed|Distributed
Fleet.spec.strategy                                  object
Fleet.spec.strategy.type                             string Recreate|RollingUpdate
Fleet.spec.strategy.rollingUpdate                    object
Fleet.spec.strategy.rollingUpdate.maxSurge           share
Fleet.spec.strategy.rollingUpdate.maxUnavailable     share
Fleet.spec.allocationOverflow                        object
Fleet.spec.allocationOverflow.labels                 map
Fleet.spec.allocationOverflow.labels.*               label
Fleet.spec.allocationOverflow.annotations            map
Fleet.spec.allocationOverflow.annotations.*          string
Fleet.spec.priorities                                list
Fleet.spec.priorities[]                              object
Fleet.spec.priorities[].type                         string Counter|List
Fleet.spec.priorities[].key                          string
Fleet.spec.priorities[].order                        string Ascending|Descending
Fleet.spec.template!                                 object
Fleet.spec.template.metadata                         object
Fleet.spec.template.metadata.labels                  map
Fleet.spec.template.metadata.labels.*                label
Fleet.spec.template.metadata.annotations             map
Fleet.spec.template.metadata.annotations.*           string
Fleet.spec.template.spec!                            object
Fleet.spec.template.spec.container                   name
Fleet.spec.template.spec.scheduling                  string Packed|Distributed
Fleet.spec.template.spec.ports                       list
Fleet.spec.template.spec.ports[]                     object
Fleet.spec.template.spec.ports[].name                string
Fleet.spec.template.spec.ports[].range               string
Fleet.spec.template.spec.ports[].portPolicy          string Dynamic|Static|Passthrough|None
Fleet.spec.template.spec.ports[].protocol            string UDP|TCP|TCPUDP
Fleet.spec.template.spec.ports[].container           name
Fleet.spec.template.spec.ports[].containerPort       integer 1..65535
Fleet.spec.template.spec.ports[].hostPort            integer 1..65535
Fleet.spec.template.spec.sdkServer                   object
Fleet.spec.template.spec.sdkServer.logLevel          string Error|Info|Debug|Trace
Fleet.spec.template.spec.sdkServer.grpcPort          integer 1..65535
Fleet.spec.template.spec.sdkServer.httpPort          integer 1..65535
Fleet.spec.template.spec.health                      object
Fleet.spec.template.spec.health.disabled             boolean
Fleet.spec.template.spec.health.initialDelaySeconds  integer 0..2147483647
Fleet.spec.template.spec.health.periodSeconds        integer 0..2147483647
Fleet.spec.template.spec.health.failureThreshold     integer 1..2147483647
Fleet.spec.template.spec.counters                    map
Fleet.spec.template.spec.counters.*                  object
Fleet.spec.template.spec.counters.*.count            integer 0..9007199254740991
Fleet.spec.template.spec.counters.*.capacity         integer 0..9007199254740991
Fleet.spec.template.spec.lists                       map
Fleet.spec.template.spec.lists.*                     object
Fleet.spec.template.spec.lists.*.capacity            integer 0..1000
Fleet.spec.template.spec.lists.*.values              list
Fleet.spec.template.spec.lists.*.values[]            string
Fleet.spec.template.spec.eviction                    object
Fleet.spec.template.spec.eviction.safe               string Always|OnUpgrade|Never
Fleet.spec.template.spec.template!                   object
Fleet.spec.template.spec.template.metadata           object
Fleet.spec.template.spec.template.metadata.labels    map
Fleet.spec.template.spec.template.metadata.labels.*  label
Fleet.spec.template.spec.template.metadata.annotations   map
Fleet.spec.template.spec.template.metadata.annotations.* string
Fleet.spec.template.spec.template.spec!              pod

pod                                                  object
pod.terminationGracePeriodSeconds                    integer 0..2147483647
pod.securityContext                                  object
pod.securityContext.runAsNonRoot                     boolean
pod.securityContext.runAsUser                        integer 0..2147483647
pod.securityContext.runAsGroup                       integer 0..2147483647
pod.securityContext.fsGroup                          integer 0..2147483647
pod.securityContext.seccompProfile                   object
pod.securityContext.seccompProfile.type!             string RuntimeDefault|Unconfined
pod.containers!                                      list
pod.containers[]                                     object
pod.containers[].name!                               name
pod.containers[].image!                              string
pod.containers[].args                                list
pod.containers[].args[]                              string
pod.containers[].env                                 list
pod.containers[].env[]                               object
pod.containers[].env[].name!                         string
pod.containers[].env[].value                         string
pod.containers[].resources                           object
pod.containers[].resources.requests                  object
pod.containers[].resources.requests.cpu              quantity
pod.containers[].resources.requests.memory           quantity
pod.containers[].resources.limits                    object
pod.containers[].resources.limits.cpu                quantity
pod.containers[].resources.limits.memory             quantity
pod.containers[].securityContext                     object
pod.containers[].securityContext.readOnlyRootFilesystem   boolean
pod.containers[].securityContext.allowPrivilegeEscalation boolean
pod.containers[].securityContext.capabilities        object
pod.containers[].securityContext.capabilities.drop   list
pod.containers[].securityContext.capabilities.drop[] string
pod.containers[].volumeMounts                        list
pod.containers[].volumeMounts[]                      object
pod.containers[].volumeMounts[].name!                name
pod.containers[].volumeMounts[].mountPath!           string
pod.containers[].volumeMounts[].readOnly             boolean
pod.volumes                                          list
pod.volumes[]                                        object
pod.volumes[].name!                                  name
pod.volumes[].emptyDir                               object
pod.volumes[].emptyDir.sizeLimit                     quantity
pod.volumes[].configMap                              object
pod.volumes[].configMap.name                         name
pod.volumes[].secret                                 object
pod.volumes[].secret.secretName                      name
pod.volumes[].secret.defaultMode                     integer 0..511

FleetAutoscaler                                      object
FleetAutoscaler.apiVersion!                          string autoscaling.agones.dev/v1
FleetAutoscaler.kind!                                string FleetAutoscaler
FleetAutoscaler.metadata!                            object
FleetAutoscaler.metadata.name!                       name
FleetAutoscaler.spec!                                object
FleetAutoscaler.spec.fleetName!                      name
FleetAutoscaler.spec.policy!                         object
FleetAutoscaler.spec.policy.type!                    string Buffer|Webhook|Counter|List|Wasm|Schedule|Chain
FleetAutoscaler.spec.policy.buffer                   object
FleetAutoscaler.spec.policy.buffer.minReplicas       integer 0..2147483647
FleetAutoscaler.spec.policy.buffer.maxReplicas!      integer 1..2147483647
FleetAutoscaler.spec.policy.buffer.bufferSize        share
FleetAutoscaler.spec.policy.counter                  object
FleetAutoscaler.spec.policy.counter.key!             string
FleetAutoscaler.spec.policy.counter.bufferSize!      share
FleetAutoscaler.spec.policy.counter.minCapacity      integer 0..9007199254740991
FleetAutoscaler.spec.policy.counter.maxCapacity!     integer 1..9007199254740991
FleetAutoscaler.spec.sync                            object
FleetAutoscaler.spec.sync.type!                      string FixedInterval
FleetAutoscaler.spec.sync.fixedInterval              object
FleetAutoscaler.spec.sync.fixedInterval.seconds!     integer 1..2147483647

PodMonitor                                           object
PodMonitor.apiVersion!                               string monitoring.coreos.com/v1
PodMonitor.kind!                                     string PodMonitor
PodMonitor.metadata!                                 object
PodMonitor.metadata.name!                            name
PodMonitor.spec!                                     object
PodMonitor.spec.selector!                            object
PodMonitor.spec.selector.matchLabels                 map
PodMonitor.spec.selector.matchLabels.*               label
PodMonitor.spec.podMetricsEndpoints!                 list
PodMonitor.spec.podMetricsEndpoints[]                object
PodMonitor.spec.podMetricsEndpoints[].portNumber     integer 1..65535
PodMonitor.spec.podMetricsEndpoints[].path           string
PodMonitor.spec.podMetricsEndpoints[].interval       string 5s|10s|15s|30s|60s
PodMonitor.spec.podMetricsEndpoints[].relabelings    list
PodMonitor.spec.podMetricsEndpoints[].relabelings[]  object
PodMonitor.spec.podMetricsEndpoints[].relabelings[].sourceLabels   list
PodMonitor.spec.podMetricsEndpoints[].relabelings[].sourceLabels[] string
PodMonitor.spec.podMetricsEndpoints[].relabelings[].action         string keep|drop|replace
PodMonitor.spec.podMetricsEndpoints[].relabelings[].regex          string
PodMonitor.spec.podMetricsEndpoints[].relabelings[].targetLabel    string

ConfigMap                                            object
ConfigMap.apiVersion!                                string v1
ConfigMap.kind!                                      string ConfigMap
ConfigMap.metadata!                                  object
ConfigMap.metadata.name!                             name
ConfigMap.data                                       map
ConfigMap.data.*                                     string
`)

// field is a fact about a field.
type field struct {
	kind     string
	values   string // for a string: the values, for an integer: the bounds; "" for any
	required []string
}

func parseFields(text string) map[string]field {
	all := map[string]field{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		f := field{kind: words[1]}
		if len(words) > 2 {
			f.values = words[2]
		}
		path, required := strings.CutSuffix(words[0], "!")
		all[path] = f
		if at := strings.LastIndex(path, "."); required {
			parent := all[path[:at]]
			parent.required = append(parent.required, path[at+1:])
			all[path[:at]] = parent
		}
	}
	return all
}

var (
	nameSyntax     = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$`)
	labelSyntax    = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
	labelKeySyntax = regexp.MustCompile(`^([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	percentSyntax  = regexp.MustCompile(`^([1-9][0-9]?)%$`)
	quantitySyntax = regexp.MustCompile(`^([0-9]+)(m|Ki|Mi|Gi)?$`)
)

// check returns what is wrong with the fields of a value of a resource. path is its place, and
// fact the path in fields.
func check(path, fact string, value any) (wrong []string) {
	f, known := fields[fact]
	if !known {
		return []string{path + ": no such field"}
	}
	report := func(format string, args ...any) { wrong = append(wrong, path+": "+fmt.Sprintf(format, args...)) }
	switch f.kind {
	case "pod":
		return check(path, "pod", value)
	case "object", "map":
		object, ok := value.(map[string]any)
		if !ok {
			report("%v is not an object", value)
		}
		for _, name := range f.required {
			if ok && object[name] == nil {
				report("has no %s", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if f.kind == "object" {
				wrong = append(wrong, check(path+"."+name, fact+"."+name, object[name])...)
				continue
			}
			if fields[fact+".*"].kind == "label" && !labelKeySyntax.MatchString(name) {
				report("%q is not the name of a label", name)
			}
			wrong = append(wrong, check(path+"."+name, fact+".*", object[name])...)
		}
	case "list":
		list, ok := value.([]any)
		if !ok {
			report("%v is not a list", value)
		}
		for i, item := range list {
			wrong = append(wrong, check(fmt.Sprintf("%s[%d]", path, i), fact+"[]", item)...)
		}
	case "boolean":
		if _, ok := value.(bool); !ok {
			report("%v is not true or false", value)
		}
	case "integer":
		low, high, _ := strings.Cut(f.values, "..")
		n, ok := value.(float64)
		if !ok || n != float64(int64(n)) || n < testenv.Must(strconv.ParseFloat(low, 64)) || n > testenv.Must(strconv.ParseFloat(high, 64)) {
			report("%v is not an integer from %s to %s", value, low, high)
		}
	case "share":
		text, isText := value.(string)
		n, isNumber := value.(float64)
		if isText && !percentSyntax.MatchString(text) || isNumber && (n < 1 || n != float64(int64(n))) || !isText && !isNumber {
			report("%v is neither a number from 1 nor a share from 1%% to 99%%", value)
		}
	default:
		text, ok := value.(string)
		switch {
		case !ok:
			report("%v is not a text", value)
		case f.values != "" && !slices.Contains(strings.Split(f.values, "|"), text):
			report("%q is not one of %s", text, f.values)
		case f.kind == "name" && !nameSyntax.MatchString(text):
			report("%q is not a name", text)
		case f.kind == "label" && !labelSyntax.MatchString(text):
			report("%q is not the value of a label", text)
		case f.kind == "quantity" && !quantitySyntax.MatchString(text):
			report("%q is not a quantity", text)
		}
	}
	return wrong
}

// quantity returns a quantity of CPU time in 1/1000 of a core, or of memory in bytes * 1000.
func quantity(text string) int64 {
	m := quantitySyntax.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	unit := map[string]int64{"m": 1, "": 1000, "Ki": 1000 << 10, "Mi": 1000 << 20, "Gi": 1000 << 30}[m[2]]
	return testenv.Must(strconv.ParseInt(m[1], 10, 40)) * unit
}

// TestFields checks that the facts are complete: each field has a parent that can have fields.
func TestFields(t *testing.T) {
	for path := range fields {
		var parent string
		var kinds []string
		switch at := strings.LastIndex(path, "."); {
		case strings.HasSuffix(path, "[]"):
			parent, kinds = strings.TrimSuffix(path, "[]"), []string{"list"}
		case strings.HasSuffix(path, ".*"):
			parent, kinds = strings.TrimSuffix(path, ".*"), []string{"map"}
		case at > 0:
			parent, kinds = path[:at], []string{"object"}
		default:
			continue
		}
		testenv.Check(t, slices.Contains(kinds, fields[parent].kind), "%s: %s is of kind %q", path, parent, fields[parent].kind)
	}
}
