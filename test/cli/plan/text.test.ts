import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { podSummary } from '../../../lib/cli/plan/pod-groups.ts';
import { renderProvisioning } from '../../../lib/cli/plan/render-provisioning.ts';
import { podNames } from '../../../lib/cli/render/pod-names.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { aPod } from '../../builders/pods.ts';
import { aDocument, aGivenPod, aGivenPool } from '../../snapshot/documents.ts';

function rendered(document: Readonly<Record<string, unknown>>, columns: number): readonly string[] {
  const { snapshot, nowMs } = readSnapshot({ readText: () => JSON.stringify(document) }, { path: 'a.json', nowMs: 0 });
  const { schedule } = provision(snapshot, { decisionId: 'plan', nowMs });
  return renderProvisioning({ schedule }, { columns, color: false }).trimEnd().split('\n');
}

const HUGE = aGivenPod('huge', { containers: [{ name: 'main', resources: { requests: { cpu: '900' } } }] });

describe('the width of the text', () => {
  test.each([80, 100, 120])('no line is longer than a terminal of %i columns', (columns) => {
    const lines = rendered(
      aDocument({ pods: [aGivenPod(), HUGE], nodePools: [aGivenPool('a-pool-with-a-long-name')] }),
      columns,
    );
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test('on a narrow terminal, some columns are omitted, but not NodePool, type and price', () => {
    const [wide, narrow] = [120, 72].map((columns) => rendered(aDocument({ pods: [aGivenPod()] }), columns)[3] ?? '');
    expect(wide).toMatch(/nodes +NodePool +type +capacity +zone +cpu +memory +pods +\$\/h each +\$\/h$/);
    expect(narrow).toMatch(/nodes +NodePool +type +capacity +zone .*\$\/h$/);
    expect(narrow).not.toContain('each');
  });
});

describe('NodePools with the same reason', () => {
  test('are listed in one line', () => {
    const nodePools = [aGivenPool('a'), aGivenPool('b')];
    expect(rendered(aDocument({ nodePools, pods: [HUGE] }), 200).at(-1)).toMatch(
      /^ {6}NodePools (a, b|b, a): needs 900 cpu/,
    );
  });
});

function owned(owner: 'ReplicaSet' | 'StatefulSet', ownerName: string, name: string): Pod {
  return aPod({ name, owner, ownerName });
}

describe('pods are named', () => {
  test.each([
    [
      'by their Deployment',
      [
        owned('ReplicaSet', 'web-5f7d9c6b8d', 'web-5f7d9c6b8d-abcde'),
        owned('ReplicaSet', 'web-6d7d9c6b8d', 'web-6d7d9c6b8d-x'),
      ],
      'web ×2',
    ],
    ['by their StatefulSet', [owned('StatefulSet', 'db', 'db-0'), owned('StatefulSet', 'db', 'db-1')], 'db ×2'],
    ['by the part before their number', [aPod({ name: 'job-a-00001' }), aPod({ name: 'job-a-00002' })], 'job-a ×2'],
    [
      'with their namespace, except default',
      [aPod({ name: 'a', namespace: 'shop' }), aPod({ name: 'b' })],
      'b, shop/a',
    ],
    [
      'in order, the largest workload first',
      [aPod({ name: 'a' }), aPod({ name: 'b-1' }), aPod({ name: 'b-2' })],
      'b ×2, a',
    ],
    [
      'up to the limit, then the number of others',
      ['a', 'b', 'c', 'd'].map((name) => aPod({ name })),
      'a, b, c and 1 more',
    ],
  ])('%s', (_how, pods, summary) => {
    expect(podSummary(pods, 3)).toBe(summary);
  });

  test.each([
    [1, 'p0'],
    [2, 'p0 and p1'],
    [12, 'p0 and 11 more'],
  ])('%i by the first', (count, names) => {
    expect(podNames(Array.from({ length: count }, (_, index) => `default/p${index}`))).toBe(names);
  });
});
