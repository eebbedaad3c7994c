import fc from 'fast-check';
import { CAPACITY_TYPES, FAMILIES, ZONES } from './random-instance-types.ts';

/** Random NodePools: weights, taints, startup taints, limits, minValues, labels and custom keys. */

const TEAM_TAINT = { key: 'team', value: 'x' } as const;
export const STARTUP_TAINT = { key: 'boot', effect: 'NoSchedule' } as const;

export const NODE_CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } as const;

/** Simplest first, for shrinking; the plain pool is the first. */
const requirement = fc.constantFrom(
  { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: [CAPACITY_TYPES[0]] },
  { key: 'topology.kubernetes.io/zone', operator: 'In', values: ZONES.slice(0, 2) },
  { key: 'topology.kubernetes.io/zone', operator: 'NotIn', values: [ZONES[0]] },
  { key: 'karpenter.k8s.aws/instance-family', operator: 'NotIn', values: [FAMILIES[3]] },
  { key: 'karpenter.k8s.aws/instance-family', operator: 'Exists', minValues: 2 },
  { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 3 },
  { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['2'] },
  { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['16'] },
  { key: 'karpenter.k8s.aws/instance-gpu-name', operator: 'DoesNotExist' },
  { key: 'tier', operator: 'In', values: ['gold', 'silver'] },
  { key: 'tier', operator: 'In', values: ['gold'] },
);

/** Most pools have no taint; otherwise most pods would be unschedulable. */
const untainted = Array.from({ length: 7 }, () => undefined);

const drawn = fc.record({
  weight: fc.constantFrom(undefined, 10, 20),
  taint: fc.constantFrom(...untainted, 'NoSchedule', 'PreferNoSchedule', 'NoExecute'),
  startup: fc.boolean(),
  limits: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    { cpu: '10' },
    { cpu: '20', memory: '40Gi' },
    { nodes: '2' },
  ),
  requirements: fc.uniqueArray(requirement, { maxLength: 3, selector: ({ key }) => key }),
  team: fc.boolean(),
});

export type DrawnPool = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

export const randomNodePools = fc.array(drawn, { minLength: 1, maxLength: 3 });

export function poolName(index: number): string {
  return `pool-${index + 1}`;
}

export function nodePool({ weight, taint, startup, limits, requirements, team }: DrawnPool, index: number) {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: poolName(index) },
    spec: {
      weight,
      limits,
      template: {
        metadata: { labels: team ? { team: 'x' } : {} },
        spec: {
          nodeClassRef: NODE_CLASS_REF,
          requirements,
          taints: taintsOf({ taint }),
          startupTaints: startup ? [STARTUP_TAINT] : undefined,
        },
      },
    },
  };
}

export function taintsOf({ taint }: Pick<DrawnPool, 'taint'>) {
  return taint === undefined ? undefined : [{ ...TEAM_TAINT, effect: taint }];
}
