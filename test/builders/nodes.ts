import type {
  DaemonSet,
  Labels,
  Node,
  PodDisruptionBudget,
  PodSpec,
  ResourceList,
  Taint,
} from '../../lib/apis/kubernetes.ts';

export interface NodeOptions {
  readonly name?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly zone?: string;
  readonly providerId?: string;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly allocatable?: ResourceList;
  /** @default not reported */
  readonly capacity?: ResourceList;
  readonly ready?: boolean;
  readonly finalizers?: readonly string[];
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
}

/** The taint and the label of a node that is being drained (D19). */
export const CORDONED = {
  taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }],
  labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' },
} as const satisfies NodeOptions;

/** A ready node in eu-west-3a with 2 CPUs that Kerf did not create. */
export function aNode(options: NodeOptions = {}): Node {
  const { name = 'node-1', zone = 'eu-west-3a', allocatable = { cpu: '2', memory: '8Gi', pods: '29' } } = options;
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'topology.kubernetes.io/zone': zone,
        ...options.labels,
      },
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
      ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
      ...(options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion }),
      ...(options.creationTimestamp === undefined ? {} : { creationTimestamp: options.creationTimestamp }),
      ...(options.deletionTimestamp === undefined ? {} : { deletionTimestamp: options.deletionTimestamp }),
    },
    spec: {
      ...(options.providerId === undefined ? {} : { providerID: options.providerId }),
      ...(options.taints === undefined ? {} : { taints: options.taints }),
      ...(options.unschedulable === undefined ? {} : { unschedulable: options.unschedulable }),
    },
    status: {
      ...(options.capacity === undefined ? {} : { capacity: options.capacity }),
      allocatable,
      conditions: [{ type: 'Ready', status: options.ready === false ? 'False' : 'True' }],
    },
  };
}

/** A DaemonSet whose pod requests 100m cpu and has no tolerations. */
export function aDaemonSet(name: string, spec: Partial<PodSpec> = {}): DaemonSet {
  return {
    metadata: { name, namespace: 'kube-system', uid: `uid-${name}` },
    spec: {
      selector: { matchLabels: { daemon: name } },
      template: {
        metadata: { labels: { daemon: name } },
        spec: { containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }], ...spec },
      },
    },
  };
}

/** A PodDisruptionBudget of the pods labelled `app: web` that allows no disruption. */
export function aBudget(over: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget {
  return {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: 0 },
    ...over,
  };
}
