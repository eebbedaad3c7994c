package main

import "slices"

func sortedStrings(values []string) []string {
	slices.Sort(values)
	return values
}

var (
	tagTables = []string{`{"a":"b"}`, `{}`, `{"a":""}`, `{"":"b"}`, `{"a":"*"}`, `{"a":"b","c":"d"}`, `null`}

	kubeletMembers = map[string][]string{
		"maxPods": {`110`, `0`, `-1`, `"110"`, `"vcpus * 10"`, `null`, `1.5`, `2147483648`, `true`}, "podsPerCore": {`0`, `2`, `-1`, `"2"`},
		"clusterDNS": {`["10.0.0.10"]`, `["10.0.0.10","10.0.0.11"]`, `"10.0.0.10"`, `[]`, `["x"]`}, "cpuCFSQuota": {`true`, `false`, `"true"`},
		"kubeReserved":   {`{"cpu":"100m","memory":"1Gi"}`, `{"cpu":1}`, `{"cpu":"-1"}`, `{"gpu":"1"}`, `{"cpu":"vcpus * 10"}`, `{"cpu":""}`, `{"pid":"100"}`, `{}`, `{"cpu":null}`},
		"systemReserved": {`{"cpu":"100m"}`, `{"ephemeral-storage":"1Gi"}`, `{"cpu":"abc"}`, `{"memory":"1ki"}`, `["cpu"]`},
		"evictionHard":   {`{"memory.available":"5%"}`, `{"memory.available":"101%"}`, `{"memory.available":"100Mi"}`, `{"memory.available":"-1"}`, `{"memory.free":"5%"}`, `{"nodefs.inodesFree":"5.5%"}`, `{"pid.available":"%"}`, `{"memory.available":""}`, `{"memory.available":5}`, `{"memory.available":"1e1%"}`, `{"imagefs.available":"0%","imagefs.inodesFree":"100%"}`, `{"memory.available":" 5%"}`},
		"evictionSoft":   {`{"memory.available":"5%"}`, `{"nodefs.available":"5%"}`, `{}`, `{"memory.available":"x"}`}, "evictionSoftGracePeriod": {`{"memory.available":"1m"}`, `{"memory.available":"1m30s"}`, `{"memory.available":"-1m"}`, `{"memory.available":"1"}`, `{"nodefs.available":"2m"}`, `{"memory.available":"1.5h"}`, `{"memory.available":"1d"}`},
		"evictionMinimumReclaim": {`{"memory.available":"0Mi"}`, `{"nodefs.available":"500Mi"}`, `{"x":"1"}`}, "evictionMaxPodGracePeriod": {`0`, `60`, `-1`, `"60"`},
		"imageGCHighThresholdPercent": {`85`, `50`, `101`, `0`, `-1`, `"85"`}, "imageGCLowThresholdPercent": {`80`, `50`, `100`, `-1`, `0`},
		"registerWithTaints": {`[]`, `[{"key":"a","effect":"NoSchedule"}]`, `null`}, "cpuManagerPolicy": {`"static"`, `5`}, "imageMinimumGCAge": {`"2m"`, `"2x"`, `2`}, "containerLogMaxSize": {`"10Mi"`}, "containerLogMaxFiles": {`5`, `"5"`, `1.5`},
		"featureGates": {`{"A":true}`, `{"A":"true"}`}, "foo": {`1`}, "MaxPods": {`1`}, "kind": {`"KubeletConfiguration"`}, "logging": {`{"verbosity":2}`, `{"foo":1}`}, "topologyManagerPolicy": {`"best-effort"`}, "shutdownGracePeriod": {`"30s"`, `30`}, "systemReservedCgroup": {`"/x"`}, "serializeImagePulls": {`false`, `0`}, "podPidsLimit": {`-1`, `1024`, `"1024"`},
		"memorySwap": {`{}`, `{"swapBehavior":"LimitedSwap"}`, `{"swapBehaviour":"x"}`}, "allowedUnsafeSysctls": {`["net.core.somaxconn"]`, `"x"`}, "eventRecordQPS": {`5`, `0`, `-5`}, "registryPullQPS": {`5`, `5.5`},
	}

	amiMembers = map[string][]string{"alias": {`"al2023@latest"`, `"al2@latest"`, `"al2023"`, `"bottlerocket@v1.2@3"`}, "id": {`"ami-1"`, `"x"`, `""`}, "name": {`"n"`, `""`}, "owner": {`"self"`, `""`}, "tags": tagTables, "ssmParameter": {`"/a/b"`, `""`}}

	subnetMembers = map[string][]string{"id": {`"subnet-1"`, `"subnet-"`, `""`}, "tags": tagTables}

	groupMembers = map[string][]string{"id": {`"sg-1"`, `"sg"`, `""`}, "tags": tagTables, "name": {`"n"`, `""`}}

	reservationMembers = map[string][]string{"id": {`"cr-1"`, `"cr-"`}, "tags": tagTables, "ownerID": {`"123456789012"`, `"1"`}, "instanceMatchCriteria": {`"open"`, `"targeted"`, `"closed"`}}

	volumeMembers = map[string][]string{"volumeSize": {`"20Gi"`, `"59001Gi"`, `"Ti"`, `100`}, "snapshotID": {`"snap-1"`, `""`}, "volumeInitializationRate": {`100`, `300`, `99`, `301`}, "volumeType": {`"gp3"`, `"io2"`, `"gp4"`}, "iops": {`3000`, `-1`, `0`, `1.5`}, "throughput": {`125`, `"125"`}, "encrypted": {`true`, `"true"`}, "kmsKeyID": {`"k"`, `""`}, "deleteOnTermination": {`false`}}

	interfaceMembers = []string{`{"networkCardIndex":0,"deviceIndex":0,"interfaceType":"interface"}`, `{"networkCardIndex":0,"deviceIndex":1,"interfaceType":"interface"}`, `{"networkCardIndex":0,"deviceIndex":1,"interfaceType":"efa-only"}`, `{"networkCardIndex":0,"deviceIndex":2,"interfaceType":"efa-only"}`, `{"networkCardIndex":1,"deviceIndex":0,"interfaceType":"efa-only"}`, `{"networkCardIndex":1,"deviceIndex":1,"interfaceType":"interface"}`, `{"networkCardIndex":0,"deviceIndex":0,"interfaceType":"efa-only"}`, `{"networkCardIndex":0,"deviceIndex":0}`, `{"networkCardIndex":-1,"deviceIndex":0,"interfaceType":"efa"}`}
)

