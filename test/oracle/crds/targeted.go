package main

import "fmt"

// setting writes a random value of a pool at a path.
func setting(path string, pool []any) mutation {
	return func(g *generator, object map[string]any) bool { return g.set(object, path, pick(g.random, pool)) }
}

// literals are whole values written as JSON.
func literals(path string, texts ...string) mutation {
	return func(g *generator, object map[string]any) bool {
		return g.set(object, path, parse(pick(g.random, texts)))
	}
}

// making writes a value that a function creates.
func making(path string, value func(g *generator) any) mutation {
	return func(g *generator, object map[string]any) bool { return g.set(object, path, value(g)) }
}

// entry adds one key of a pool to a map.
func entry(path string, keys []any, values []any) mutation {
	return func(g *generator, object map[string]any) bool {
		key := fmt.Sprint(pick(g.random, keys))
		return visit(g.random, object, steps(path), func(parent map[string]any, name string) {
			table, ok := parent[name].(map[string]any)
			if !ok {
				table = map[string]any{}
				parent[name] = table
			}
			table[key] = duplicate(pick(g.random, values))
		})
	}
}

var metadataMutations = []mutation{
	func(g *generator, object map[string]any) bool { return pick(g.random, metadataCases)(g, object) },
}

var metadataCases = []mutation{
	setting("metadata.name", objectNames),
	setting("metadata.name", objectNames),
	entry("metadata.labels", labelKeys, labelValues),
	entry("metadata.annotations", labelKeys, []any{"x", "", "a b", 5}),
	literals("metadata", `{"generateName":"a-"}`, `{"generateName":"A-"}`, `{"name":"","generateName":"a"}`, `{}`, `null`, `"x"`, `[]`, `{"name":null}`, `{"name":"a","generateName":"A_"}`),
	literals("metadata.namespace", `"x"`, `""`, `null`, `"A_b"`, `5`, `"default"`),
	literals("metadata.finalizers", `["a.b/c"]`, `["a"]`, `["a b"]`, `[]`, `"x"`),
	literals("metadata.ownerReferences", `[{}]`, `[{"apiVersion":"v1","kind":"Pod","name":"x","uid":"y"}]`, `[]`),
	literals("metadata.creationTimestamp", `null`, `"x"`, `"2024-01-01T00:00:00Z"`),
	literals("metadata.foo", `1`), literals("foo", `1`), literals("spec.foo", `{"a":1}`), literals("status", `{"x":1}`, `5`, `null`, `{}`),
}

