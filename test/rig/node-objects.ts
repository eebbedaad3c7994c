/** The Node object that a kubelet writes. */

export interface FakeNode {
  readonly name: string;
  /** For EC2: `aws:///ZONE/INSTANCE`. @default none, as on a machine outside a cloud */
  readonly providerId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Those of user data: `--register-with-taints`. @default none */
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** @default 4 CPUs, 16 GiB, 58 pods */
  readonly capacity?: Readonly<Record<string, string>>;
}

const CAPACITY = { cpu: '4', memory: '16Gi', 'ephemeral-storage': '20Gi', pods: '58' };

export function nodeManifest({ name, providerId, labels = {}, taints = [], capacity = CAPACITY }: FakeNode): unknown {
  const nodeInfo = {
    machineID: name,
    systemUUID: name,
    bootID: name,
    kernelVersion: '6.1.0-fake',
    osImage: 'Amazon Linux 2023',
    containerRuntimeVersion: 'containerd://2.1.0',
    kubeletVersion: 'v1.35.4',
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: labels['kubernetes.io/arch'] ?? 'amd64',
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...labels,
      },
    },
    spec: { ...(providerId !== undefined && { providerID: providerId }), taints },
    status: {
      capacity,
      allocatable: capacity,
      conditions: [readiness(false, new Date())],
      addresses: [{ type: 'Hostname', address: name }],
      nodeInfo,
    },
  };
}

export function readiness(ready: boolean, now: Date): unknown {
  return {
    type: 'Ready',
    status: ready ? 'True' : 'False',
    reason: ready ? 'KubeletReady' : 'KubeletNotReady',
    message: ready ? 'kubelet is posting ready status' : 'container runtime network not ready',
    lastHeartbeatTime: now.toISOString(),
    lastTransitionTime: now.toISOString(),
  };
}

export function leaseOf(name: string, now: Date): unknown {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: 15,
      // A MicroTime has six digits after the decimal point.
      renewTime: now.toISOString().replace('Z', '000Z'),
    },
  };
}
