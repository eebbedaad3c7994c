import type { Instance, LaunchRequest, NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { FoundInstance } from '../../lib/core/node-claim/adoption/claim-object.ts';
import { aTemplate } from './launch-templates.ts';
import { HOUR, NOW_MS } from './times.ts';

const GIB = 2 ** 30;

/** A claim of the pool `general` that has just been planned as an on-demand m5.large in eu-west-3a. */
export function aClaim(over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  const nodePool = over.nodePool ?? 'general';
  return {
    cluster: 'demo',
    name: `${nodePool}-1`,
    version: 1,
    decisionId: 'decision-1',
    nodePool,
    labels: { 'karpenter.sh/nodepool': nodePool, 'karpenter.k8s.aws/ec2nodeclass': 'default' },
    annotations: {},
    spec: claimSpec(),
    createdAtMs: NOW_MS,
    pods: [],
    options: [{ instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'on-demand', priceUsdPerHour: 0.1 }],
    types: [
      {
        name: 'm5.large',
        architecture: 'amd64',
        capacity: { cpu: 2_000, memory: 8 * GIB, pods: 29 },
        allocatable: { cpu: 2_000, memory: 8 * GIB, pods: 29 },
      },
    ],
    holds: { cpu: 2_000, memory: 8 * GIB, pods: 29 },
    allocatable: { cpu: 2_000, memory: 8 * GIB, pods: 29 },
    launch: { kind: 'planned' },
    ...over,
  };
}

export function claimSpec(over: Partial<NodeClaimRecord['spec']> = {}): NodeClaimRecord['spec'] {
  return {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '500m', pods: '1' } },
    expireAfter: '720h',
    ...over,
  };
}

export function anInstance(over: Partial<Instance> = {}): Instance {
  return {
    id: 'i-1',
    instanceType: 'm5.large',
    zone: 'eu-west-3a',
    capacityType: 'on-demand',
    imageId: 'ami-amd64',
    priceUsdPerHour: 0.1,
    ...over,
  };
}

/** The instance of `general-1` in EC2's list, an hour after its launch. */
export function aFoundInstance(over: Partial<FoundInstance> = {}): FoundInstance {
  const tags = { nodeClaim: 'general-1', nodePool: 'general', nodeClass: 'default' };
  return { ...anInstance(), ...tags, launchedAtMs: NOW_MS - HOUR, ...over };
}

/** The claim, launched at its creation time. */
export function launchedClaim(over: Partial<NodeClaimRecord> = {}, instance: Partial<Instance> = {}): NodeClaimRecord {
  const atMs = over.createdAtMs ?? NOW_MS;
  return aClaim({ launch: { kind: 'launched', attempt: 1, instance: anInstance(instance), atMs }, ...over });
}

export function aLaunchRequest(over: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    clientToken: 'kerf-token',
    cluster: 'demo',
    nodeClaim: 'general-1',
    nodePool: 'general',
    nodeClass: 'default',
    capacityType: 'on-demand',
    overrides: [],
    templates: [],
    tags: {},
    ...over,
  };
}

/** A launch request with one override: an m5.large in eu-west-3a. Reserved capacity is of cr-1. */
export function aFleet(capacityType: LaunchRequest['capacityType'] = 'on-demand'): LaunchRequest {
  const where = { instanceType: 'm5.large', zone: 'eu-west-3a', subnetId: 'subnet-a', imageId: 'ami-amd64' };
  const reservation = { id: 'cr-1', kind: 'default' } as const;
  const template = capacityType === 'reserved' ? aTemplate({ reservation }) : aTemplate();
  return aLaunchRequest({
    capacityType,
    overrides: [{ ...where, capacityType, priceUsdPerHour: 0.1, template: 0 }],
    templates: [template],
  });
}
