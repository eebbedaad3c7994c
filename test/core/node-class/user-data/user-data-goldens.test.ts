import { describe, expect, test } from 'vitest';
import { A_NODE, type Node, type Spec, textOf } from './user-data-readers.ts';

/**
 * What an instance of each family is started with, byte for byte, in `test/fixtures/user-data`. After a change that is meant:
 * `npx vitest run test/core/node-class/user-data/user-data-goldens.test.ts --update`, and read the difference.
 */

const FIXTURES = '../../../fixtures/user-data';

const NODE: Node = {
  ...A_NODE,
  bootstrap: {
    clusterName: 'demo',
    endpoint: 'https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com',
    certificateAuthority: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkRFTU8KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=',
    serviceCidr: '172.20.0.0/16',
  },
};

const LABELS = {
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'karpenter.k8s.aws/instance-cpu': '8',
  'karpenter.k8s.aws/instance-family': 'm7i',
  'karpenter.sh/capacity-type': 'spot',
  'karpenter.sh/nodepool': 'general',
  'kubernetes.io/arch': 'amd64',
  'node.kubernetes.io/instance-type': 'm7i.2xlarge',
  'team.example.com/cost-centre': '4711',
  'topology.kubernetes.io/zone': 'eu-central-1a',
};

const TAINTS = [
  { key: 'team', value: 'web', effect: 'NoSchedule' },
  { key: 'team', value: 'web', effect: 'NoExecute' },
  { key: 'example.com/starting', effect: 'NoSchedule' },
] as const;

const KUBELET = {
  clusterDNS: ['169.254.20.10'],
  maxPods: 58,
  systemReserved: { cpu: '100m', memory: '100Mi' },
  kubeReserved: { cpu: 'vcpus * 10', memory: '893Mi', 'ephemeral-storage': '1Gi' },
  evictionHard: { 'memory.available': '5%', 'nodefs.available': '10%' },
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '1m30s' },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: true,
};

/** Everything that a node can be told at once. */
const ALL: Node = { ...NODE, labels: LABELS, taints: TAINTS, kubelet: { maxPods: 29, kubeReserved: { cpu: '80m' } } };

const SCRIPT =
  '#!/bin/bash\nset -euo pipefail\necho "vm.max_map_count=262144" > /etc/sysctl.d/99-search.conf\nsysctl --system\n';

const NODE_CONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      shutdownGracePeriod: 30s
`;

const MESSAGE = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/cloud-config; charset="us-ascii"

packages:
  - jq

--//
Content-Type: application/node.eks.aws

${NODE_CONFIG}
--//--
`;

const TOML = `# Ours.
[settings.kernel.sysctl]
"vm.max_map_count" = "262144"

[settings.kubernetes]
max-pods = 20
log-level = 3

[settings.kubernetes.node-labels]
"team.example.com/cost-centre" = "0"
"team.example.com/rack" = "7"

[settings.bootstrap-containers.setup]
source = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/setup:1.0"
mode = "once"
`;

const POWERSHELL = `<powershell>
Install-WindowsFeature -Name SNMP-Service
Write-Host 'ready'
</powershell>
<persist>true</persist>
`;

const EVERY: Spec = { kubelet: KUBELET, instanceStorePolicy: 'RAID0' };

const CASES: Readonly<Record<string, readonly [Spec, Node]>> = {
  'al2023.txt': [{ amiFamily: 'AL2023' }, NODE],
  'al2023-script.txt': [{ amiFamily: 'AL2023', userData: SCRIPT }, NODE],
  'al2023-script-umlauts.txt': [{ amiFamily: 'AL2023', userData: `${SCRIPT}echo "schön & gut = fertig"\n` }, NODE],
  'al2023-node-config.txt': [{ amiFamily: 'AL2023', userData: NODE_CONFIG }, NODE],
  'al2023-message-everything.txt': [{ amiFamily: 'AL2023', userData: MESSAGE, ...EVERY }, ALL],
  'al2.txt': [{ amiFamily: 'AL2' }, NODE],
  'al2-script.txt': [{ amiFamily: 'AL2', userData: SCRIPT }, NODE],
  'al2-everything.txt': [
    { amiFamily: 'AL2', userData: SCRIPT, ...EVERY, kubelet: { ...KUBELET, podsPerCore: 8 } },
    ALL,
  ],
  'al2-ipv6.txt': [
    { amiFamily: 'AL2' },
    { ...NODE, bootstrap: { ...NODE.bootstrap, serviceCidr: 'fd30:1c53:5f8a::/108' } },
  ],
  'bottlerocket.toml': [{ amiFamily: 'Bottlerocket' }, NODE],
  'bottlerocket-settings.toml': [{ amiFamily: 'Bottlerocket', userData: TOML }, NODE],
  'bottlerocket-everything.toml': [{ amiFamily: 'Bottlerocket', userData: TOML, ...EVERY }, ALL],
  'windows2019.txt': [{ amiFamily: 'Windows2019' }, NODE],
  'windows2022-script.txt': [{ amiFamily: 'Windows2022', userData: "Write-Host 'ready'\n" }, NODE],
  'windows2025-everything.txt': [
    { amiFamily: 'Windows2025', userData: POWERSHELL, ...EVERY, kubelet: { ...KUBELET, podsPerCore: 8 } },
    ALL,
  ],
  'custom.txt': [{ amiFamily: 'Custom' }, NODE],
  'custom-everything.txt': [{ amiFamily: 'Custom', userData: SCRIPT, ...EVERY }, ALL],
};

describe('user data, byte for byte', () => {
  test.each(Object.entries(CASES))('C69 to C73: %s', async (file, [spec, node]) => {
    await expect(textOf(spec, node)).toMatchFileSnapshot(`${FIXTURES}/${file}`);
  });

  test('the same input gives the same bytes, in whatever order labels were given', () => {
    const labels = Object.fromEntries(Object.entries(LABELS).toReversed());
    for (const [spec] of Object.values(CASES)) expect(textOf(spec, { ...ALL, labels })).toBe(textOf(spec, ALL));
  });
});
