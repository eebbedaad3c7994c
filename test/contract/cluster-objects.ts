import type { CapacityBuffer } from '../../lib/apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import type {
  DaemonSet,
  Deployment,
  NamedPodTemplate,
  Node,
  Pod,
  PodDisruptionBudget,
} from '../../lib/apis/kubernetes.ts';
import type { NodeClaim } from '../../lib/apis/node-claim.ts';
import type { NodeOverlay } from '../../lib/apis/node-overlay.ts';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import type { PersistentVolumeClaim, VolumeAttachment } from '../../lib/apis/storage.ts';
import { METADATA_DEFAULTS } from '../../lib/core/node-class/plain-node-class.ts';

/** The objects of the contract tests of a cluster. */
export type WorldObject =
  | { readonly kind: 'Pod'; readonly object: Pod }
  | { readonly kind: 'Node'; readonly object: Node }
  | { readonly kind: 'NodePool'; readonly object: NodePool }
  | { readonly kind: 'EC2NodeClass'; readonly object: EC2NodeClass }
  | { readonly kind: 'DaemonSet'; readonly object: DaemonSet }
  | { readonly kind: 'PodDisruptionBudget'; readonly object: PodDisruptionBudget }
  | { readonly kind: 'NodeOverlay'; readonly object: NodeOverlay }
  | { readonly kind: 'CapacityBuffer'; readonly object: CapacityBuffer }
  | { readonly kind: 'PodTemplate'; readonly object: NamedPodTemplate }
  | { readonly kind: 'Deployment'; readonly object: Deployment }
  | { readonly kind: 'PersistentVolumeClaim'; readonly object: PersistentVolumeClaim }
  | { readonly kind: 'VolumeAttachment'; readonly object: VolumeAttachment };

export function aPod(name: string, over: Partial<Pod['spec']> = {}): Pod {
  return {
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }], ...over },
    status: { phase: over.nodeName === undefined ? 'Pending' : 'Running' },
  };
}

export const A_NODE = {
  kind: 'Node',
  object: {
    metadata: { name: 'node-1', labels: { zone: 'a' } },
    spec: { providerID: 'aws:///us-east-1a/i-1', taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] },
    status: { allocatable: { cpu: '2' }, conditions: [{ type: 'Ready', status: 'True' }] },
  },
} as const satisfies WorldObject;

const NODE_CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } as const;

export const OWNER = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  name: 'general-a',
  uid: '6f1e1f0e-0000-4000-8000-000000000000',
  blockOwnerDeletion: true,
} as const;

export const A_NODE_POOL = {
  kind: 'NodePool',
  object: {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: {
      template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [], expireAfter: '720h' } },
      disruption: {
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '10%' }],
      },
      limits: { cpu: '100' },
    },
  },
} as const satisfies WorldObject;

export const A_NODE_CLASS = {
  kind: 'EC2NodeClass',
  object: {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      metadataOptions: METADATA_DEFAULTS,
      role: 'node',
    },
  },
} as const satisfies WorldObject;

export const A_KEPT_CLASS = {
  name: 'default',
  annotations: { team: 'a' },
  finalizers: ['example.com/theirs'],
} as const;

export const A_STATUS = {
  subnets: [{ id: 'subnet-1', zone: 'us-east-1a', zoneID: 'use1-az1' }],
  securityGroups: [{ id: 'sg-1', name: 'nodes' }],
  instanceProfile: 'node',
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-31T08:00:00Z',
      observedGeneration: 1,
    },
  ],
} as const satisfies EC2NodeClass['status'];

export const A_DAEMON_SET = {
  kind: 'DaemonSet',
  object: {
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'agent', resources: { requests: { cpu: '50m' } } }] },
      },
    },
  },
} as const satisfies WorldObject;

export const A_BUDGET = {
  kind: 'PodDisruptionBudget',
  object: {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
    status: { disruptionsAllowed: 0 },
  },
} as const satisfies WorldObject;

export const AN_OVERLAY = {
  kind: 'NodeOverlay',
  object: {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'licences' },
    spec: { weight: 10, requirements: [{ key: 'kubernetes.io/arch', operator: 'Exists' }], priceAdjustment: '-10%' },
  },
} as const satisfies WorldObject;

export const A_BUFFER = {
  kind: 'CapacityBuffer',
  object: {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name: 'spare', namespace: 'default' },
    spec: {
      provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
      podTemplateRef: { name: 'small' },
      replicas: 2,
    },
  },
} as const satisfies WorldObject;

const A_TEMPLATE = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
} as const;

export const A_POD_TEMPLATE = {
  kind: 'PodTemplate',
  object: { metadata: { name: 'small', namespace: 'default' }, template: A_TEMPLATE },
} as const satisfies WorldObject;

export const A_DEPLOYMENT = {
  kind: 'Deployment',
  object: {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: A_TEMPLATE },
  },
} as const satisfies WorldObject;

export const A_VOLUME_CLAIM = {
  kind: 'PersistentVolumeClaim',
  object: { metadata: { name: 'data', namespace: 'default' }, spec: { volumeName: 'pv-default-data' } },
} as const satisfies WorldObject;

export const AN_ATTACHMENT = {
  kind: 'VolumeAttachment',
  object: {
    metadata: { name: 'csi-1' },
    spec: { nodeName: 'node-1', source: { persistentVolumeName: 'pv-default-data' } },
  },
} as const satisfies WorldObject;

export const A_NODE_CLAIM: NodeClaim = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    name: 'general-a',
    labels: { 'karpenter.sh/nodepool': 'general' },
    finalizers: ['karpenter.sh/termination'],
  },
  spec: {
    nodeClassRef: NODE_CLASS_REF,
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    resources: { requests: { cpu: '500m' } },
    expireAfter: '720h',
  },
};
