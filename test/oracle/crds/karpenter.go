package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	providerv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"go.uber.org/multierr"
	corev1 "k8s.io/api/core/v1"
	buffersv1beta1 "sigs.k8s.io/karpenter/pkg/apis/autoscaling/v1beta1"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
)

// refusals are the paths that Karpenter refuses in an object that the API server stored.
func refusals(kind string, stored map[string]any) []string {
	switch kind {
	case "NodePool":
		return refusalsOf(stored, nodePoolRefusals)
	case "NodeOverlay":
		return refusalsOf(stored, nodeOverlayRefusals)
	case "EC2NodeClass":
		return refusalsOf(stored, nodeClassRefusals)
	case "NodeClaim":
		return refusalsOf(stored, func(*karpenterv1.NodeClaim) []string { return nil })
	case "CapacityBuffer":
		return refusalsOf(stored, func(*buffersv1beta1.CapacityBuffer) []string { return nil })
	default:
		return nil
	}
}

// refusalsOf first decodes the object into Karpenter's type. Karpenter validates only objects that it can decode.
func refusalsOf[T any](stored map[string]any, rules func(*T) []string) []string {
	var object T
	if decode(stored, &object) != nil {
		return undecodable[T](stored)
	}
	return rules(&object)
}

func decode(stored any, into any) error {
	data, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// undecodable finds the deepest values that prevent decoding: without them the object decodes.
func undecodable[T any](stored map[string]any) []string {
	found := []string{}
	visitValues(stored, "", func(path string, remove func() func()) {
		if slices.ContainsFunc(found, func(known string) bool { return strings.HasPrefix(known, "decode:"+path) }) {
			return
		}
		restore := remove()
		var object T
		if decode(stored, &object) == nil {
			found = append(found, "decode:"+path)
		}
		restore()
	})
	if len(found) == 0 {
		return []string{"decode"}
	}
	return found
}

// visitValues visits the values of all objects, the deepest first.
func visitValues(value any, path string, visit func(path string, remove func() func())) {
	switch typed := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(typed)) {
			child := typed[key]
			childPath := join(path, key)
			visitValues(child, childPath, visit)
			visit(childPath, func() func() {
				delete(typed, key)
				return func() { typed[key] = child }
			})
		}
	case []any:
		for index, child := range typed {
			visitValues(child, fmt.Sprintf("%s[%d]", path, index), visit)
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// nodePoolRefusals validates each part alone, so that each refusal has a path that does not come from a message.
func nodePoolRefusals(pool *karpenterv1.NodePool) []string {
	template := pool.Spec.Template
	found := []string{}
	refused := func(piece karpenterv1.NodeClaimTemplate) int {
		isolated := &karpenterv1.NodePool{Spec: karpenterv1.NodePoolSpec{Template: piece}}
		return len(multierr.Errors(isolated.RuntimeValidate(context.Background())))
	}
	for _, key := range slices.Sorted(maps.Keys(template.Labels)) {
		piece := karpenterv1.NodeClaimTemplate{}
		piece.Labels = map[string]string{key: template.Labels[key]}
		if refused(piece) > 0 {
			found = append(found, fmt.Sprintf("spec.template.metadata.labels[%s]", key))
		}
	}
	for index, requirement := range template.Spec.Requirements {
		piece := karpenterv1.NodeClaimTemplate{}
		piece.Spec.Requirements = []karpenterv1.NodeSelectorRequirementWithMinValues{requirement}
		if refused(piece) > 0 {
			found = append(found, fmt.Sprintf("spec.template.spec.requirements[%d]", index))
		}
	}
	// A taint may be refused only because of an earlier one, so one taint at a time is added to the lists.
	piece, before := karpenterv1.NodeClaimTemplate{}, 0
	grow := func(field string, taints []corev1.Taint, list *[]corev1.Taint) {
		for index, taint := range taints {
			*list = append(*list, taint)
			if after := refused(piece); after > before {
				found, before = append(found, fmt.Sprintf("spec.template.spec.%s[%d]", field, index)), after
			}
		}
	}
	grow("taints", template.Spec.Taints, &piece.Spec.Taints)
	grow("startupTaints", template.Spec.StartupTaints, &piece.Spec.StartupTaints)
	mustAgree(pool.RuntimeValidate(context.Background()) != nil, found)
	return found
}

func nodeOverlayRefusals(overlay *v1alpha1.NodeOverlay) []string {
	found := []string{}
	refused := func(spec v1alpha1.NodeOverlaySpec) bool {
		return (&v1alpha1.NodeOverlay{Spec: spec}).RuntimeValidate(context.Background()) != nil
	}
	for index, requirement := range overlay.Spec.Requirements {
		if refused(v1alpha1.NodeOverlaySpec{Requirements: []v1alpha1.NodeSelectorRequirement{requirement}}) {
			found = append(found, fmt.Sprintf("spec.requirements[%d]", index))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(overlay.Spec.Capacity)) {
		if refused(v1alpha1.NodeOverlaySpec{Capacity: corev1.ResourceList{name: overlay.Spec.Capacity[name]}}) {
			found = append(found, fmt.Sprintf("spec.capacity[%s]", name))
		}
	}
	mustAgree(overlay.RuntimeValidate(context.Background()) != nil, found)
	return found
}

// mustAgree compares the results of the parts with that of the whole object, to find rules that apply to several parts.
func mustAgree(refused bool, found []string) {
	if refused != (len(found) > 0) {
		panic(fmt.Sprintf("piecewise validation disagrees with the whole: %v %v", refused, found))
	}
}

// nodeClassRefusals runs the checks of the provider's validation controller that need no AWS call.
func nodeClassRefusals(class *providerv1.EC2NodeClass) []string {
	// The provider crashes on an alias that it cannot split, so its functions must not be called with the object.
	for index, term := range class.Spec.AMISelectorTerms {
		if term.Alias != "" && strings.Count(term.Alias, "@") != 1 {
			return []string{fmt.Sprintf("crash:spec.amiSelectorTerms[%d].alias", index)}
		}
	}
	found := kubeletRefusals(class)
	for _, key := range slices.Sorted(maps.Keys(class.Spec.Tags)) {
		for _, pattern := range providerv1.RestrictedTagPatterns {
			if pattern.MatchString(key) {
				found = append(found, fmt.Sprintf("spec.tags[%s]", key))
				break
			}
		}
	}
	return found
}
