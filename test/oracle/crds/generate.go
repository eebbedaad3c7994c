package main

import (
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// property is one path of a CRD's spec.
type property struct {
	path   string
	schema *apiextensionsv1.JSONSchemaProps
}

// generator makes objects of one kind: a base with one to three mutations.
type generator struct {
	random     *rand.Rand
	kind       string
	apiVersion string
	properties []property
	targets    []mutation
	next       int
}

// mutation changes an object's content. It returns false if the change is not possible.
type mutation func(g *generator, object map[string]any) bool

func newGenerator(target *resource, seed uint64) *generator {
	spec := target.openAPI.Properties["spec"]
	return &generator{
		random:     rand.New(rand.NewPCG(seed, uint64(len(target.kind.Kind)))),
		kind:       target.kind.Kind,
		apiVersion: target.kind.GroupVersion().String(),
		properties: collect("spec", &spec),
		targets:    slices.Concat(metadataMutations, targetedMutations[target.kind.Kind]),
	}
}

func collect(path string, schema *apiextensionsv1.JSONSchemaProps) []property {
	found := []property{{path, schema}}
	names := []string{}
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		child := schema.Properties[name]
		found = append(found, collect(path+"."+name, &child)...)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		found = append(found, collect(path+"[]", schema.Items.Schema)...)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		found = append(found, collect(path+"{}", schema.AdditionalProperties.Schema)...)
	}
	return found
}

// object creates the next object. The schema-guided mutations use all properties in turn.
func (g *generator) object() map[string]any {
	object := newBase(g.kind, pick(g.random, bases[g.kind]), g.apiVersion)
	for range pick(g.random, []int{1, 1, 1, 2, 2, 3}) {
		if len(g.targets) > 0 && g.random.Float64() < 0.55 {
			pick(g.random, g.targets)(g, object)
			continue
		}
		property := g.properties[g.next%len(g.properties)]
		g.next++
		g.mutate(object, property)
	}
	return object
}

func (g *generator) set(object map[string]any, path string, value any) bool {
	return place(g.random, object, steps(path), value)
}

func (g *generator) mutate(object map[string]any, target property) {
	if !g.prepare(object, target.path) {
		return
	}
	path := steps(target.path)
	switch g.random.IntN(10) {
	case 0, 1, 2:
		g.set(object, target.path, g.sample(target))
	case 3:
		g.set(object, target.path, pick(g.random, g.interesting(target)))
	case 4:
		g.set(object, target.path, pick(g.random, g.interesting(target)))
	case 5:
		visit(g.random, object, path, func(parent map[string]any, key string) { delete(parent, key) })
	case 6:
		g.set(object, target.path, nil)
	case 7:
		g.set(object, target.path, pick(g.random, wrongTypes))
	case 8:
		g.set(object, target.path, g.empty(target))
	case 9:
		visit(g.random, object, path, func(parent map[string]any, key string) { parent[key+"x"] = duplicate(pick(g.random, wrongTypes)) })
	}
}

// prepare fills in missing parents with their samples, so that an invalid parent does not hide the result of the mutation.
func (g *generator) prepare(object map[string]any, path string) bool {
	for _, candidate := range g.properties {
		if !strings.HasPrefix(path, candidate.path) || candidate.path == path || candidate.path == "spec" {
			continue
		}
		if rest := path[len(candidate.path):]; rest[0] != '.' && rest[0] != '[' && rest[0] != '{' {
			continue
		}
		if strings.HasSuffix(candidate.path, "[]") {
			continue
		}
		fits := visit(g.random, object, steps(candidate.path), func(parent map[string]any, key string) {
			if parent[key] == nil {
				parent[key] = duplicate(g.sample(candidate))
			}
		})
		if !fits {
			return false
		}
	}
	return true
}

// sample is a plain value for a property.
func (g *generator) sample(target property) any {
	if text, ok := bySuffix(samples, target.path); ok {
		return parse(text)
	}
	schema := target.schema
	switch {
	case len(schema.Enum) > 0:
		return parse(string(pick(g.random, schema.Enum).Raw))
	case schema.XIntOrString:
		return "1"
	case schema.Type == "string":
		return "x"
	case schema.Type == "boolean":
		return g.random.IntN(2) == 0
	case schema.Type == "integer" && schema.Minimum != nil:
		return *schema.Minimum
	case schema.Type == "integer":
		return 1
	case schema.Type == "array":
		return []any{g.sample(property{target.path + "[]", schema.Items.Schema})}
	case schema.Type == "object":
		return g.sampleObject(target)
	default:
		return "x"
	}
}

func (g *generator) sampleObject(target property) any {
	object := map[string]any{}
	for _, name := range target.schema.Required {
		child := target.schema.Properties[name]
		object[name] = g.sample(property{target.path + "." + name, &child})
	}
	if extra := target.schema.AdditionalProperties; extra != nil && extra.Schema != nil && g.random.IntN(3) > 0 {
		object["a"] = g.sample(property{target.path + "{}", extra.Schema})
	}
	return object
}

// interesting are the boundary values of a property.
func (g *generator) interesting(target property) []any {
	if pool, ok := bySuffix(fieldPools, target.path); ok {
		return pool
	}
	schema := target.schema
	values := []any{}
	for _, choice := range schema.Enum {
		values = append(values, parse(string(choice.Raw)))
	}
	switch {
	case schema.Type == "integer" || schema.Type == "number":
		for _, bound := range []*float64{schema.Minimum, schema.Maximum} {
			if bound != nil {
				values = append(values, *bound-1, *bound, *bound+1)
			}
		}
		values = append(values, genericNumbers...)
	case schema.Type == "array":
		values = append(values, g.longLists(target)...)
	case schema.Type == "object":
		values = append(values, map[string]any{}, map[string]any{"": ""}, map[string]any{"a": "b"})
	default:
		values = append(values, genericStrings...)
	}
	if schema.MaxLength != nil && *schema.MaxLength <= 64 {
		values = append(values, strings.Repeat("z", int(*schema.MaxLength)), strings.Repeat("z", int(*schema.MaxLength)+1))
	}
	return values
}

func (g *generator) longLists(target property) []any {
	item := property{target.path + "[]", target.schema.Items.Schema}
	lists := []any{[]any{}, []any{g.sample(item)}, []any{g.sample(item), g.sample(item)}}
	if limit := target.schema.MaxItems; limit != nil && *limit <= 100 && g.random.IntN(5) == 0 {
		lists = append(lists, slices.Repeat([]any{g.sample(item)}, int(*limit)), slices.Repeat([]any{g.sample(item)}, int(*limit)+1))
	}
	return lists
}

func (g *generator) empty(target property) any {
	switch target.schema.Type {
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	case "integer":
		return 0
	default:
		return ""
	}
}

func bySuffix[T any](table map[string]T, path string) (T, bool) {
	best := ""
	for suffix := range table {
		if (path == suffix || strings.HasSuffix(path, "."+suffix)) && len(suffix) > len(best) {
			best = suffix
		}
	}
	value, ok := table[best]
	return value, ok
}
