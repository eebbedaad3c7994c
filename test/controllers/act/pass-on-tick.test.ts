import { expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { guardedWithTicks } from '../../../lib/controllers/act/pass-on-tick.ts';
import type { CoalescedWake } from '../../../lib/controllers/run/coalesce-wakes.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { claimsDigest } from '../../../lib/core/cluster/claims-digest.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import type { Wake, WakeTarget } from '../../../lib/ports/messages.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';
import { OWN_TRACES } from '../../core/cluster/autoscaler-traces.ts';
import { UNUSED } from '../../operator/messages.ts';

const TICK: CoalescedWake = { cluster: 'demo', reason: 'tick' };
const DELETED = launchedClaim({
  nodeName: 'node-a',
  deletion: { reason: 'expired', message: '', requestedAtMs: NOW_MS },
});

interface World {
  readonly claims?: readonly NodeClaimRecord[];
  readonly pods?: readonly Pod[];
  /** The pods of each node. */
  readonly running?: readonly Pod[];
  readonly open?: number;
  readonly commands?: number;
  readonly shadow?: boolean;
  /** The reads that fail. */
  readonly unread?: readonly string[];
  /** Whether the run of lifecycle fails. */
  readonly fails?: boolean;
}

/** The functions that a wake of lifecycle wakes, in order, and how often the NodeClaims are listed. */
async function wokenBy(wake: CoalescedWake, world: World = {}) {
  const { claims = [], pods = [], running = [], open = 0, commands = 0, shadow = false, unread = [] } = world;
  const woken: WakeTarget[] = [];
  const digests: string[] = [];
  let lists = 0;
  const read = async <T>(name: string, answer: T): Promise<T> => {
    if (unread.includes(name)) throw new UnreachableError(`${name}: no answer`);
    return answer;
  };
  const own = {
    cluster: {
      findOtherAutoscalers: async () => read('autoscalers', OWN_TRACES),
      listAutoModePools: async () => [],
      listUnboundPods: async () => read('pods', pods),
      listNodes: async () => [],
      listPodsOnNode: async () => read('pods of nodes', running),
      listCapacityBuffers: async () => read('buffers', []),
    },
    store: {
      async listNodeClaims() {
        lists += 1;
        return read('claims', claims);
      },
      isOnStandby: async () => false,
      hasOpenDecisions: async () => open > 0,
      listCommands: async () => Array.from({ length: commands }),
    },
    cloud: { autoMode: async () => false },
    messages: {
      async wake(target: WakeTarget, { claimsDigest: digest }: Wake) {
        woken.push(target);
        if (digest !== undefined) digests.push(digest);
      },
    },
    clock: { now: () => NOW_MS },
    settings: { ...DEFAULT_SETTINGS, shadow },
  };
  const ports: ControllerPorts = Object.create(UNUSED, Object.getOwnPropertyDescriptors(own));
  let listed: readonly NodeClaimRecord[] | undefined;
  const run = guardedWithTicks(async (_, { claims: given }) => {
    if (world.fails === true) throw new UnreachableError('the run failed');
    listed = await given;
    return aRunReport({ controller: 'lifecycle' });
  });
  const outcome = await run(ports, wake).then(
    () => 'done',
    (error: Error) => error.message,
  );
  return { woken, digests, lists, listed, outcome };
}

test('a tick of a cluster without nodes wakes no other function', async () => {
  expect(await wokenBy(TICK)).toMatchObject({ woken: [], lists: 1, listed: [], outcome: 'done' });
});

test('a tick of idle nodes wakes disruption, and the NodeClaims are listed once for all', async () => {
  const claims = [launchedClaim()];
  expect(await wokenBy(TICK, { claims })).toMatchObject({
    woken: ['disruption'],
    lists: 1,
    listed: claims,
    outcome: 'done',
  });
});

test.each<[string, World, readonly WakeTarget[]]>([
  ['a pending pod wakes provisioning', { pods: [pendingPod()] }, ['provisioning']],
  [
    'a deleted claim wakes provisioning, which places its pods',
    { claims: [DELETED], running: [runningPod('node-a')] },
    ['disruption', 'provisioning'],
  ],
  ['a deleted claim without pods does not wake provisioning', { claims: [DELETED] }, ['disruption']],
  ['an open decision wakes provisioning, which finishes it', { open: 1 }, ['provisioning']],
  ['a command without nodes wakes disruption, which ends it', { commands: 1 }, ['disruption']],
])('%s', async (_, world, woken) => {
  expect((await wokenBy(TICK, world)).woken).toEqual(woken);
});

test.each<[string, World, readonly WakeTarget[]]>([
  ['the NodeClaims', { unread: ['claims'] }, ['disruption', 'provisioning']],
  ['the pods', { unread: ['pods'] }, ['provisioning']],
  ['the CapacityBuffers', { unread: ['buffers'] }, ['provisioning']],
  [
    'the pods of a node that is removed',
    { claims: [DELETED], unread: ['pods of nodes'] },
    ['disruption', 'provisioning'],
  ],
])('what cannot be read may be work: %s', async (_, world, woken) => {
  expect((await wokenBy(TICK, world)).woken).toEqual(woken);
});

test('promise 7: the others are woken although the run of lifecycle fails', async () => {
  const { woken, outcome } = await wokenBy(TICK, { claims: [DELETED], unread: ['pods'], fails: true });
  expect(woken).toEqual(['disruption', 'provisioning']);
  expect(outcome).toBe('the run failed');
});

test('a wake that is not a tick, or names a claim, wakes no other function', async () => {
  const claims = [DELETED];
  expect((await wokenBy({ ...TICK, reason: 'webhook' }, { claims })).woken).toEqual([]);
  expect((await wokenBy({ ...TICK, nodeClaim: 'a' }, { claims })).woken).toEqual([]);
  expect((await wokenBy({ ...TICK, reason: 'webhook+tick' }, { claims })).woken).not.toEqual([]);
});

test('in shadow, the functions have ticks of their own', async () => {
  expect((await wokenBy(TICK, { claims: [DELETED], shadow: true })).woken).toEqual([]);
});

test('disruption gets the digest of the NodeClaims that were listed', async () => {
  const claims = [launchedClaim()];
  const { digests } = await wokenBy(TICK, { claims });
  expect(digests).toEqual([claimsDigest(claims)]);
});