func targetedRequirement(values bool) func(g *generator) any {
	return func(g *generator) any {
		operator := pick(g.random, []any{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte", "In", "Gt", "in", ""})
		requirement := map[string]any{"key": pick(g.random, labelKeys), "operator": operator}
		if g.random.IntN(2) == 0 {
			requirement["key"] = pick(g.random, []any{"a", "karpenter.sh/capacity-type", "karpenter.k8s.aws/instance-tenancy", "karpenter.k8s.aws/instance-cpu"})
		}
		pool := labelValues
		if operator == "Gt" || operator == "Lt" || operator == "Gte" || operator == "Lte" {
			pool = integerValues
		}
		list := []any{}
		for range pick(g.random, []int{0, 1, 1, 1, 2, 3}) {
			list = append(list, pick(g.random, pool))
		}
		if len(list) > 0 || g.random.IntN(2) == 0 {
			requirement["values"] = list
		}
		if values && g.random.IntN(4) == 0 {
			requirement["minValues"] = pick(g.random, []any{1, 2, 3, 50, 51, 0})
		}
		return requirement
	}
}

func targetedTaint(g *generator) any {
	taint := map[string]any{"key": pick(g.random, []any{"a", "a", "b", pick(g.random, taintKeys)}), "effect": pick(g.random, []any{"NoSchedule", "NoSchedule", "NoExecute", pick(g.random, effects)})}
	if g.random.IntN(2) == 0 {
		taint["value"] = pick(g.random, taintValues)
	}
	return taint
}

func targetedBudget(g *generator) any {
	budget := map[string]any{"nodes": pick(g.random, percentages)}
	if g.random.IntN(2) == 0 {
		budget["nodes"] = "1"
	}
	if g.random.IntN(2) == 0 {
		budget["schedule"] = pick(g.random, crons)
	}
	if _, scheduled := budget["schedule"]; scheduled == (g.random.IntN(6) > 0) {
		budget["duration"] = pick(g.random, []any{"1h", "8h", "90m", "1h30m", pick(g.random, durations), "1h0m0s", "0h", "30m0s"})
	}
	if g.random.IntN(3) == 0 {
		budget["reasons"] = parse(pick(g.random, []string{`["Empty","Drifted"]`, `["Empty","Empty"]`, `[]`, `["Expired"]`, `["Underutilized"]`, `[null]`, `["empty"]`, `["Unhealthy"]`}))
	}
	return budget
}

// combination joins random members of a table of literals into one object.
func combination(members map[string][]string) func(g *generator) any {
	return func(g *generator) any {
		object, names := map[string]any{}, []string{}
		for name := range members {
			names = append(names, name)
		}
		names = sortedStrings(names)
		for range pick(g.random, []int{0, 1, 1, 1, 2, 2, 3}) {
			name := pick(g.random, names)
			object[name] = parse(pick(g.random, members[name]))
		}
		return object
	}
}

// listOf makes a list of one to three items.
func listOf(item func(g *generator) any) func(g *generator) any {
	return func(g *generator) any {
		items := []any{}
		for range pick(g.random, []int{0, 1, 1, 1, 2, 2, 3}) {
			items = append(items, item(g))
		}
		return items
	}
}

func poolMutations(prefix string) []mutation {
	return []mutation{
		making(prefix+".requirements[]", targetedRequirement(true)), making(prefix+".requirements[]", targetedRequirement(true)),
		making(prefix+".requirements", listOf(targetedRequirement(true))), setting(prefix+".requirements[].key", labelKeys),
		making(prefix+".taints[]", targetedTaint), making(prefix+".startupTaints[]", targetedTaint),
		setting(prefix+".expireAfter", durations), setting(prefix+".terminationGracePeriod", durations),
	}
}

var targetedMutations = map[string][]mutation{
	"NodePool": append(poolMutations("spec.template.spec"),
		making("spec.disruption.budgets[]", targetedBudget), making("spec.disruption.budgets[]", targetedBudget), setting("spec.disruption.consolidateAfter", durations),
		entry("spec.template.metadata.labels", labelKeys, labelValues), entry("spec.template.metadata.labels", labelKeys, []any{"x"}), entry("spec.template.metadata.annotations", labelKeys, []any{"x", "", 5}),
		entry("spec.limits", limitNames, quantities), literals("spec.replicas", `0`, `1`, `-1`, `2147483647`, `2147483648`, `"1"`, `null`, `1.5`), literals("spec.weight", `1`, `100`, `101`, `0`, `null`),
		making("spec", func(g *generator) any {
			spec := parse(bases["NodePool"][0]).(map[string]any)
			spec["replicas"] = pick(g.random, []any{0, 1, 5})
			spec["limits"] = parse(pick(g.random, []string{`{}`, `{"nodes":"1"}`, `{"nodes":5}`, `{"cpu":"1"}`, `{"nodes":"1","cpu":"1"}`, `null`}))
			spec["weight"] = pick(g.random, []any{nil, nil, nil, 5})
			return spec
		})),
	"NodeClaim": append(poolMutations("spec"), entry("spec.resources.requests", limitNames, quantities)),
	"NodeOverlay": {
		making("spec.requirements[]", targetedRequirement(false)), making("spec.requirements[]", targetedRequirement(false)), making("spec.requirements", listOf(targetedRequirement(false))),
		setting("spec.requirements[].key", labelKeys), setting("spec.price", prices), setting("spec.priceAdjustment", priceAdjustments), setting("spec.priceAdjustment", priceAdjustments),
		entry("spec.capacity", capacityNames, []any{"1", 1, "5Gi"}), entry("spec.capacity", capacityNames, quantities), literals("spec.weight", `1`, `10000`, `10001`, `0`, `null`),
	},
	"CapacityBuffer": {
		making("spec", combination(map[string][]string{
			"podTemplateRef": {`{"name":"p"}`, `{"name":""}`, `{}`, `null`}, "scalableRef": {`{"kind":"Deployment","name":"d"}`, `{"kind":"","name":"d"}`, `{"name":"d"}`, `{"apiGroup":"","kind":"StatefulSet","name":"s"}`},
			"replicas": {`0`, `1`, `-1`, `2147483648`, `null`, `"1"`}, "percentage": {`0`, `50`, `200`, `-1`}, "limits": {`{}`, `{"cpu":"1"}`, `{"cpu":1.5}`, `null`}, "provisioningStrategy": {`"x"`, `""`, `null`},
		})),
		entry("spec.limits", limitNames, quantities),
	},
	"EC2NodeClass": nodeClassMutations,
}
