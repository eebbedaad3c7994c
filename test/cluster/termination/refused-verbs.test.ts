/**
 * The API server refuses one verb on one object for ten minutes, by an admission policy for Kerf's groups. All others proceed, the
 * refusal is reported once, and afterwards everything converges. The ten minutes are virtual: the test runs the functions.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { groupOf } from '../../../lib/core/install/rbac.ts';
import { MINUTE } from '../../builders/times.ts';
import { endOf, isGone, recordOf } from '../../rig/claimed-nodes.ts';
import { endsOnly } from '../../rig/fake-kubelets.ts';
import type { Island } from '../../rig/islands.ts';
import type { KerfInProcess } from '../../rig/kerf-in-process.ts';
import { succeed } from '../support/api-client.ts';
import { callAs } from '../support/identities.ts';
import { claimPath, createIslands, startDrainRig } from './drain-rig.ts';

const SOON = { timeout: 30_000, interval: 250 };
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const WHY = 'denied for ten minutes';
const MINUTES = 10;
const POLL_MS = 5_000;

interface Denied {
  /** The island whose object is denied, and what the report names. */
  readonly name: string;
  readonly reported: string;
  readonly resources: readonly string[];
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** @default the name of the island */
  readonly object?: string;
  /** Whether the instance is terminated nevertheless. */
  readonly ends: boolean;
}

const DENIED: readonly Denied[] = [
  {
    name: 'evict',
    reported: 'evict-pod default/evict-0',
    resources: ['pods/eviction'],
    operation: 'CREATE',
    object: 'evict-0',
    ends: false,
  },
  {
    name: 'delete-pod',
    reported: 'evict-pod default/delete-pod-0',
    resources: ['pods'],
    operation: 'DELETE',
    object: 'delete-pod-0',
    ends: true,
  },
  { name: 'patch-node', reported: 'cordon-node patch-node', resources: ['nodes'], operation: 'UPDATE', ends: true },
  { name: 'delete-node', reported: 'delete Node delete-node', resources: ['nodes'], operation: 'DELETE', ends: true },
  {
    name: 'delete-claim',
    reported: 'delete NodeClaim delete-claim',
    resources: ['nodeclaims'],
    operation: 'DELETE',
    ends: true,
  },
  {
    name: 'patch-claim',
    reported: 'patch-claim',
    resources: ['nodeclaims', 'nodeclaims/status'],
    operation: 'UPDATE',
    ends: true,
  },
];
const DEADLINE = { terminationGracePeriod: '60s', budgets: [{ maxUnavailable: 0 }] } as const;
const FREE: Island = { name: 'free', controller: 'none', pods: 1 };
/** Its pod never ends, and it has no deadline. */
const ENDLESS: Island = { name: 'endless', controller: 'none', pods: 1, graceSeconds: 1, labels: endsOnly('never') };
const ISLANDS: readonly Island[] = [
  ...DENIED.map(({ name }) => ({ name, controller: 'none', pods: 1, ...(name === 'delete-pod' && DEADLINE) }) as const),
  FREE,
  ENDLESS,
];

let kerf: KerfInProcess;
let stop: () => Promise<void>;
let aheadMs = 0;

beforeAll(async () => {
  const clock = { now: () => Date.now() + aheadMs };
  ({ kerf, stop } = await startDrainRig({ clock, isWoken: false }));
  await createIslands(kerf, ISLANDS);
  await deny();
  for (const { name } of ISLANDS) {
    // A NodeClaim that may not be deleted is deleted with its node.
    await succeed({ method: 'DELETE', path: name === 'delete-claim' ? `/api/v1/nodes/${name}` : claimPath(name) });
  }
}, 120_000);
afterAll(async () => await stop());

/** One policy for each denied object. *Shape:* when they are in force. */
async function deny(): Promise<void> {
  for (const { name, resources, operation, object = name } of DENIED) {
    const rule = { apiGroups: ['', 'karpenter.sh'], apiVersions: ['*'], operations: [operation], resources };
    const byKerf = `request.userInfo.groups.exists(group, group.startsWith('kerf:'))`;
    const spec = {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: 'by-kerf', expression: `${byKerf} && request.name == '${object}'` }],
      validations: [{ expression: 'false', message: WHY }],
    };
    const metadata = { name: `deny-${name}` };
    await succeed({ method: 'POST', path: POLICIES, body: { metadata, spec } });
    const binding = { metadata, spec: { policyName: metadata.name, validationActions: ['Deny'] } };
    await succeed({ method: 'POST', path: POLICIES.replace('policies', 'policybindings'), body: binding });
  }
  // The last policy is in force after the others.
  const path = claimPath('patch-claim');
  const headers = { 'content-type': 'application/merge-patch+json' };
  await vi.waitFor(async () => {
    const body = { metadata: { annotations: { a: 'b' } } };
    const { status } = await callAs('lifecycle', { method: 'PATCH', path, headers, query: { dryRun: 'All' }, body });
    expect(status, groupOf('lifecycle')).toBe(422);
  }, SOON);
}

async function allow(): Promise<void> {
  for (const { name } of DENIED) {
    await succeed({ method: 'DELETE', path: `${POLICIES.replace('policies', 'policybindings')}/deny-${name}` });
  }
}

/** A minute of Kerf: a tick, and the polls of drains. */
async function passMinute(): Promise<void> {
  await kerf.run('lifecycle');
  for (let ms = 0; ms < MINUTE; ms += POLL_MS) {
    await kerf.run('termination');
    aheadMs += POLL_MS;
  }
}

function failures(): readonly string[] {
  return kerf.reports.flatMap((report) => report.failures.map(({ message }) => message));
}

test('promise 7: in the ten minutes, all other drains end, and deadlines hold', async () => {
  for (let minute = 0; minute < MINUTES; minute += 1) await passMinute();
  expect(await isGone(kerf, 'free')).toBe(true);
  // D21: the grace period of its pod was over a minute ago.
  expect(await endOf(kerf, 'endless')).toBeDefined();
  for (const { name, ends } of DENIED) expect((await endOf(kerf, name)) !== undefined, name).toBe(ends);
}, 120_000);

test.each(DENIED)('the refusal is reported once, with its object and its cause: $name', ({ name, reported }) => {
  const mine = failures().filter((message) => message.includes(name));
  expect(
    mine.some((message) => message.includes(reported) && message.includes(WHY)),
    mine.join('\n'),
  ).toBe(true);
  expect(mine.toSorted()).toEqual([...new Set(mine)].toSorted());
});

test('nothing else is reported', () => {
  const names = DENIED.map(({ name }) => name);
  expect(failures().filter((message) => !names.some((name) => message.includes(name)))).toEqual([]);
});

test('afterwards, every claim is released, and nothing is left', async () => {
  await allow();
  await vi.waitFor(async () => {
    await passMinute();
    const held: string[] = [];
    for (const { name } of ISLANDS) if (!(await isGone(kerf, name))) held.push(name);
    expect(held).toEqual([]);
  }, SOON);
  for (const { name } of ISLANDS) expect((await recordOf(kerf, name)).releasedAtMs).toBeDefined();
}, 60_000);
