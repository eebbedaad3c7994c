import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { carryOut } from '../../../lib/controllers/run/carry-out.ts';
import { recordAndAct } from '../../../lib/controllers/run/cluster-decision.ts';
import { finishDecision, settledEpoch } from '../../../lib/controllers/run/open-decisions.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { type Action, type Decision, type PodTarget, requeueAt } from '../../../lib/core/model/decision.ts';
import type { PastMove } from '../../../lib/core/model/disruption/past-move.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { ConflictError, EpochMovedError, RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDecision, aReplacingCommand } from '../../builders/decisions.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';
import { UNUSED } from '../../operator/messages.ts';

const NODE_CLAIM = 'general-a';
const CORDON: Action = { kind: 'cordon-node', nodeClaim: NODE_CLAIM, node: { name: 'node-1' }, patch: {} };

function evict(name: string, force?: { readonly graceSeconds: number }): Action {
  const pod = { namespace: 'default', name, uid: `uid-${name}` };
  return { kind: 'evict-pod', nodeClaim: NODE_CLAIM, pod, ...(force && { force }) };
}

function create(name: string): Action {
  return { kind: 'create-node-claim', nodeClaim: aRecord({ name }) };
}

function failWith(error: Error) {
  return async (): Promise<never> => {
    throw error;
  };
}

/** Ports on an empty table, with the methods of the test. */
function portsWith({
  cluster = {},
  store = {},
  ...over
}: {
  readonly cluster?: object;
  readonly store?: object;
  readonly messages?: object;
  readonly nowMs?: number;
}): ControllerPorts {
  const table = { ...memoryNodeClaimStore(), ...store };
  const messages = { wake: async () => {}, publish: async () => {}, ...over.messages };
  const clock = { now: () => over.nowMs ?? NOW_MS };
  return Object.create(UNUSED, Object.getOwnPropertyDescriptors({ cluster, store: table, messages, clock }));
}

/** A cluster that evicts and deletes pods, except those that the test denies. */
function denying(...denied: readonly string[]) {
  const gone: string[] = [];
  const remove = (pod: PodTarget): void => {
    if (denied.includes(pod.name)) throw new RefusedError(`403 ${pod.name} is protected by a policy`);
    gone.push(pod.name);
  };
  const cluster = {
    patchNode: async () => {},
    evictPod: async (pod: PodTarget) => {
      remove(pod);
      return { kind: 'evicted' };
    },
    deletePod: async (pod: PodTarget) => remove(pod),
  };
  return { gone, cluster };
}

describe('an action that fails does not stop the others', () => {
  test('a pod whose eviction is denied does not keep other pods on the node (D23)', async () => {
    const { gone, cluster } = denying('b');
    const actions = [CORDON, evict('a'), evict('b'), evict('c')];
    const outcomes = await carryOut(portsWith({ cluster }), aDecision({ actions }));
    expect(gone).toEqual(['a', 'c']);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'refused', 'done']);
  });

  test('a pod whose deletion is denied does not keep other pods on the node (D24)', async () => {
    const { gone, cluster } = denying('a');
    const actions = ['a', 'b'].map((name) => evict(name, { graceSeconds: 1 }));
    await carryOut(portsWith({ cluster }), aDecision({ actions }));
    expect(gone).toEqual(['b']);
  });

  test.each([new RefusedError('403'), new UnreachableError('503'), new ConflictError('409')])(
    'pods are evicted from a node that cannot be cordoned: %s',
    async (error) => {
      const { gone, cluster } = denying();
      const failing = { ...cluster, patchNode: failWith(error) };
      const outcomes = await carryOut(portsWith({ cluster: failing }), aDecision({ actions: [CORDON, evict('a')] }));
      expect(gone).toEqual(['a']);
      expect(outcomes[0]).toEqual({ kind: error.retryable ? 'failed' : 'refused', action: CORDON, error });
    },
  );

  test('an eviction that is not answered does not delay other evictions', async () => {
    const { gone, cluster } = denying();
    const othersGone = Promise.withResolvers<void>();
    const evictPod = async (pod: PodTarget) => {
      if (pod.name === 'slow') await othersGone.promise;
      const outcome = await cluster.evictPod(pod);
      if (gone.length === 20) othersGone.resolve();
      return outcome;
    };
    const others = Array.from({ length: 20 }, (_, index) => evict(`pod-${index}`));
    const actions = [evict('slow'), ...others];
    await carryOut(portsWith({ cluster: { ...cluster, evictPod } }), aDecision({ actions }));
    expect(gone.at(-1)).toBe('slow');
    expect(gone).toHaveLength(21);
  });

  test('a claim whose item cannot be written does not keep other claims from being created', async () => {
    const { store, createdClaims } = refusingToCreate(new RefusedError('the item is invalid'), 'general-b');
    await carryOut(portsWith({ store }), aDecision({ actions: ['general-a', 'general-b', 'general-c'].map(create) }));
    expect(createdClaims).toEqual(['general-a', 'general-c']);
  });

  test('a wake that cannot be sent does not make its action fail, because the next tick finds the claim', async () => {
    const lost = new UnreachableError('no queue');
    const ports = portsWith({ messages: { wake: failWith(lost) } });
    const [outcome] = await carryOut(ports, aDecision({ actions: [create('general-a')] }));
    expect(outcome).toMatchObject({ kind: 'done', lostWakes: [lost] });
  });

  test('an error that is not of a port, as of a bug, is a refusal of its action only', async () => {
    const { gone, cluster } = denying();
    const bug = new TypeError('a bug');
    const ports = portsWith({ cluster: { ...cluster, patchNode: failWith(bug) } });
    const outcomes = await carryOut(ports, aDecision({ actions: [CORDON, evict('a')] }));
    expect(gone).toEqual(['a']);
    expect(outcomes[0]).toMatchObject({
      kind: 'refused',
      error: { message: 'unexpected error: TypeError: a bug', cause: bug },
    });
  });
});

