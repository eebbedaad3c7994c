import { describe, expect, test } from 'vitest';
import { fleet } from '../../../../lib/core/disruption/methods/fleet.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { worldOf } from '../worlds.ts';

const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

interface Options {
  readonly isOn?: boolean;
  /** The number of small types. */
  readonly types?: number;
  /** The nodes whose pods may run beside others. @default none */
  readonly shared?: readonly string[];
  /** Nodes that must stay. @default none */
  readonly kept?: readonly string[];
}

/** Nodes of 8 CPUs, each with one small pod. Names that begin with `spot` are spot nodes. */
function cluster(names: readonly string[], { isOn = false, types = 1, shared = [], kept = [] }: Options = {}) {
  const nodes = names.map((name) =>
    initializedNode({
      name,
      allocatable: { cpu: '8', memory: '32Gi', pods: '29' },
      labels: {
        'node.kubernetes.io/instance-type': 'm5.2xlarge',
        [CAPACITY_TYPE]: name.startsWith('spot') ? 'spot' : 'on-demand',
      },
    }),
  );
  const labelSelector = { matchLabels: { app: 'apart' } };
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const pods = names.map((on) => {
    const annotations = kept.includes(on) ? { 'karpenter.sh/do-not-disrupt': 'true' } : {};
    const common = { name: `on-${on}`, annotations, requests: { cpu: '600m', memory: '1Gi' } };
    return runningPod(on, shared.includes(on) ? common : { ...common, labels: { app: 'apart' }, spec: { affinity } });
  });
  const small = Array.from({ length: types }, (_, at) => anInstanceType({ name: `m${at + 10}.large`, price: 0.1 }));
  const view = aPoolView({
    types: [anInstanceType({ name: 'm5.2xlarge', cpu: 8, price: 0.4 }), ...small],
    requirements: [asking(CAPACITY_TYPE, 'In', 'spot', 'on-demand')],
    disruption: { budgets: [{ nodes: '100%' }] },
  });
  return snapshotOf(nodes, { nodePools: [view], pods, options: { spotToSpotConsolidation: isOn } });
}

function spotNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `spot-${at}`);
}

function proposed(snapshot: ClusterSnapshot): readonly string[] {
  return fleet.propose(worldOf(snapshot)).moves.map(({ candidates, replacements }) => {
    const names = candidates.map(({ stateNode }) => stateNode.name).toSorted();
    return `${names.join(' ')} -> ${replacements.map(({ cheapest }) => cheapest.type.name).join(' ')}`;
  });
}

describe('spot nodes beside on-demand nodes (E24)', () => {
  test.each([
    ['first', 'a'],
    ['last', 'z'],
  ])('E24: an on-demand node, %s of its group, is replaced alone, and the spot nodes beside it stay', (_at, name) => {
    for (const count of [1, 6, 20])
      expect(proposed(cluster([...spotNames(count), name]))).toEqual([`${name} -> m10.large`]);
  });

  test('E24: several on-demand nodes are replaced by as many spot nodes, and the spot nodes beside them stay', () => {
    expect(proposed(cluster([...spotNames(4), 'x', 'y', 'z']))).toEqual(['x y z -> m10.large m10.large m10.large']);
  });

  test('E24: an on-demand node and spot nodes are replaced together by one spot node, as by Karpenter', () => {
    const names = [...spotNames(2), 'z'];
    expect(proposed(cluster(names, { shared: names }))).toEqual(['spot-0 spot-1 z -> m10.large']);
  });

  test('E24: an on-demand node that is deleted lets no spot node be replaced by a spot node', () => {
    const names = [...spotNames(1), 'kept', 'z'];
    expect(proposed(cluster(names, { shared: ['z'], kept: ['kept'] }))).toEqual(['z -> ']);
  });
});

describe('several spot nodes with the option (E24)', () => {
  test.each([
    ['spot nodes', spotNames(2)],
    ['spot nodes and an on-demand node', [...spotNames(2), 'z']],
  ])('E24: %s are replaced by as many spot nodes only if 15 types cost less for each', (_of, names) => {
    const each = names.map(() => 'm10.large').join(' ');
    expect(proposed(cluster(names, { isOn: true, types: 15 }))).toEqual([`${names.join(' ')} -> ${each}`]);
    expect(proposed(cluster(names, { isOn: true, types: 14 }))).toEqual([]);
  });

  test('E24: several spot nodes are replaced by fewer with any number of types, as by Karpenter', () => {
    const names = spotNames(3);
    expect(proposed(cluster(names, { isOn: true, shared: names }))).toEqual(['spot-0 spot-1 spot-2 -> m10.large']);
  });
});
