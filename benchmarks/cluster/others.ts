/** The other objects of a cluster, as many as 1,000 nodes and their workloads have. */
import type { StoredObject } from './etcd.ts';
import { appOf, deploymentOf, hasClaim, namespaceName, namespaceNames, uidOf } from './pods.ts';

type Fields = Readonly<Record<string, unknown>>;

const CREATED = '2026-11-19T08:00:00Z';
const DAEMON_SETS = ['aws-node', 'kube-proxy', 'ebs-csi-node', 'node-exporter', 'fluent-bit', 'otel-agent'];
const ZONES = ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'];

export function nodeName(index: number): string {
  return `ip-10-0-${Math.floor(index / 250)}-${index % 250}.eu-central-1.compute.internal`;
}

export interface ClusterSize {
  readonly pods: number;
  readonly nodes: number;
}

/** All objects except the pods. */
export function otherObjects({ pods, nodes }: ClusterSize): readonly StoredObject[] {
  const eachNode = Array.from({ length: nodes }, (_, index) => index);
  const deployments = Array.from({ length: deploymentOf(pods - 1) + 1 }, (_, index) => index);
  const claims = Array.from({ length: pods }, (_, index) => index).filter(hasClaim);
  return [
    ...namespaceNames().map(aNamespace),
    ...eachNode.flatMap((index) => [aNode(index), aCsiNode(index), aNodeClaim(index)]),
    ...DAEMON_SETS.map(aDaemonSet),
    ...deployments.map(aPodDisruptionBudget),
    aStorageClass(),
    ...claims.flatMap((index) => [aClaim(index), aVolume(index)]),
    ...['general', 'spot', 'gpu'].map(aNodePool),
    aNodeClass(),
  ];
}

function stored(key: string, object: Fields): StoredObject {
  return { key, object };
}

function metadata(name: string, index: number, rest: Fields = {}): Fields {
  return { name, uid: uidOf(index), creationTimestamp: CREATED, ...rest };
}

function aNamespace(name: string, index: number): StoredObject {
  const labels = { 'kubernetes.io/metadata.name': name };
  return stored(`namespaces/${name}`, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: metadata(name, 2_000_000 + index, { labels }),
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}

function aNode(index: number): StoredObject {
  const name = nodeName(index);
  const amounts = { cpu: '16', memory: '64936412Ki', pods: '234', 'ephemeral-storage': '104779756Ki' };
  const condition = (type: string, status: string): Fields => ({
    type,
    status,
    reason: `Kubelet${type}`,
    message: `kubelet says ${type}`,
    lastHeartbeatTime: '2026-11-20T09:00:00Z',
    lastTransitionTime: CREATED,
  });
  return stored(`minions/${name}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: metadata(name, 3_000_000 + index, {
      labels: nodeLabels(index),
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'karpenter.sh/nodepool-hash': '12345' },
      finalizers: ['karpenter.sh/termination'],
    }),
    spec: { providerID: providerId(index) },
    status: {
      capacity: amounts,
      allocatable: { ...amounts, cpu: '15890m', memory: '61203884Ki' },
      conditions: [
        condition('MemoryPressure', 'False'),
        condition('DiskPressure', 'False'),
        condition('PIDPressure', 'False'),
        condition('Ready', 'True'),
      ],
      images: Array.from({ length: 30 }, (_, at) => ({
        names: [`123456789012.dkr.ecr.eu-central-1.amazonaws.com/${appOf(at)}/main:1.${at}.0`],
        sizeBytes: 100_000_000 + at,
      })),
      nodeInfo: nodeInfo(),
    },
  });
}

function nodeInfo(): Fields {
  return {
    architecture: 'arm64',
    bootID: 'boot',
    containerRuntimeVersion: 'containerd://2.1.0',
    kernelVersion: '6.12.0',
    kubeProxyVersion: '',
    kubeletVersion: 'v1.35.4-eks',
    machineID: 'machine',
    operatingSystem: 'linux',
    osImage: 'Amazon Linux 2023',
    systemUUID: 'system',
  };
}

function nodeLabels(index: number): Fields {
  return {
    'kubernetes.io/hostname': nodeName(index),
    'kubernetes.io/arch': 'arm64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'm7g.4xlarge',
    'topology.kubernetes.io/region': 'eu-central-1',
    'topology.kubernetes.io/zone': ZONES[index % ZONES.length],
    'karpenter.sh/nodepool': 'general',
    'karpenter.sh/capacity-type': 'spot',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'karpenter.k8s.aws/instance-family': 'm7g',
    'karpenter.k8s.aws/instance-size': '4xlarge',
    'karpenter.k8s.aws/instance-cpu': '16',
  };
}

function providerId(index: number): string {
  return `aws:///${ZONES[index % ZONES.length]}/i-${index.toString(16).padStart(17, '0')}`;
}

function aCsiNode(index: number): StoredObject {
  const drivers = [{ name: 'ebs.csi.aws.com', nodeID: `i-${index}`, topologyKeys: [], allocatable: { count: 26 } }];
  return stored(`csinodes/${nodeName(index)}`, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: metadata(nodeName(index), 4_000_000 + index),
    spec: { drivers },
  });
}

function aNodeClaim(index: number): StoredObject {
  const name = `general-${index.toString(36).padStart(5, '0')}`;
  return stored(`karpenter.sh/nodeclaims/${name}`, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: metadata(name, 5_000_000 + index, { generation: 1, labels: { 'karpenter.sh/nodepool': 'general' } }),
    spec: { nodeClassRef: NODE_CLASS, requirements: [], expireAfter: '720h' },
    status: { providerID: providerId(index), nodeName: nodeName(index) },
  });
}