function refusingToCreate(error: Error, ...refused: readonly string[]) {
  const createdClaims: string[] = [];
  const closed: string[] = [];
  const store = {
    createNodeClaim: async ({ name }: { readonly name: string }) => {
      if (refused.includes(name)) throw error;
      createdClaims.push(name);
    },
    closeDecision: async ({ id }: { readonly id: string }) => {
      closed.push(id);
      return 'closed';
    },
  };
  return { store, createdClaims, closed };
}

function deletionOf(nodeClaim: string): Action {
  return { kind: 'delete-node-claim', nodeClaim, reason: 'underutilized', message: '' };
}

/** The deletions of these claims cannot be recorded. */
function refusingToDelete(...refused: readonly string[]) {
  const moves: PastMove[] = [];
  const ended: string[] = [];
  const store = {
    readNodeClaim: async (_cluster: string, name: string) => aRecord({ name }),
    updateNodeClaim: async (record: NodeClaimRecord) => {
      if (refused.includes(record.name)) throw new RefusedError('denied');
      return record;
    },
    recordMove: async (_cluster: string, move: PastMove) => void moves.push(move),
    endCommand: async (_cluster: string, id: string) => void ended.push(id),
    closeDecision: async () => 'closed',
  };
  return { store, moves, ended };
}

