import { describe } from 'vitest';
import { aClaim, aNode, aPlan, aPod, aSnapshot, onNode } from './small-cluster.ts';
import { type Objection, testObjections } from './verifier/objections.ts';
import type { RawPod, RawSnapshot } from './verifier/raw-documents.ts';
import { ZONE } from './verifier/well-known-labels.ts';

/** Tests the verifier for volumes. */

const using = (...claimNames: readonly string[]): RawPod['spec'] => ({
  volumes: claimNames.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});
const pvc = (name: string, spec: object) => ({ metadata: { name, namespace: 'default' }, spec });
const zoneB = { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['b'] }] }] };
const EBS = 'ebs.csi.aws.com';

const bound: RawSnapshot = aSnapshot({
  pods: [aPod('p', using('v'))],
  pvcs: [pvc('v', { volumeName: 'pv' })],
  pvs: [{ metadata: { name: 'pv' }, spec: { csi: { driver: EBS }, nodeAffinity: { required: zoneB } } }],
});

const waiting = (mode: string): RawSnapshot =>
  aSnapshot({
    pods: [aPod('p', using('v'))],
    pvcs: [pvc('v', { storageClassName: 'gp3' })],
    storageClasses: [
      {
        metadata: { name: 'gp3' },
        provisioner: EBS,
        volumeBindingMode: mode,
        allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['b'] }] }],
      },
    ],
  });

const attached = (count: number): RawSnapshot =>
  aSnapshot({
    pods: [aPod('p', using('v', 'w')), aPod('r', { ...using('v'), nodeName: 'n' })],
    nodes: [aNode('n')],
    pvcs: ['v', 'w'].map((name) => pvc(name, { volumeName: `pv-${name}` })),
    pvs: ['v', 'w'].map((name) => ({
      metadata: { name: `pv-${name}` },
      spec: { csi: { driver: EBS, volumeHandle: name } },
    })),
    csiNodes: [{ metadata: { name: 'n' }, spec: { drivers: [{ name: EBS, allocatable: { count } }] } }],
  });

const ROWS: readonly Objection[] = [
  {
    rule: 'a claim is in the zone of its bound volume (B42)',
    snapshot: bound,
    sound: aPlan([aClaim(['p'], { zone: 'b' })]),
    broken: aPlan([aClaim(['p'])]),
    says: /pod default\/p has a volume that cannot be reached if it becomes small, a/,
  },
  {
    rule: 'a node is in the zone of its bound volume (B42)',
    snapshot: { ...bound, nodes: [aNode('n', { zone: 'b' }), aNode('m', { zone: 'a' })] },
    sound: onNode('n', 'p'),
    broken: onNode('m', 'p'),
    says: /node m: pod default\/p has a volume that cannot be reached/,
  },
  {
    rule: 'an unbound volume can be created in the zone of its pod (B42)',
    snapshot: waiting('WaitForFirstConsumer'),
    sound: aPlan([aClaim(['p'], { zone: 'b' })]),
    broken: aPlan([aClaim(['p'], { zone: 'a' })]),
    says: /has a volume that cannot be reached/,
  },
  {
    rule: 'a pod whose volume binds immediately is not placed before it is bound (B9)',
    snapshot: waiting('WaitForFirstConsumer'),
    sound: aPlan([aClaim(['p'], { zone: 'b' })]),
    broken: aPlan([aClaim(['p'], { zone: 'b' })]),
    brokenSnapshot: waiting('Immediate'),
    says: /may not be placed: the PersistentVolumeClaim default\/v is not bound/,
  },
  {
    rule: 'a pod whose PersistentVolumeClaim is missing is not placed (B9)',
    snapshot: aSnapshot({ pods: [aPod('p', using('v'))] }),
    sound: aPlan([], { podErrors: { 'default/p': 'no such claim' } }),
    broken: aPlan([aClaim(['p'])]),
    says: /may not be placed: the PersistentVolumeClaim default\/v does not exist/,
  },
  {
    rule: 'a node has at most as many volumes as its driver can attach; a shared volume counts once (B44)',
    snapshot: attached(2),
    sound: onNode('n', 'p'),
    broken: onNode('n', 'p'),
    brokenSnapshot: attached(1),
    says: /node n: 2 volumes of ebs.csi.aws.com, 1 can be attached/,
  },
  {
    rule: 'a pod with resource claims is not placed (B60)',
    snapshot: aSnapshot({ pods: [aPod('p')] }),
    sound: aPlan([aClaim(['p'])]),
    broken: aPlan([aClaim(['p'])]),
    brokenSnapshot: aSnapshot({ pods: [aPod('p', { resourceClaims: [{ name: 'gpu' }] })] }),
    says: /may not be placed: it has resource claims/,
  },
];

describe('volumes', () => testObjections(ROWS));
