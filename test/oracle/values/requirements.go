package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

type operand struct {
	operator corev1.NodeSelectorOperator
	values   []string
}

const twentyDigits = "12345678901234567890"

var operands = slices.Concat(
	each(corev1.NodeSelectorOpIn, []string{}, []string{"a"}, []string{"a", "b"}, []string{"1", "5", "b"}, []string{"5", "007"},
		[]string{"-3", "0"}, []string{"+5", twentyDigits}, []string{"9223372036854775807", "-9223372036854775808", "x y"}),
	each(corev1.NodeSelectorOpNotIn, []string{}, []string{"a"}, []string{"a", "b", "1"}, []string{"5"}, []string{"007", "-3"}, []string{twentyDigits}),
	each(corev1.NodeSelectorOpExists, nil),
	each(corev1.NodeSelectorOpDoesNotExist, nil),
	bounds(corev1.NodeSelectorOpGt), bounds(corev1.NodeSelectorOpLt), bounds(v1.NodeSelectorOpGte), bounds(v1.NodeSelectorOpLte),
)

// The label values that each intersection is tested with.
var probes = []string{
	"a", "b", "c", "0", "1", "4", "5", "6", "7", "007", "-3", "-4", "+5", "05", "5.0", "x y", "",
	"9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", twentyDigits,
}

func each(operator corev1.NodeSelectorOperator, lists ...[]string) []operand {
	all := []operand{}
	for _, values := range lists {
		all = append(all, operand{operator, values})
	}
	return all
}

func bounds(operator corev1.NodeSelectorOperator) []operand {
	return each(operator, []string{"0"}, []string{"4"}, []string{"5"}, []string{"007"}, []string{"-3"}, []string{"6"},
		[]string{"9007199254740992"}, []string{"9223372036854775807"}, []string{"99999999999999999999"})
}

func (of operand) requirement(key string) *scheduling.Requirement {
	return scheduling.NewRequirement(key, of.operator, slices.Clone(of.values)...)
}

func requirements(random *rand.Rand) map[string]any {
	asked := []row{}
	for _, one := range operands {
		asked = append(asked, row{one.operator, append([]string{}, one.values...)})
	}
	return map[string]any{
		"keys": keys, "operands": asked, "probes": probes, "pairs": operandPairs(), "minValues": minValues(), "compatible": compatible(random),
	}
}

// operandPairs has [a, b, their intersection, whether it is not empty, a bit for each probe that it admits].
func operandPairs() []row {
	rows := []row{}
	for i, a := range operands {
		for j, b := range operands {
			left, right := a.requirement("size"), b.requirement("size")
			both := left.Intersection(right)
			rows = append(rows, slices.Concat(row{i, j}, neutral(both), row{left.HasIntersection(right), admitted(both)}))
		}
	}
	return rows
}

// neutral is [the operator, its values, the least and the greatest number].
func neutral(of *scheduling.Requirement) row {
	values := of.Values()
	slices.Sort(values)
	return row{of.Operator(), append([]string{}, values...), bound(of, "gte"), bound(of, "lte")}
}

func bound(of *scheduling.Requirement, name string) any {
	field := reflect.ValueOf(of).Elem().FieldByName(name)
	if field.IsNil() {
		return nil
	}
	return decimal(field.Elem().Int())
}

func admitted(of *scheduling.Requirement) string {
	bits := ""
	for _, probe := range probes {
		bits += map[bool]string{true: "1", false: "0"}[of.Has(probe)]
	}
	return bits
}

// minValues has [of a, of b, of their intersection], for operands that overlap and that do not.
func minValues() []row {
	rows := []row{}
	for _, apart := range []bool{false, true} {
		for a := range 4 {
			for b := range 4 {
				left := scheduling.NewRequirementWithFlexibility("size", corev1.NodeSelectorOpGt, least(a), "5")
				right := scheduling.NewRequirementWithFlexibility("size", corev1.NodeSelectorOpLt, least(b), map[bool]string{true: "2", false: "50"}[apart])
				rows = append(rows, row{least(a), least(b), left.Intersection(right).MinValues()})
			}
		}
	}
	return rows
}

func least(count int) *int {
	if count == 0 {
		return nil
	}
	return &count
}

var keys = []string{"team", "size", "example.com/team", corev1.LabelTopologyZone, corev1.LabelInstanceTypeStable, v1.CapacityTypeLabelKey}

// compatible has [offered, required, and for each direction whether it is compatible without and with undefined well-known labels].
func compatible(random *rand.Rand) []row {
	rows := []row{}
	for len(rows) < 600 {
		a, b := anyList(random), anyList(random)
		offered, asked := gathered(a), gathered(b)
		rows = append(rows, row{a, b, fmt.Sprintf("%d%d%d%d",
			bit(offered.IsCompatible(asked)), bit(offered.IsCompatible(asked, scheduling.AllowUndefinedWellKnownLabels)),
			bit(asked.IsCompatible(offered)), bit(asked.IsCompatible(offered, scheduling.AllowUndefinedWellKnownLabels)))})
	}
	return rows
}

// anyList has up to three [key, operand], sometimes with the same key twice.
func anyList(random *rand.Rand) [][2]int {
	list := [][2]int{}
	for range random.IntN(4) {
		list = append(list, [2]int{random.IntN(len(keys)), random.IntN(len(operands))})
	}
	return list
}

func gathered(list [][2]int) scheduling.Requirements {
	all := scheduling.NewRequirements()
	for _, one := range list {
		all.Add(operands[one[1]].requirement(keys[one[0]]))
	}
	return all
}

func bit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