describe('a recorded decision', () => {
  const decision = aDecision({ actions: ['general-a', 'general-b'].map(create) });

  test('stays open while an action may succeed later', async () => {
    const { store, createdClaims, closed } = refusingToCreate(new UnreachableError('throttled'), 'general-a');
    const { unfinished, failures } = await finishDecision(portsWith({ store }), decision);
    expect([createdClaims, closed, unfinished?.message]).toEqual([['general-b'], [], 'throttled']);
    expect(failures.map(({ message }) => message)).toEqual(['create-node-claim general-a: throttled']);
  });

  test('is closed if an action is refused for good, and the refusal has its name and cause', async () => {
    const { store, closed } = refusingToCreate(new RefusedError('the item is invalid'), 'general-a');
    const finished = await finishDecision(portsWith({ store }), decision);
    expect(closed).toEqual([decision.id]);
    expect(finished.unfinished).toBeUndefined();
    expect(finished.decision.actions).toMatchObject([{ nodeClaim: { name: 'general-b' } }]);
    expect(finished.decision.blocked).toMatchObject([
      {
        subject: { kind: 'NodeClaim', name: 'general-a' },
        reason: 'ActionRefused',
        message: 'create-node-claim general-a is refused: the item is invalid',
      },
    ]);
  });

  const evicted = { 'Deployment default/web': 1 };
  const deletes = ['a', 'b'].map((node) => ({ nodeClaim: `general-${node}`, node, priceUsdPerHour: 0.1, evicted }));
  const end: Action = {
    kind: 'end-disruption',
    command: 'command-1',
    outcome: 'executed',
    why: 'all candidates are valid',
    savingUsdPerHour: 0.2,
    deletes,
  };
  const moved = { command: 'command-1', atMs: 1, untilMs: 2, launched: [], evicted: { 'Deployment default/web': 2 } };
  const ofCommand = [...deletes.map(({ nodeClaim }) => deletionOf(nodeClaim)), { ...end, moved }];

  test('ends a disruption command with what was done: a refused deletion is named, and its saving does not count', async () => {
    const { store, moves, ended } = refusingToDelete('general-b');
    const finished = await finishDecision(portsWith({ store }), aDecision({ actions: ofCommand }));
    const done = {
      outcome: 'executed',
      why: 'all candidates are valid; the deletion of b was refused: denied',
      savingUsdPerHour: 0.1,
      moved: { evicted },
      refused: [{ nodeClaim: 'general-b', node: 'b', message: 'denied' }],
    };
    expect(finished.decision.actions).toMatchObject([{ nodeClaim: 'general-a' }, done]);
    expect([moves, ended]).toEqual([[{ ...moved, evicted }], ['command-1']]);
  });

  test.each([
    {
      what: 'rejects its command',
      deleted: [],
      ofEnd: { outcome: 'rejected', why: expect.stringMatching(/a, b was refused: .* 2 minutes/) },
      remembered: [],
    },
    {
      what: 'ends its command with what an earlier run has deleted',
      deleted: ['general-a'],
      ofEnd: { outcome: 'executed', savingUsdPerHour: 0.1, moved: { evicted } },
      remembered: [{ ...moved, evicted }],
    },
  ])('that is two minutes old deletes nothing and $what', async ({ deleted, ofEnd, remembered }) => {
    const { store, moves, ended } = refusingToDelete();
    const updated: string[] = [];
    const deletion = { reason: 'underutilized', message: '', requestedAtMs: NOW_MS } as const;
    const table = {
      ...store,
      readNodeClaim: async (_cluster: string, name: string) =>
        aRecord({ name, ...(deleted.some((one) => one === name) && { deletion }) }),
      updateNodeClaim: async (record: NodeClaimRecord) => void updated.push(record.name),
    };
    const ports = portsWith({ store: table, nowMs: NOW_MS + 2 * MINUTE_MS });
    const finished = await finishDecision(ports, aDecision({ actions: ofCommand }), { isEarlier: true });
    expect(finished.decision.actions).toMatchObject([
      ...deleted.map((nodeClaim) => ({ kind: 'delete-node-claim', nodeClaim })),
      { kind: 'end-disruption', ...ofEnd },
    ]);
    expect([updated, moves, ended]).toEqual([[], remembered, ['command-1']]);
    expect(finished.failures).toEqual([]);
  });

  test('is closed after five minutes, when lifecycle would give up its claims', async () => {
    const { store, closed } = refusingToCreate(new UnreachableError('throttled'), 'general-a');
    await finishDecision(portsWith({ store, nowMs: NOW_MS + 5 * MINUTE_MS - 1 }), decision);
    expect(closed).toEqual([]);
    await finishDecision(portsWith({ store, nowMs: NOW_MS + 5 * MINUTE_MS }), decision);
    expect(closed).toEqual([decision.id]);
  });
});

test.each([
  ['a new claim is launched', undefined, ['lifecycle']],
  [
    'an adopted claim that is being deleted is drained',
    { reason: 'deleted', message: '', requestedAtMs: NOW_MS },
    ['termination', 'provisioning'],
  ],
] as const)('%s without waiting for a tick', async (_, deletion, woken) => {
  const wakes: string[] = [];
  const messages = { wake: async (target: string) => void wakes.push(target) };
  const nodeClaim = { ...aRecord({ name: NODE_CLAIM }), ...(deletion && { deletion }) };
  await carryOut(portsWith({ messages }), aDecision({ actions: [{ kind: 'create-node-claim', nodeClaim }] }));
  expect(wakes).toEqual(woken);
});

test('promise 2: a claim is created after the deletion before it, whose room it may need', async () => {
  const done: string[] = [];
  const table = memoryNodeClaimStore();
  const store = {
    createNodeClaim: async (record: NodeClaimRecord) => {
      done.push(`create ${record.name}`);
      return table.createNodeClaim(record);
    },
    readNodeClaim: async (_: string, name: string) => void done.push(`delete ${name}`),
  };
  const remove: Action = { kind: 'delete-node-claim', nodeClaim: 'old', reason: 'drifted', message: '' };
  const actions = [create('a'), create('b'), remove, create('c')];
  await carryOut(portsWith({ store }), aDecision({ actions }));
  expect(done).toEqual(['create a', 'create b', 'delete old', 'create c']);
});