function aDaemonSet(name: string, index: number): StoredObject {
  const labels = { app: name };
  const container = { name, image: name, resources: { requests: { cpu: '50m', memory: '64Mi' } } };
  return stored(`daemonsets/kube-system/${name}`, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metadata(name, 6_000_000 + index, { namespace: 'kube-system', generation: 1 }),
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [container], tolerations: [{ operator: 'Exists' }], hostNetwork: true },
      },
    },
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  });
}

function aPodDisruptionBudget(deployment: number): StoredObject {
  const namespace = namespaceName(deployment);
  const name = appOf(deployment);
  return stored(`poddisruptionbudgets/${namespace}/${name}`, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(name, 7_000_000 + deployment, { namespace, generation: 1 }),
    spec: { maxUnavailable: '10%', selector: { matchLabels: { app: name } } },
    status: { disruptionsAllowed: 10, currentHealthy: 100, desiredHealthy: 90, expectedPods: 100 },
  });
}

function aStorageClass(): StoredObject {
  return stored('storageclasses/gp3', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: metadata('gp3', 8_000_000),
    provisioner: 'ebs.csi.aws.com',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
}

function aClaim(index: number): StoredObject {
  const namespace = namespaceName(deploymentOf(index));
  const name = `data-${index}`;
  return stored(`persistentvolumeclaims/${namespace}/${name}`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata(name, 9_000_000 + index, { namespace }),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '20Gi' } },
      storageClassName: 'gp3',
      volumeName: `pvc-${uidOf(9_000_000 + index)}`,
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '20Gi' } },
  });
}

function aVolume(index: number): StoredObject {
  const name = `pvc-${uidOf(9_000_000 + index)}`;
  const inZone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: [ZONES[index % ZONES.length]] };
  return stored(`persistentvolumes/${name}`, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: metadata(name, 10_000_000 + index),
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '20Gi' },
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${index}`, fsType: 'ext4' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [inZone] }] } },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'gp3',
    },
    status: { phase: 'Bound' },
  });
}

const NODE_CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

function aNodePool(name: string, index: number): StoredObject {
  const requirements = [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }];
  return stored(`karpenter.sh/nodepools/${name}`, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: metadata(name, 11_000_000 + index, { generation: 1 }),
    spec: { template: { spec: { nodeClassRef: NODE_CLASS, requirements, expireAfter: '720h' } } },
  });
}

/** Not ready: for a ready class, Kerf would call AWS, which does not exist here. */
function aNodeClass(): StoredObject {
  const selector = [{ tags: { 'karpenter.sh/discovery': 'bench' } }];
  return stored('karpenter.k8s.aws/ec2nodeclasses/default', {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: metadata('default', 12_000_000, { generation: 1 }),
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: selector,
      securityGroupSelectorTerms: selector,
      role: 'node',
    },
  });
}
