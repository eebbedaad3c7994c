import type { Decision } from '../../lib/core/model/decision.ts';
import type { DisruptionCommand } from '../../lib/core/model/disruption-command.ts';
import type {
  Instance,
  LaunchRequest,
  LaunchTemplateSpec,
  NodeClaimRecord,
} from '../../lib/core/model/node-claim-record.ts';
import { METADATA_DEFAULTS } from '../../lib/core/node-class/plain-node-class.ts';

/** 2026-01-31T08:00:00Z, an arbitrary time. */
export const NOW_MS = 1_769_846_400_000;

export function aRecord(over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  return {
    cluster: 'demo',
    name: 'general-a',
    version: 1,
    decisionId: 'decision-1',
    nodePool: 'general',
    labels: { 'karpenter.sh/nodepool': 'general' },
    annotations: {},
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      resources: { requests: { cpu: '500m' } },
      expireAfter: '720h',
    },
    createdAtMs: NOW_MS,
    pods: ['default/web-1'],
    options: [{ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand', priceUsdPerHour: 0.096 }],
    types: [],
    holds: {},
    allocatable: {},
    launch: { kind: 'planned' },
    ...over,
  };
}

function anInstance(id: string): Instance {
  return {
    id,
    instanceType: 'm5.large',
    zone: 'us-east-1a',
    capacityType: 'on-demand',
    imageId: 'ami-1',
    priceUsdPerHour: 0.096,
  };
}

/** The same claim after its launch. */
export function launchedAs(record: NodeClaimRecord, id: string): NodeClaimRecord {
  return { ...record, launch: { kind: 'launched', attempt: 1, instance: anInstance(id), atMs: NOW_MS } };
}

export function aLaunchRequest(over: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    clientToken: 'token-1',
    cluster: 'demo',
    nodeClaim: 'general-a',
    nodePool: 'general',
    nodeClass: 'default',
    capacityType: 'on-demand',
    overrides: [
      {
        instanceType: 'm5.large',
        zone: 'us-east-1a',
        capacityType: 'on-demand',
        priceUsdPerHour: 0.096,
        subnetId: 'subnet-a',
        imageId: 'ami-amd64',
        template: 0,
      },
      {
        instanceType: 'm6g.large',
        zone: 'us-east-1b',
        capacityType: 'on-demand',
        priceUsdPerHour: 0.077,
        subnetId: 'subnet-b',
        imageId: 'ami-arm64',
        template: 0,
      },
    ],
    templates: [aTemplate()],
    tags: { team: 'web' },
    ...over,
  };
}

export function aTemplate(over: Partial<LaunchTemplateSpec> = {}): LaunchTemplateSpec {
  return {
    securityGroupIds: ['sg-1'],
    networkInterfaces: [{ networkCard: 0, device: 0, kind: 'interface' }],
    instanceProfile: 'node',
    userData: '#!/bin/bash\ntrue\n',
    blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi', volumeType: 'gp3', encrypted: true } }],
    metadataOptions: METADATA_DEFAULTS,
    ...over,
  };
}

export function aDecision(over: Partial<Decision> = {}): Decision {
  return {
    id: 'decision-1',
    cluster: 'demo',
    controller: 'provisioning',
    atMs: NOW_MS,
    actions: [{ kind: 'create-node-claim', nodeClaim: aRecord() }],
    blocked: [],
    ...over,
  };
}

export function aCommand(over: Partial<DisruptionCommand> = {}): DisruptionCommand {
  return {
    id: 'command-1',
    method: 'emptiness',
    reason: 'Empty',
    candidates: [],
    replacements: [],
    state: 'proposed',
    decidedAtMs: NOW_MS,
    validateAtMs: NOW_MS + 15_000,
    ...over,
  };
}