test.each([new UnreachableError('throttled'), new RefusedError('the item is invalid')])(
  'E33: a replacement is created only after its command was recorded, and those of other commands regardless: %s',
  async (error) => {
    const created: string[] = [];
    const store = {
      continueCommand: async (_: string, { id }: { readonly id: string }) => {
        if (id === 'command-1') throw error;
      },
      createNodeClaim: async ({ name }: NodeClaimRecord) => void created.push(name),
    };
    const actions = ['command-1', 'command-2'].flatMap((id): Action[] => [
      { kind: 'continue-disruption', command: aReplacingCommand({ id }) },
      { kind: 'create-node-claim', nodeClaim: { ...aRecord({ name: `for-${id}` }), command: id } },
    ]);
    const outcomes = await carryOut(portsWith({ store }), aDecision({ actions: [...actions, create('other')] }));
    expect(created).toEqual(['for-command-2', 'other']);
    expect(outcomes.map(({ kind, action }) => [action.kind, kind])).toEqual([
      ['continue-disruption', error.retryable ? 'failed' : 'refused'],
      ['continue-disruption', 'done'],
      ['create-node-claim', 'done'],
      ['create-node-claim', 'done'],
    ]);
  },
);

test('a released claim wakes provisioning and disruption, whose limits and budgets it no longer uses', async () => {
  const store = memoryNodeClaimStore();
  const record = aRecord({ name: NODE_CLAIM });
  await store.createNodeClaim(record);
  const woken: string[] = [];
  const wake = async (target: string): Promise<void> => void woken.push(target);
  const cluster = { removeNodeClaim: async () => {} };
  const actions: readonly Action[] = [{ kind: 'release-node-claim', nodeClaim: NODE_CLAIM, atMs: NOW_MS }];
  const ports = portsWith({ cluster, store, messages: { wake } });
  const decision = aDecision({ cluster: record.cluster, actions });
  await carryOut(ports, decision);
  expect(woken).toEqual(['provisioning', 'disruption']);
  await carryOut(ports, decision);
  expect(woken, 'a repeated release').toHaveLength(2);
});

test('a decision that another run records while open decisions are read invalidates that of this run (promise 2)', async () => {
  const store = memoryNodeClaimStore();
  const [other, own] = ['other', 'own'].map((id) => aDecision({ id, actions: [create(`general-${id}`)] }));
  if (other === undefined || own === undefined) throw new Error('two decisions');
  const openDecisions: typeof store.openDecisions = async (cluster) => {
    const open = await store.openDecisions(cluster);
    if ((await store.readEpoch(cluster)) === 0) await store.recordDecision(other, 0);
    return open;
  };
  const { epoch } = await settledEpoch(portsWith({ store: { ...store, openDecisions } }), own.cluster);
  await expect(store.recordDecision(own, epoch)).rejects.toThrow(EpochMovedError);
});

test('a decision that an earlier run has left open is published and reported by the run that finishes it, without its refusals', async () => {
  const store = memoryNodeClaimStore();
  const blocked = [
    { subject: { kind: 'Pod', namespace: 'default', name: 'web-1' }, reason: 'PDB', message: '', numbers: {} },
  ] as const;
  const open = aDecision({ actions: [create('general-a')], blocked });
  await store.recordDecision(open, 0);
  const published: Decision[] = [];
  const publish = async (one: Decision): Promise<void> => void published.push(one);
  const ports = portsWith({ store, cluster: { publishEvent: async () => {} }, messages: { publish } });
  const told = { ...open, blocked: [] };
  expect(await settledEpoch(ports, open.cluster)).toEqual({ epoch: 1, failures: [], decisions: [told] });
  expect(await settledEpoch(ports, open.cluster)).toEqual({ epoch: 1, failures: [], decisions: [] });
  expect(published).toEqual([told]);
});

test('a command whose move cannot be remembered does not end, so that the limits of moves hold', async () => {
  const ended: string[] = [];
  const store = {
    recordMove: failWith(new UnreachableError('throttled')),
    endCommand: async (_: string, id: string): Promise<void> => void ended.push(id),
  };
  const moved = { command: 'command-1', atMs: NOW_MS, untilMs: NOW_MS, launched: [], evicted: {} };
  const end = { kind: 'end-disruption', command: 'command-1', outcome: 'executed', why: '' } as const;
  const actions = [{ ...end, moved }, end] as const;
  const outcomes = await carryOut(portsWith({ store }), aDecision({ actions }));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'done']);
  expect(ended).toHaveLength(1);
});

test('a decision with an action that may succeed later is repeated within five seconds, and not as soon as what follows it', async () => {
  const { store } = refusingToCreate(new UnreachableError('throttled'), 'general-a');
  const { actions: _actions, blocked: _blocked, ...named } = aDecision();
  const verdict = { actions: [create('general-a')], blocked: [], due: [requeueAt(NOW_MS), requeueAt(NOW_MS + 1000)] };
  const { report } = await recordAndAct(portsWith({ store }), aSnapshot({ epoch: 0 }), { named, verdict });
  expect(report.due.map(({ atMs }) => atMs)).toEqual([NOW_MS + 5_000]);
});
