import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../../lib/apis/formats/time.ts';
import type { Condition, Node } from '../../../../lib/apis/kubernetes.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { decideRepairs, type RepairView } from '../../../../lib/core/node-claim/repair/repair.ts';
import { repairPolicies } from '../../../../lib/core/node-claim/repair/repair-policies.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aNode } from '../../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

interface Member {
  readonly condition?: string;
  readonly status?: Condition['status'];
  readonly forMs?: number;
  readonly nodePool?: string;
  readonly zone?: string;
  readonly claim?: Partial<NodeClaimRecord>;
}

function nodeOf(name: string, { condition = 'Ready', status = 'True', forMs = HOUR, nodePool, zone }: Member): Node {
  const changed = { type: condition, status, lastTransitionTime: formatTime(NOW_MS - forMs), reason: 'Broken' };
  const node = aNode({
    name,
    providerId: `aws:///${zone}/i-${name}`,
    labels: nodePool === undefined ? {} : { 'karpenter.sh/nodepool': nodePool },
  });
  const others = (node.status?.conditions ?? []).filter(({ type }) => type !== condition);
  return { ...node, status: { ...node.status, conditions: [...others, changed] } };
}

/** A cluster with a claim for each member, and `healthy` further nodes of the NodePool. */
function viewOf(members: Readonly<Record<string, Member>>, healthy = 0, over: Partial<RepairView> = {}): RepairView {
  const filled = Object.entries(members).map(
    ([name, one]) => [name, { nodePool: 'general', zone: 'eu-west-3a', ...one }] as const,
  );
  const records = filled.map(([name, { nodePool, zone, claim }]) =>
    launchedClaim({ name, nodePool, registeredAtMs: NOW_MS - HOUR, ...claim }, { id: `i-${name}`, zone }),
  );
  const rest = Array.from({ length: healthy }, (_, index) =>
    nodeOf(`healthy-${index}`, { nodePool: 'general', zone: 'eu-west-3a' }),
  );
  const nodes = [...filled.map(([name, one]) => nodeOf(name, one)), ...rest];
  return { records, nodes, policies: repairPolicies(), shifted: new Set(), ...over };
}

function verdictsOn(view: RepairView): Readonly<Record<string, string>> {
  const texts = decideRepairs(view, NOW_MS).map(({ record, actions, blocked, due }) => {
    const deleted = actions.map((one) => (one.kind === 'delete-node-claim' ? `${one.reason} at once` : one.kind));
    const waits = due.map(({ atMs }) => `in ${(atMs - NOW_MS) / SECOND} s`);
    return [record.name, [...deleted, ...blocked.map(({ reason }) => reason), ...waits].join(', ')];
  });
  return Object.fromEntries(texts);
}

