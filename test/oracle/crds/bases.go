package main

// bases are valid objects that the mutations start from: a minimal object, and objects with one group of fields each.
var bases = map[string][]string{
	"NodePool": {
		`{"template":{"spec":{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"requirements":[]}}}`,
		`{"template":{"spec":{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["spot","on-demand"],"minValues":1},{"key":"karpenter.k8s.aws/instance-cpu","operator":"Gt","values":["3"]}]}}}`,
		`{"disruption":{"consolidateAfter":"30s","consolidationPolicy":"WhenEmpty","budgets":[{"nodes":"20%","reasons":["Empty"]},{"nodes":"0","schedule":"@daily","duration":"8h"}]},"template":{"spec":{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"requirements":[]}}}`,
		`{"limits":{"cpu":"100"},"weight":10,"template":{"metadata":{"labels":{"team":"a"},"annotations":{"a/b":"c"}},"spec":{"expireAfter":"24h","terminationGracePeriod":"1h","nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"requirements":[]}}}`,
		`{"template":{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}],"startupTaints":[{"key":"b","value":"x","effect":"NoExecute"}],"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"requirements":[]}}}`,
		`{"replicas":2,"limits":{"nodes":"5"},"template":{"spec":{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"requirements":[]}}}`,
	},
	"NodeClaim": {
		`{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"requirements":[]}`,
		`{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"expireAfter":"24h","terminationGracePeriod":"1h","resources":{"requests":{"cpu":"1"}},"requirements":[{"key":"karpenter.sh/nodepool","operator":"In","values":["a"]}]}`,
		`{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"},"taints":[{"key":"a","effect":"NoSchedule"}],"startupTaints":[{"key":"b","value":"x","effect":"NoExecute"}],"requirements":[{"key":"karpenter.k8s.aws/instance-cpu","operator":"Lte","values":["8"],"minValues":2}]}`,
	},
	"NodeOverlay": {
		`{"requirements":[]}`,
		`{"requirements":[{"key":"karpenter.k8s.aws/instance-family","operator":"In","values":["m5"]}],"priceAdjustment":"-10%","weight":10}`,
		`{"requirements":[{"key":"karpenter.sh/nodepool","operator":"NotIn","values":["a"]}],"price":"0.5"}`,
		`{"requirements":[{"key":"node.kubernetes.io/instance-type","operator":"Exists"}],"capacity":{"smarter-devices/fuse":"1"}}`,
	},
	"CapacityBuffer": {
		`{"podTemplateRef":{"name":"p"},"replicas":2}`,
		`{"scalableRef":{"apiGroup":"apps","kind":"Deployment","name":"d"},"percentage":20}`,
		`{"podTemplateRef":{"name":"p"},"limits":{"cpu":"4"},"provisioningStrategy":"buffer.x-k8s.io/active-capacity"}`,
	},
	"EC2NodeClass": {
		`{"role":"r","amiSelectorTerms":[{"alias":"al2023@latest"}],"subnetSelectorTerms":[{"id":"subnet-1"}],"securityGroupSelectorTerms":[{"id":"sg-1"}]}`,
		`{"instanceProfile":"p","amiFamily":"AL2","amiSelectorTerms":[{"id":"ami-1"},{"name":"n","owner":"self"}],"subnetSelectorTerms":[{"tags":{"a":"b"}}],"securityGroupSelectorTerms":[{"name":"n"}]}`,
		`{"role":"r","tags":{"a":"b"},"amiSelectorTerms":[{"alias":"bottlerocket@latest"}],"subnetSelectorTerms":[{"id":"subnet-1"}],"securityGroupSelectorTerms":[{"tags":{"a":"b"}}],"blockDeviceMappings":[{"deviceName":"/dev/xvda","rootVolume":true,"ebs":{"volumeSize":"20Gi","volumeType":"gp3","iops":3000,"throughput":125,"encrypted":true}}]}`,
		`{"role":"r","metadataOptions":{"httpEndpoint":"enabled","httpProtocolIPv6":"disabled","httpPutResponseHopLimit":2,"httpTokens":"required"},"connectionTracking":{"udpTimeout":30},"amiSelectorTerms":[{"alias":"al2023@latest"}],"subnetSelectorTerms":[{"id":"subnet-1"}],"securityGroupSelectorTerms":[{"id":"sg-1"}]}`,
		`{"role":"r","kubelet":{"maxPods":110,"kubeReserved":{"cpu":"100m"},"evictionSoft":{"memory.available":"5%"},"evictionSoftGracePeriod":{"memory.available":"1m"}},"amiSelectorTerms":[{"alias":"al2023@latest"}],"subnetSelectorTerms":[{"id":"subnet-1"}],"securityGroupSelectorTerms":[{"id":"sg-1"}]}`,
		`{"role":"r","networkInterfaces":[{"networkCardIndex":0,"deviceIndex":0,"interfaceType":"interface"},{"networkCardIndex":1,"deviceIndex":1,"interfaceType":"efa-only"}],"amiSelectorTerms":[{"alias":"al2@latest"}],"subnetSelectorTerms":[{"id":"subnet-1"}],"securityGroupSelectorTerms":[{"id":"sg-1"}]}`,
		`{"role":"r","capacityReservationSelectorTerms":[{"id":"cr-1"}],"placementGroupSelector":{"name":"n"},"amiSelectorTerms":[{"alias":"al2023@latest"}],"subnetSelectorTerms":[{"id":"subnet-1"}],"securityGroupSelectorTerms":[{"id":"sg-1"}]}`,
		`{"role":"r","userData":"x","context":"c","detailedMonitoring":true,"associatePublicIPAddress":false,"ipPrefixCount":1,"instanceStorePolicy":"RAID0","enclaveOptions":{"enabled":true},"cpuOptions":{"nestedVirtualization":"enabled"},"amiSelectorTerms":[{"alias":"windows2022@latest"}],"subnetSelectorTerms":[{"id":"subnet-1"}],"securityGroupSelectorTerms":[{"id":"sg-1"}]}`,
	},
}

