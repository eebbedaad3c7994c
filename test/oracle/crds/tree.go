package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// parse parses a literal of this program.
func parse(text string) any {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	return value
}

// duplicate copies a value, so that pools, literals and objects do not share maps and lists.
func duplicate(value any) any {
	return parse(string(compact(value)))
}

func pick[T any](random *rand.Rand, values []T) T {
	return values[random.IntN(len(values))]
}

func sortedKeys(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}

// steps splits "spec.taints[].key" into spec, taints, [], key; a map's key is written {}.
func steps(path string) []string {
	path = strings.ReplaceAll(strings.ReplaceAll(path, "[]", ".[]"), "{}", ".{}")
	return strings.Split(path, ".")
}

// place writes a value at a path and creates missing parents. It returns false if a parent has another type.
func place(random *rand.Rand, container any, path []string, value any) bool {
	return visit(random, container, path, func(parent map[string]any, key string) { parent[key] = duplicate(value) })
}

// visit finds the object that holds a path's last step; a last step [] rewrites or extends the list itself.
func visit(random *rand.Rand, container any, path []string, apply func(parent map[string]any, key string)) bool {
	object, ok := container.(map[string]any)
	if !ok {
		return false
	}
	key := path[0]
	if key == "{}" {
		key = "a"
		if len(object) > 0 {
			key = pick(random, sortedKeys(object))
		}
	}
	if len(path) == 1 {
		apply(object, key)
		return true
	}
	if path[1] != "[]" {
		if object[key] == nil {
			object[key] = map[string]any{}
		}
		return visit(random, object[key], path[1:], apply)
	}
	return visitItem(random, object, key, path[2:], apply)
}

func visitItem(random *rand.Rand, object map[string]any, key string, rest []string, apply func(map[string]any, string)) bool {
	items, ok := object[key].([]any)
	if object[key] != nil && !ok {
		return false
	}
	// The list is copied, because literals and bases share it.
	items = slices.Clone(items)
	object[key] = items
	if len(rest) > 0 {
		if len(items) == 0 {
			items = append(items, map[string]any{})
			object[key] = items
		}
		return visit(random, items[random.IntN(len(items))], rest, apply)
	}
	slot := map[string]any{}
	index := random.IntN(len(items) + 1)
	if index < len(items) {
		slot["item"] = items[index]
	}
	apply(slot, "item")
	value, present := slot["item"]
	switch {
	case present && index < len(items):
		items[index] = value
	case present:
		items = append(items, value)
	case index < len(items):
		items = slices.Delete(items, index, index+1)
	}
	object[key] = items
	return true
}
