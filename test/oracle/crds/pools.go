package main

import "strings"

var (
	name63, name64 = strings.Repeat("x", 63), strings.Repeat("y", 64)

	durations = []any{"1h30m", "1.5h", "-1h", "Never", "168h0m0s", "720h", "0s", "30s", "15m", "", "1d", "1h30", "never", "99999999h", "2562047h", "1H", "10m5h", " 1h", "1h\n", "60m0s"}

	quantities = []any{"1e3", "1Ei", ".5", "+2", "2k", "1ki", "1Ki", "100", "1.", "1e3.5", "-1", "", "1m", "1 ", "1E", "1e", "1K", "0", "9999999999999999999999", "1n", "1u", "0x1", "1e-3", "1Gi ", 5, 0, -3, 1.5, true, "1000m", "64Gi"}

	percentages = []any{"100%", "101%", "007%", "07%", "0%", "10%", "0", "5", "1000000", "%", "-1", "-1%", "1.5%", "10 %", "", 10, "１０%", "10%\n"}

	crons = []any{"@daily", "@hourly", "@every 1h", "@nope", "0 9 * * 1-5", "* * * * *", "a b c d e", "* * * *", "0 9 * * 1-5 x", "TZ=UTC 0 9 * * *", "", " * * * * *", "0\t9 * * mon", "61 25 * * *", "0\u00a09\u00a0*\u00a0*\u00a0*", "@Daily", "@yearly", "@midnight x"}

	labelKeys = []any{"a", "team", "example.com/team", "karpenter.sh/x", "sub.karpenter.sh/x", "notkarpenter.sh/x", "karpenter.sh/capacity-type", "karpenter.sh/nodepool", "karpenter.sh/initialized", "karpenter.sh", "karpenter.k8s.aws",
		"karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws/instance-family", "karpenter.k8s.aws/instance-category", "karpenter.k8s.aws/nope", "sub.karpenter.k8s.aws/x", "karpenter.k8s.aws/ec2nodeclass", "karpenter.k8s.aws/instance-tenancy", "karpenter.k8s.aws/capacity-reservation-id", "karpenter.k8s.aws/capacity-reservation-interruptible", "karpenter.k8s.aws/placement-group-id", "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz", "karpenter.k8s.aws/Instance-CPU",
		"kubernetes.io/hostname", "kubernetes.io/foo", "kubernetes.io/arch", "kubernetes.io/os", "node.kubernetes.io/x", "node.kubernetes.io/instance-type", "node-restriction.kubernetes.io/x", "topology.kubernetes.io/zone", "topology.k8s.aws/zone-id", "beta.kubernetes.io/arch", "failure-domain.beta.kubernetes.io/zone", "k8s.io/x", "eks.amazonaws.com/x",
		name63, name64, "example.com/" + name63, "example.com/" + name64, "Example.com/x", "a//b", "a/b/c", "ünicode", "", "/a", "a/", "-a", "a-", "a_b.c", "example..com/x", "-example.com/x", "a b", strings.Repeat("a.", 126) + "a/x", strings.Repeat("a.", 127) + "a/x"}

	labelValues = []any{"x", "on-demand", "spot", "reserved", "dedicated", "default", "host", "amd64", "arm64", "5", "", name63, name64, "a b", "-a", "a-", "a/b", "ünicode", "A_b.C", "true", 5, true}

	integerValues = []any{"0", "5", "007", "+5", "-1", "-0", "", "1e3", "12345678901234567890", "9223372036854775807", "9223372036854775808", "1.5", " 5", "0x10", "a"}

	effects = []any{"NoSchedule", "PreferNoSchedule", "NoExecute", "noschedule", "", "Nope"}

	taintValues = []any{"x", "a/b", "", "a b", name63, name64, "Example.com/x", "-", "true", "a/b/c"}

	taintKeys = []any{"a", "b", "example.com/a", "example.com/" + name63, name64, "A.com/a", "", "a/b/c", "karpenter.sh/x", "node.kubernetes.io/x", "ü", "a_b", "-a"}

	timestamps = []any{"2024-01-01T00:00:00Z", "2024-01-01T00:00:00.123Z", "2024-01-01T00:00:00+01:00", "2024-01-01", "2024-01-01 00:00:00Z", "2024-13-01T00:00:00Z", "nope", "", "2024-02-30T00:00:00Z", "2024-01-01T00:00:00"}

	aliases = []any{"al2023@latest", "al2023@v20240807", "al2@latest", "bottlerocket@latest", "bottlerocket@v1.20.3", "windows2019@latest", "windows2022@latest", "windows2025@latest", "al2023", "AL2023@latest", "windows2022@v1", "al2@", "bottlerocket@v1.2@3", "@latest", "ubuntu@latest", "al-2023@latest", "windows2022@latest@x", "al2023@ ", "al2023@a\nb", "", "al2023@" + strings.Repeat("v", 23), "al2023@" + strings.Repeat("v", 24), "custom@latest"}

	volumeSizes = []any{"20Gi", "1Gi", "59000Gi", "59001Gi", "64Ti", "58Ti", "59Ti", "0Gi", "Ti", "T", "Gi", "64T", "65T", "64000G", "64001G", "100", "1.5Gi", "20Mi", "100G", "05Gi", "9Ti", "10T", "+1Gi", 100, ""}

	priceAdjustments = []any{"+10%", "-10%", "-100%", "-101%", "10%", "+.5", "-.5", "1.", "-", "+", "+5", "-5.25", "+1.", "-.5%", "+.5%", "-99.99%", "+1000%", "-100.0%", "+0", "", "+1,5", "--5", "+5 %", 5, "-5%\n", "+1.2.3"}

	prices = []any{"0", "1", "0.05", ".5", "1.", "-1", "", "1e3", "007", "1.5.2", "1 ", 1, 0.5, "１", "+1"}

	capacityNames = []any{"smarter-devices/fuse", "example.com/gpu", "nvidia.com/gpu", "amd.com/gpu", "cpu", "memory", "pods", "ephemeral-storage", "vpc.amazonaws.com/pod-eni", "vpc.amazonaws.com/efa", "vpc.amazonaws.com/PrivateIPv4Address", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "habana.ai/gaudi", "hugepages-2Mi", "CPU", "", "a b"}

	limitNames = []any{"cpu", "memory", "nodes", "pods", "nvidia.com/gpu", "Foo bar!", ""}

	objectNames = []any{"a", "a.b", "A", "a_b", "-a", "a-", "", "a..b", strings.Repeat("a", 253), strings.Repeat("a", 254), "ü", "a/b", "0", 5}

	tagKeys = []any{"Name", "a", "", "kubernetes.io/cluster/x", "kubernetes.io/cluster", "kubernetes.io/clusters", "kubernetes.io/x", "eks:eks-cluster-name", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.sh/other", "karpenter.k8s.aws/ec2nodeclass", "aws:x", "ü"}

	tagValues = []any{"x", "", "*", " ", name64, 5}

	identifiers = []any{"ami-1", "ami-", "AMI-1", "xami-1", "subnet-1", "subnet-A", "sg-1", "sg-", "cr-1", "cr-", "xcr-1", "pg-1", "pg-1\n", "", "ami-1!!", "pg-A"}

	genericStrings = []any{"", "x", " ", "a b", "ü", "a\nb", name64, "/", "a/b", "enabled", "Enabled", "0", "true"}

	genericNumbers = []any{0, 1, -1, 1.5, 2147483647, 2147483648, 1e19, -2147483649}

	wrongTypes = []any{"x", 5, true, []any{}, map[string]any{}, []any{"x"}, map[string]any{"x": "y"}, 1.5, []any{nil}, []any{map[string]any{}}}
)

// fieldPools has the strings to try in a field, by the end of its path.
var fieldPools = map[string][]any{
	"expireAfter": durations, "consolidateAfter": durations, "terminationGracePeriod": durations, "duration": durations,
	"limits{}": quantities, "requests{}": quantities, "capacity{}": quantities, "nodes": percentages, "schedule": crons,
	"labels{}": labelValues, "annotations{}": labelValues, "requirements[].key": labelKeys, "values[]": labelValues,
	"taints[].key": taintKeys, "startupTaints[].key": taintKeys, "taints[].value": taintValues, "startupTaints[].value": taintValues,
	"effect": effects, "timeAdded": timestamps, "alias": aliases, "volumeSize": volumeSizes, "price": prices, "priceAdjustment": priceAdjustments,
	"tags{}": tagValues, "amiSelectorTerms[].id": identifiers, "subnetSelectorTerms[].id": identifiers, "securityGroupSelectorTerms[].id": identifiers,
	"capacityReservationSelectorTerms[].id": identifiers, "placementGroupSelector.id": identifiers,
	"ownerID":            {"123456789012", "12345678901", "1234567890123", "12345678901a", ""},
	"nodeClassRef.group": {"karpenter.k8s.aws", "", "a/b", "x", "/"},
	"nodeClassRef.kind":  {"EC2NodeClass", "", "Other"},
	"apiGroup":           {"apps", "", "x"},
}