// samples are values that stand for a missing field, by the end of its path.
var samples = map[string]string{
	"requirements[]": `{"key":"a","operator":"Exists"}`, "taints[]": `{"key":"c","effect":"NoSchedule"}`, "startupTaints[]": `{"key":"d","effect":"NoSchedule"}`,
	"budgets[]": `{"nodes":"1"}`, "amiSelectorTerms[]": `{"id":"ami-2"}`, "subnetSelectorTerms[]": `{"id":"subnet-2"}`, "securityGroupSelectorTerms[]": `{"id":"sg-2"}`,
	"capacityReservationSelectorTerms[]": `{"id":"cr-2"}`, "blockDeviceMappings[]": `{"ebs":{"volumeSize":"1Gi"}}`, "networkInterfaces[]": `{"networkCardIndex":0,"deviceIndex":0,"interfaceType":"interface"}`,
	"nodeClassRef": `{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"d"}`, "podTemplateRef": `{"name":"p"}`, "scalableRef": `{"kind":"Deployment","name":"d"}`,
	"ebs": `{"volumeSize":"1Gi"}`, "placementGroupSelector": `{"name":"n"}`, "connectionTracking": `{"udpTimeout":30}`, "kubelet": `{"maxPods":10}`,
	"expireAfter": `"24h"`, "consolidateAfter": `"5m"`, "terminationGracePeriod": `"2h"`, "duration": `"1h"`, "schedule": `"@daily"`, "nodes": `"10%"`, "timeAdded": `"2024-01-01T00:00:00Z"`,
	"price": `"1.5"`, "priceAdjustment": `"+5%"`, "volumeSize": `"20Gi"`, "alias": `"al2023@latest"`, "amiSelectorTerms[].id": `"ami-3"`, "subnetSelectorTerms[].id": `"subnet-3"`,
	"securityGroupSelectorTerms[].id": `"sg-3"`, "capacityReservationSelectorTerms[].id": `"cr-3"`, "placementGroupSelector.id": `"pg-1"`, "ownerID": `"123456789012"`, "requirements[].key": `"team"`,
}

func newBase(kind string, spec string, apiVersion string) map[string]any {
	metadata := map[string]any{"name": "a"}
	if kind == "CapacityBuffer" {
		metadata["namespace"] = "n"
	}
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": parse(spec)}
}
