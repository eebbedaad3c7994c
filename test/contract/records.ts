import type { Decision } from '../../lib/core/model/decision.ts';
import type { LaunchRequest, NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { aDecision } from '../builders/decisions.ts';
import { aTemplate } from '../builders/launch-templates.ts';
import { aClaim, aLaunchRequest, anInstance, claimSpec } from '../builders/node-claims.ts';
import { NOW_MS } from '../builders/times.ts';

const M5 = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand', priceUsdPerHour: 0.096 } as const;
const M6G = {
  instanceType: 'm6g.large',
  zone: 'us-east-1b',
  capacityType: 'on-demand',
  priceUsdPerHour: 0.077,
} as const;

/** The claim `general-a` of one pod in us-east-1, without types. */
export function aRecord(over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  return aClaim({
    name: 'general-a',
    labels: { 'karpenter.sh/nodepool': 'general' },
    spec: claimSpec({
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      resources: { requests: { cpu: '500m' } },
    }),
    pods: ['default/web-1'],
    options: [M5],
    types: [],
    holds: {},
    allocatable: {},
    ...over,
  });
}

/** The same claim after its launch. */
export function launchedAs(record: NodeClaimRecord, id: string): NodeClaimRecord {
  const instance = anInstance({ ...M5, id, imageId: 'ami-1' });
  return { ...record, launch: { kind: 'launched', attempt: 1, instance, atMs: NOW_MS } };
}

/** A launch of `general-a` with two types, each with its own image, zone and subnet. */
export function aLaunchOfTwoTypes(over: Partial<LaunchRequest> = {}): LaunchRequest {
  return aLaunchRequest({
    clientToken: 'token-1',
    nodeClaim: 'general-a',
    overrides: [
      { ...M5, subnetId: 'subnet-a', imageId: 'ami-amd64', template: 0 },
      { ...M6G, subnetId: 'subnet-b', imageId: 'ami-arm64', template: 0 },
    ],
    templates: [aTemplate()],
    tags: { team: 'web' },
    ...over,
  });
}

/** A decision that creates `general-a`. */
export function aLaunchDecision(over: Partial<Decision> = {}): Decision {
  return aDecision({ actions: [{ kind: 'create-node-claim', nodeClaim: aRecord() }], ...over });
}