var nodeClassMutations = []mutation{
	setting("spec.amiSelectorTerms[].alias", aliases), making("spec.amiSelectorTerms", listOf(combination(amiMembers))), making("spec.amiSelectorTerms[]", combination(amiMembers)),
	making("spec.subnetSelectorTerms", listOf(combination(subnetMembers))), making("spec.securityGroupSelectorTerms", listOf(combination(groupMembers))), making("spec.capacityReservationSelectorTerms", listOf(combination(reservationMembers))),
	func(g *generator, object map[string]any) bool {
		alias := map[string]any{"alias": pick(g.random, aliases)}
		g.set(object, "spec.amiFamily", pick(g.random, []any{"AL2", "AL2023", "Bottlerocket", "Custom", "Custom", "Windows2019", "Windows2022", "Windows2025", "Ubuntu", "", nil}))
		return g.set(object, "spec.amiSelectorTerms", []any{alias})
	},
	func(g *generator, object map[string]any) bool {
		values := []any{"r", "", nil}
		g.set(object, "spec.role", pick(g.random, values))
		return g.set(object, "spec.instanceProfile", pick(g.random, values))
	},
	entry("spec.tags", tagKeys, tagValues), entry("spec.tags", tagKeys, []any{"x"}),
	setting("spec.blockDeviceMappings[].ebs.volumeSize", volumeSizes), making("spec.blockDeviceMappings[].ebs", combination(volumeMembers)), making("spec.blockDeviceMappings[].ebs", combination(volumeMembers)),
	literals("spec.blockDeviceMappings", `[{"rootVolume":true,"ebs":{"volumeSize":"1Gi"}},{"rootVolume":true,"ebs":{"volumeSize":"1Gi"}}]`, `[{"rootVolume":true},{"rootVolume":false}]`, `[{}]`, `[]`, `[{"ebs":{}}]`),
	making("spec.networkInterfaces", listOf(func(g *generator) any { return parse(pick(g.random, interfaceMembers)) })),
	making("spec.networkInterfaces[]", func(g *generator) any { return parse(pick(g.random, interfaceMembers)) }),
	making("spec.metadataOptions", combination(map[string][]string{"httpEndpoint": {`"enabled"`, `"disabled"`, `null`, `"on"`}, "httpProtocolIPv6": {`"enabled"`, `"off"`}, "httpPutResponseHopLimit": {`1`, `64`, `65`, `0`, `null`, `"1"`}, "httpTokens": {`"optional"`, `"required"`, `""`}})),
	making("spec.connectionTracking", combination(map[string][]string{"tcpEstablishedTimeout": {`60`, `59`, `432000`, `432001`}, "udpStreamTimeout": {`60`, `180`, `181`}, "udpTimeout": {`30`, `60`, `29`, `61`, `null`}})),
	making("spec.placementGroupSelector", combination(map[string][]string{"name": {`"n"`, `""`, `null`}, "id": {`"pg-1"`, `"pg-"`}})),
	literals("spec.cpuOptions", `{}`, `{"nestedVirtualization":"disabled"}`, `{"nestedVirtualization":"on"}`, `null`),
	making("spec.kubelet", combination(kubeletMembers)), making("spec.kubelet", combination(kubeletMembers)), making("spec.kubelet", combination(kubeletMembers)), making("spec.kubelet", combination(kubeletMembers)),
	func(g *generator, object map[string]any) bool {
		family := pick(g.random, []string{"al2@latest", "bottlerocket@latest", "windows2022@latest", "al2023@latest"})
		g.set(object, "spec.kubelet", combination(kubeletMembers)(g))
		return g.set(object, "spec.amiSelectorTerms", []any{map[string]any{"alias": family}})
	},
	func(g *generator, object map[string]any) bool {
		soft, grace := pick(g.random, kubeletMembers["evictionSoft"]), pick(g.random, kubeletMembers["evictionSoftGracePeriod"])
		return g.set(object, "spec.kubelet", map[string]any{"evictionSoft": parse(soft), "evictionSoftGracePeriod": parse(grace)})
	},
	func(g *generator, object map[string]any) bool {
		high, low := pick(g.random, kubeletMembers["imageGCHighThresholdPercent"]), pick(g.random, kubeletMembers["imageGCLowThresholdPercent"])
		return g.set(object, "spec.kubelet", map[string]any{"imageGCHighThresholdPercent": parse(high), "imageGCLowThresholdPercent": parse(low)})
	},
}
