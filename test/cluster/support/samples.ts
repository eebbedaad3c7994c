/** The smallest object of each kind that the API server accepts; every field that is set in a test matters to that test. */
import type { Sample } from './resources.ts';

type Fields = Readonly<Record<string, unknown>>;

const NODE_CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

const LINUX = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };

export function aNodePool(spec: Fields = {}, template: Fields = {}): Sample {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: { template: aTemplate(template), ...spec },
  };
}

/** The template of a NodePool; the fields are those of its `spec`. */
export function aTemplate(spec: Fields = {}, metadata?: Fields): Fields {
  return {
    ...(metadata === undefined ? {} : { metadata }),
    spec: { nodeClassRef: NODE_CLASS, requirements: [LINUX], ...spec },
  };
}

export function aNodeClaim(spec: Fields = {}): Sample {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'general-x7k2p' },
    spec: { nodeClassRef: NODE_CLASS, requirements: [LINUX], ...spec },
  };
}

export function aNodeClass(spec: Fields = {}): Sample {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      role: 'KarpenterNodeRole-demo',
      ...spec,
    },
  };
}

export function aNodeOverlay(spec: Fields = {}): Sample {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'savings-plan' },
    spec: { requirements: [LINUX], ...spec },
  };
}

export function aCapacityBuffer(spec: Fields = { podTemplateRef: { name: 'room' }, replicas: 2 }): Sample {
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name: 'room' },
    spec,
  };
}

export const SAMPLES: readonly Sample[] = [aNodePool(), aNodeClaim(), aNodeOverlay(), aNodeClass(), aCapacityBuffer()];