describe('D29: a node is replaced when it has had a condition for longer than its tolerance', () => {
  test.each<[string, Member, string | undefined]>([
    ['Ready', { status: 'False', forMs: 30 * MINUTE }, 'unhealthy at once'],
    ['Ready', { status: 'Unknown', forMs: 30 * MINUTE }, 'unhealthy at once'],
    ['Ready', { status: 'Unknown', forMs: 30 * MINUTE - SECOND }, 'in 1 s'],
    ['Ready', { status: 'True' }, undefined],
    ['AcceleratedHardwareReady', { status: 'False', forMs: 10 * MINUTE }, 'unhealthy at once'],
    ['AcceleratedHardwareReady', { status: 'False', forMs: 9 * MINUTE }, 'in 60 s'],
    ['AcceleratedHardwareReady', { status: 'Unknown' }, undefined],
    ...['StorageReady', 'NetworkingReady', 'KernelReady', 'ContainerRuntimeReady'].flatMap(
      (condition): [string, Member, string | undefined][] => [
        [condition, { status: 'False', forMs: 30 * MINUTE }, 'unhealthy at once'],
        [condition, { status: 'False', forMs: 20 * MINUTE }, 'in 600 s'],
        [condition, { status: 'Unknown' }, undefined],
      ],
    ),
    ['DiskPressure', { status: 'True' }, undefined],
  ])('%s: %j', (condition, member, expected) => {
    expect(verdictsOn(viewOf({ a: { condition, ...member } }, 9))['a']).toBe(expected);
  });

  test('the deadline is now, so pods are deleted without regard to budgets, and the message has condition and time', () => {
    const [repair] = decideRepairs(viewOf({ a: { status: 'Unknown', forMs: 31 * MINUTE } }, 9), NOW_MS);
    expect(repair?.actions).toEqual([
      {
        kind: 'delete-node-claim',
        nodeClaim: 'a',
        reason: 'unhealthy',
        message: 'condition Ready of node a has been Unknown for 31 minutes (Broken)',
        deadlineMs: NOW_MS,
      },
    ]);
  });

  test('a draining claim without a deadline gets the deadline now, once', () => {
    const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS } as const;
    const broken = { status: 'False', forMs: HOUR } as const;
    const verdict = (over: object): string | undefined =>
      verdictsOn(viewOf({ a: { ...broken, claim: { deletion: { ...deletion, ...over } } } }, 9))['a'];
    expect(verdict({})).toBe('unhealthy at once');
    expect(verdict({ deadlineMs: NOW_MS + SECOND })).toBe('unhealthy at once');
    expect(verdict({ deadlineMs: NOW_MS })).toBeUndefined();
    expect(verdict({ terminateRequestedAtMs: NOW_MS })).toBeUndefined();
  });

  test('a node that has not registered is left to the registration timeout', () => {
    const records = [launchedClaim({ name: 'a' }, { id: 'i-a' })];
    expect(verdictsOn({ ...viewOf({ a: { status: 'False' } }, 9), records })).toEqual({});
  });

  test.each([
    ['is after it in the list', ['a', 'stale']],
    ['is before it in the list', ['stale', 'a']],
  ])('an instance with a Ready Node is not replaced, although a stale Node of it %s', (_, order) => {
    const { nodes, ...view } = viewOf({ a: {} }, 9);
    const [live, ...others] = nodes;
    const stale = { ...nodeOf('stale', { status: 'Unknown', nodePool: 'general' }), spec: { ...live?.spec } };
    const both = order.flatMap((name) => (name === 'a' ? (live ?? []) : stale));
    expect(verdictsOn({ ...view, nodes: [...both, ...others] })).toEqual({});
    const alone = { ...view, nodes: [stale, ...others] };
    expect(verdictsOn(alone), 'an instance that has only the other Node is replaced').toEqual({
      a: 'unhealthy at once',
    });
  });

  test('of two Nodes of one instance that are not Ready, the first is judged, as lifecycle does', () => {
    const { nodes, ...view } = viewOf({ a: { status: 'False', forMs: 20 * MINUTE } }, 9);
    const [first, ...others] = nodes;
    const second = { ...nodeOf('b', { status: 'Unknown', nodePool: 'general' }), spec: { ...first?.spec } };
    expect(verdictsOn({ ...view, nodes: [...nodes.slice(0, 1), second, ...others] })).toEqual({ a: 'in 600 s' });
  });

  test('a condition without a valid time of its last change is not timed, and other nodes are repaired', () => {
    const view = viewOf({ a: { status: 'False' }, b: { status: 'False' } }, 8);
    const nodes = view.nodes.map((node) =>
      node.metadata.name === 'a'
        ? { ...node, status: { conditions: [{ type: 'Ready', status: 'False' as const, lastTransitionTime: 'soon' }] } }
        : node,
    );
    expect(verdictsOn({ ...view, nodes })).toEqual({ b: 'unhealthy at once' });
  });

  test('the first tolerance that ends decides, if a node has several conditions', () => {
    const view = viewOf({ a: { status: 'False', forMs: 12 * MINUTE } }, 9);
    const gpu = {
      type: 'AcceleratedHardwareReady',
      status: 'False' as const,
      lastTransitionTime: formatTime(NOW_MS - 8 * MINUTE),
    };
    const nodes = view.nodes.map((node) =>
      node.metadata.name === 'a'
        ? { ...node, status: { conditions: [...(node.status?.conditions ?? []), gpu] } }
        : node,
    );
    expect(verdictsOn({ ...view, nodes })).toEqual({ a: 'in 120 s' });
  });
});

