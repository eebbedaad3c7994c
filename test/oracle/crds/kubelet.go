package main

import (
	"maps"
	"slices"

	providerv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
)

// softFields are validated together, because each requires the other. A refusal is reported for the first.
var softFields = []string{"evictionSoft", "evictionSoftGracePeriod"}

// thresholdFields are first validated alone and then against each other.
var thresholdFields = []string{"imageGCLowThresholdPercent", "imageGCHighThresholdPercent"}

// kubeletRefusals validates spec.kubelet field by field, with the provider's NodeClassCEL feature gate off.
func kubeletRefusals(class *providerv1.EC2NodeClass) []string {
	config := class.Spec.Kubelet
	found := []string{}
	for _, field := range slices.Sorted(maps.Keys(config)) {
		switch {
		case field == softFields[1] && config[softFields[0]].Raw != nil:
		case slices.Contains(softFields, field):
			if refusesKubelet(config, softFields...) {
				found = append(found, "spec.kubelet."+softFields[0])
			}
		case refusesKubelet(config, field):
			found = append(found, "spec.kubelet."+field)
		}
	}
	if len(found) == 0 && refusesKubelet(config, thresholdFields...) {
		found = append(found, "spec.kubelet."+thresholdFields[0])
	}
	mustAgree(refusesKubelet(config, slices.Collect(maps.Keys(config))...), found)
	if len(found) == 0 {
		found = familyRefusals(class)
	}
	return found
}

// refusesKubelet runs the provider's checks on a part of the fields.
func refusesKubelet(config providerv1.KubeletConfiguration, fields ...string) bool {
	piece := providerv1.KubeletConfiguration{}
	for _, field := range fields {
		if value, ok := config[field]; ok {
			piece[field] = value
		}
	}
	_, err := providerv1.ParseKubeletConfig(piece)
	return len(providerv1.ValidateKubeletConfig(piece)) > 0 || err != nil || piece.HasExpressions()
}

// familyRefusals are the fields that the node class's AMI family cannot pass to its kubelet. The provider decides this in a
// package that needs AWS clients, so the rule is restated here: AL2023 passes all fields, Custom is never checked.
func familyRefusals(class *providerv1.EC2NodeClass) []string {
	if len(class.Spec.Kubelet) == 0 {
		return nil
	}
	family := class.AMIFamily()
	if family == providerv1.AMIFamilyAL2023 || family == providerv1.AMIFamilyCustom {
		return nil
	}
	parsed, err := providerv1.ParseKubeletConfig(class.Spec.Kubelet)
	if err != nil {
		return nil
	}
	fields := providerv1.UnmanagedKubeletFields(class.Spec.Kubelet)
	if parsed.PodsPerCore != nil && family == providerv1.AMIFamilyBottlerocket {
		fields = append(fields, "podsPerCore")
	}
	if len(parsed.ClusterDNS) > 1 {
		fields = append(fields, "clusterDNS")
	}
	slices.Sort(fields)
	found := []string{}
	for _, field := range fields {
		found = append(found, "family:spec.kubelet."+field)
	}
	return found
}
