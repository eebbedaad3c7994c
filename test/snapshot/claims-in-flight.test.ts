import { describe, expect, test } from 'vitest';
import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import { stateNodes } from '../../lib/core/cluster/state-node.ts';
import { instanceTypesFor } from '../../lib/core/instance-type/resolve.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { recordsOfNodeClaims } from '../../lib/core/node-claim/adoption/instance-evidence.ts';
import { mirrorOf } from '../../lib/core/node-claim/mirror/mirror.ts';
import { provision } from '../../lib/core/provisioning/provision.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { snapshotText } from '../../lib/snapshot/write-snapshot.ts';
import { aNodeClass, aPoolView, asking, type NodePoolOptions } from '../builders/node-pools.ts';
import { type PodOptions, pendingPods } from '../builders/pods.ts';
import { aSnapshot } from '../builders/snapshots.ts';
import { NOW_MS } from '../builders/times.ts';

/** A claim in flight: its record in the table, its record in shadow mode, and its record in a plan. */

const { facts, ...shipped } = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
const catalogue = { ...shipped, facts: facts.filter(({ name }) => /^([cm]7g|m5|t3)\./.test(name)) };
const nodeClass = aNodeClass();
const types = instanceTypesFor(catalogue, nodeClass);

interface Seen {
  readonly byFunction: NodeClaimRecord;
  readonly inShadow: NodeClaimRecord | undefined;
  readonly inPlan: NodeClaimRecord | undefined;
  readonly snapshot: ClusterSnapshot;
}

function seen(pool: NodePoolOptions, pod: PodOptions, become: (record: NodeClaimRecord) => NodeClaimRecord): Seen {
  const view = { ...aPoolView({ ...pool, types }), nodeClass };
  const snapshot = aSnapshot({ nodePools: [view], pods: pendingPods(3, pod) });
  const [action] = provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions;
  if (action?.kind !== 'create-node-claim') throw new Error('no claim was planned');
  const byFunction = become(action.nodeClaim);
  const mirror = mirrorOf(byFunction);
  const object =
    byFunction.deletion === undefined
      ? mirror
      : { ...mirror, metadata: { ...mirror.metadata, deletionTimestamp: '2026-01-31T08:00:00Z' } };
  const { nodePool } = view;
  const world = { cluster: 'demo', nodePools: [nodePool], nodeClasses: [nodeClass], nodes: [], catalogue };
  const [inShadow] = recordsOfNodeClaims({ ...world, nodeClaims: [object] }, NOW_MS);
  const document: object = JSON.parse(snapshotText(snapshot, NOW_MS));
  const text = JSON.stringify({ ...document, nodeClaims: [object] });
  const [inPlan] = readSnapshot({ readText: () => text }, { path: 'a.json', nowMs: NOW_MS }).snapshot.nodeClaims;
  return { byFunction, inShadow, inPlan, snapshot };
}

function launched(record: NodeClaimRecord): NodeClaimRecord {
  const [option] = record.options;
  const type = record.types.find(({ name }) => name === option?.instanceType);
  if (option === undefined || type === undefined) throw new Error('the claim has no option');
  const instance = { id: 'i-1', ...option, imageId: 'ami-1' };
  const { capacity: holds, allocatable } = type;
  return { ...record, holds, allocatable, launch: { kind: 'launched', attempt: 1, instance, atMs: NOW_MS } };
}

function deleted(record: NodeClaimRecord): NodeClaimRecord {
  return { ...record, deletion: { reason: 'expired', message: '', requestedAtMs: NOW_MS } };
}

const same = (record: NodeClaimRecord): NodeClaimRecord => record;
const spot = asking('karpenter.sh/capacity-type', 'In', 'spot');
const arm = asking('kubernetes.io/arch', 'In', 'arm64');
const zone = asking('topology.kubernetes.io/zone', 'In', 'us-east-1b');
const flexible = { ...asking('karpenter.k8s.aws/instance-cpu', 'Exists'), minValues: 3 };

const CASES: readonly {
  readonly what: string;
  readonly pool?: NodePoolOptions;
  readonly pod?: PodOptions;
  readonly become?: (record: NodeClaimRecord) => NodeClaimRecord;
}[] = [
  { what: 'is planned' },
  { what: 'is planned for large pods', pod: { requests: { cpu: '20', memory: '30Gi' } } },
  { what: 'may be spot only', pool: { requirements: [spot] } },
  { what: 'is bound to a zone and an architecture', pool: { requirements: [zone, arm] } },
  { what: 'keeps its choice of types', pool: { requirements: [flexible] } },
  {
    what: 'has labels and taints of its own',
    pool: { labels: { team: 'a' }, requirements: [asking('tier', 'In', 'x')] },
  },
  { what: 'is launched and not registered', become: launched },
  { what: 'is being deleted', become: deleted },
];

describe('a claim in flight is the same in the function, in shadow mode and in a plan', () => {
  test.each(CASES)('if it $what', ({ pool = {}, pod = { requests: { cpu: '1' } }, become = same }) => {
    const { byFunction, inShadow, inPlan } = seen(pool, pod, become);
    for (const record of [inShadow, inPlan]) {
      const { name, nodePool, holds, allocatable, spec, createdAtMs } = byFunction;
      expect(record).toMatchObject({ name, nodePool, allocatable, spec, createdAtMs });
      expect(record?.holds).toEqual(holds);
      expect(record?.launch.kind).toBe(byFunction.launch.kind);
      expect(record?.deletion?.requestedAtMs).toBe(byFunction.deletion?.requestedAtMs);
      expect(new Set(record?.types.map((type) => type.name)).isSubsetOf(namesOf(byFunction))).toBe(true);
    }
  });

  test.each(CASES)('and its pods are placed in the same way if it $what', ({ pool = {}, pod, become = same }) => {
    const { byFunction, inShadow, inPlan, snapshot } = seen(pool, pod ?? { requests: { cpu: '1' } }, become);
    const placedWith = (record: NodeClaimRecord | undefined): string => {
      const nodeClaims = record === undefined ? [] : [record];
      const { actions, blocked } = provision({ ...snapshot, nodeClaims }, { decisionId: 'decision-2', nowMs: NOW_MS });
      return JSON.stringify([actions, blocked, stateNodes({ ...snapshot, nodeClaims }).map(({ name }) => name)]);
    };
    const expected = placedWith(byFunction);
    expect(placedWith(inShadow)).toBe(expected);
    expect(placedWith(inPlan)).toBe(expected);
  });
});

function namesOf({ types: sent }: NodeClaimRecord): ReadonlySet<string> {
  return new Set(sent.map(({ name }) => name));
}