describe('G17: a cluster sets tolerances', () => {
  test('it changes one, and adds a condition with the status that means a fault', () => {
    const policies = repairPolicies({ 'Ready=Unknown': MINUTE, 'KernelDeadlock=True': MINUTE });
    const short = { forMs: 2 * MINUTE };
    const members = {
      a: { ...short, status: 'Unknown' },
      b: { ...short, status: 'False' },
      c: { ...short, condition: 'KernelDeadlock', status: 'True' },
    } as const;
    const expected = { a: 'unhealthy at once', b: 'in 1680 s', c: 'unhealthy at once' };
    expect(verdictsOn(viewOf(members, 12, { policies }))).toEqual(expected);
  });
});

describe('D30: no node is replaced while', () => {
  const broken = { status: 'False', forMs: HOUR, condition: 'KernelReady' } as const;
  const repaired = 'unhealthy at once';

  test.each([
    [1, 1, repaired],
    [1, 2, repaired],
    [2, 5, 'NodeRepairBlocked'],
    [2, 6, repaired],
    [2, 10, repaired],
    [3, 10, 'NodeRepairBlocked'],
    [3, 11, repaired],
    [20, 100, repaired],
    [21, 100, 'NodeRepairBlocked'],
  ])('more than 20 %% of the NodePool is unhealthy, rounded up: %d of %d nodes', (unhealthy, all, expected) => {
    const members = Object.fromEntries(Array.from({ length: unhealthy }, (_, index) => [`n${index}`, broken]));
    const verdicts = Object.values(verdictsOn(viewOf(members, all - unhealthy)));
    expect(verdicts).toEqual(Array.from({ length: unhealthy }, () => expected));
  });

  test('a node within its tolerance counts as unhealthy, and the refusal has the numbers', () => {
    const members = { a: broken, b: { status: 'False', forMs: MINUTE } } as const;
    const [refused, waiting] = decideRepairs(viewOf(members, 3), NOW_MS);
    expect(refused?.blocked).toEqual([
      {
        subject: { kind: 'Node', name: 'a' },
        nodePool: 'general',
        reason: 'NodeRepairBlocked',
        message: '2 of 5 nodes of NodePool general are unhealthy, at most 1 may be (20 %): find the common cause',
        numbers: { unhealthy: 2, nodes: 5, allowed: 1 },
      },
    ]);
    expect(waiting?.due).toEqual([{ atMs: NOW_MS + 29 * MINUTE, kind: 'settling' }]);
  });

  test('one NodePool does not stop the repair of another', () => {
    const members = { a: broken, b: broken, c: { ...broken, nodePool: 'gpu' } };
    const expected = { a: 'NodeRepairBlocked', b: 'NodeRepairBlocked', c: repaired };
    expect(verdictsOn(viewOf(members, 3))).toEqual(expected);
  });

  test('the cluster is shifted away from the zone of the node', () => {
    const members = { a: broken, b: { ...broken, zone: 'eu-west-3b' } };
    const shifted = new Set(['eu-west-3b']);
    expect(verdictsOn(viewOf(members, 8, { shifted }))).toEqual({ a: repaired, b: 'ZonalShift' });
  });

  test('most nodes of the cluster are not Ready: each NodePool alone would allow one repair', () => {
    const lost = { status: 'Unknown', forMs: HOUR } as const;
    const pools = (count: number): Readonly<Record<string, Member>> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`n${index}`, { ...lost, nodePool: `p${index}` }]),
      );
    expect(new Set(Object.values(verdictsOn(viewOf(pools(3), 2))))).toEqual(new Set(['NodeRepairBlocked']));
    expect(new Set(Object.values(verdictsOn(viewOf(pools(3), 3))))).toEqual(new Set([repaired]));
    // Two nodes are too few to tell an outage from two faults.
    expect(new Set(Object.values(verdictsOn(viewOf(pools(2)))))).toEqual(new Set([repaired]));
    expect(decideRepairs(viewOf(pools(3)), NOW_MS)[0]?.blocked[0]).toMatchObject({
      message: '3 of 3 nodes of the cluster are not Ready: check the network between nodes and control plane',
      numbers: { notReady: 3, nodes: 3, percent: 55 },
    });
  });
});
