import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EpochMovedError, InstanceTakenError, StaleRecordError } from '../../lib/ports/errors.ts';
import type { NodeClaimStore } from '../../lib/ports/node-claim-store.ts';
import { aCommand, aReplacingCommand, candidatesNamed } from '../builders/decisions.ts';
import { aTemplate } from '../builders/launch-templates.ts';
import { aClaim } from '../builders/node-claims.ts';
import { NOW_MS } from '../builders/times.ts';
import { aLaunchDecision, aLaunchOfTwoTypes, aRecord, launchedAs } from './records.ts';
import { keptByRunsContract } from './store/kept-by-runs.ts';

export interface NodeClaimStoreHarness {
  readonly store: NodeClaimStore;
  readonly close?: () => Promise<void>;
}

/** The doc comment of `lib/ports/node-claim-store.ts`, executed. Clusters have fresh names: stores may be shared. */
export function nodeClaimStoreContract(name: string, make: () => Promise<NodeClaimStoreHarness>): void {
  describe(`NodeClaimStore: ${name}`, () => {
    let harness: NodeClaimStoreHarness;
    let store: NodeClaimStore;
    let cluster: string;
    beforeEach(async () => {
      harness = await make();
      store = harness.store;
      cluster = `cluster-${randomUUID()}`;
    });
    afterEach(() => harness.close?.());

    describe('decisions', () => {
      const decide = (id: string, atMs = NOW_MS) => aLaunchDecision({ id, cluster, atMs });

      test('a cluster without decisions is at epoch 0', async () => {
        expect(await store.readEpoch(cluster)).toBe(0);
      });

      test('each decision increases the epoch by one and is open until it is closed, oldest first', async () => {
        await store.recordDecision(decide('b', NOW_MS + 2), 0);
        await store.recordDecision(decide('a', NOW_MS + 1), 1);
        await store.recordDecision(decide('c', NOW_MS + 2), 2);
        expect(await store.readEpoch(cluster)).toBe(3);
        expect(await store.openDecisions(cluster)).toEqual([
          decide('a', NOW_MS + 1),
          decide('b', NOW_MS + 2),
          decide('c', NOW_MS + 2),
        ]);
        await store.closeDecision(decide('b', NOW_MS + 2));
        expect((await store.openDecisions(cluster)).map(({ id }) => id)).toEqual(['a', 'c']);
      });

      test('closing a decision twice is success', async () => {
        await store.recordDecision(decide('a'), 0);
        expect(await store.closeDecision(decide('a'))).toBe('closed');
        expect(await store.closeDecision(decide('a'))).toBe('known');
        expect(await store.openDecisions(cluster)).toEqual([]);
      });

      test('a decision with an outdated epoch is refused and writes nothing', async () => {
        await store.recordDecision(decide('a'), 0);
        await expect(store.recordDecision(decide('b'), 0)).rejects.toBeInstanceOf(EpochMovedError);
        await expect(store.recordDecision(decide('b'), 2)).rejects.toBeInstanceOf(EpochMovedError);
        expect(await store.readEpoch(cluster)).toBe(1);
        await store.recordDecision(decide('c'), 1);
        await expect(store.recordDecision(decide('b'), 1)).rejects.toBeInstanceOf(EpochMovedError);
        expect(await store.readEpoch(cluster)).toBe(2);
        expect((await store.openDecisions(cluster)).map(({ id }) => id)).toEqual(['a', 'c']);
      });

      test.each([0, 1])('the same decision again, on epoch %i, is success and moves nothing', async (epoch) => {
        await store.recordDecision(decide('a'), 0);
        await store.recordDecision(decide('a'), epoch);
        expect(await store.readEpoch(cluster)).toBe(1);
        expect(await store.openDecisions(cluster)).toEqual([decide('a')]);
        expect(await store.hasOpenDecisions(cluster)).toBe(true);
      });

      test('a decision that is too large for an item is read unchanged while it is open', async () => {
        const pods = Array.from({ length: 6_000 }, () => `default/${randomBytes(60).toString('hex')}`);
        const actions = [{ kind: 'create-node-claim', nodeClaim: aRecord({ pods }) }] as const;
        const large = { ...decide('large'), actions };
        await store.recordDecision(large, 0);
        await store.recordDecision(decide('small'), 1);
        for (let read = 0; read < 2; read += 1) {
          expect(await store.openDecisions(cluster)).toEqual([large, decide('small')]);
        }
        await store.closeDecision(large);
        expect((await store.openDecisions(cluster)).map(({ id }) => id)).toEqual(['small']);
      });

      test('a closed decision is not opened again', async () => {
        await store.recordDecision(decide('a'), 0);
        await store.closeDecision(decide('a'));
        await store.recordDecision(decide('a'), 1);
        expect([await store.openDecisions(cluster), await store.hasOpenDecisions(cluster)]).toEqual([[], false]);
        expect(await store.readEpoch(cluster)).toBe(1);
      });

      test('of several decisions with the same epoch, one is recorded', async () => {
        const tries = Array.from({ length: 8 }, (_, index) => store.recordDecision(decide(`try-${index}`), 0));
        const outcomes = await Promise.allSettled(tries);
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await store.readEpoch(cluster)).toBe(1);
        expect(await store.openDecisions(cluster)).toHaveLength(1);
      });

      test('clusters are independent', async () => {
        await store.recordDecision(decide('a'), 0);
        expect(await store.readEpoch(`${cluster}-2`)).toBe(0);
        expect(await store.openDecisions(`${cluster}-2`)).toEqual([]);
      });
    });

    describe('decisions in shadow', () => {
      const decide = (atMs = NOW_MS) => aLaunchDecision({ id: 'shadow-a', cluster, atMs, shadow: true });

      test('are kept for history: none is open, and the epoch does not change', async () => {
        expect(await store.recordShadow(decide(), 'one')).toBe('new');
        expect(await store.openDecisions(cluster)).toEqual([]);
        expect(await store.readEpoch(cluster)).toBe(0);
        await store.recordDecision(aLaunchDecision({ id: 'real', cluster, atMs: NOW_MS }), 0);
        expect((await store.openDecisions(cluster)).map(({ id }) => id)).toEqual(['real']);
      });

      test('are new or known', async () => {
        expect(await store.recordShadow(decide(), 'one')).toBe('new');
        expect(await store.recordShadow(decide(NOW_MS + 1), 'one')).toBe('known');
        expect(await store.recordShadow(decide(NOW_MS + 2), 'two')).toBe('new');
        expect(await store.recordShadow({ ...decide(), cluster: `${cluster}-2` }, 'one')).toBe('new');
      });
    });

    describe('standby', () => {
      test('lasts until the later of its ends, separately for each cluster', async () => {
        expect(await store.isOnStandby(cluster, NOW_MS)).toBe(false);
        await store.setStandby(cluster, NOW_MS + 100);
        await store.setStandby(cluster, NOW_MS + 50);
        const at = async (ms: number, of = cluster) => await store.isOnStandby(of, NOW_MS + ms);
        expect([await at(99), await at(100), await at(0, `${cluster}-2`)]).toEqual([true, false, false]);
        await store.setStandby(cluster, NOW_MS + 200);
        expect([await at(199), await at(200)]).toEqual([true, false]);
      });
    });

    describe('NodeClaims', () => {
      const claim = (over: Parameters<typeof aRecord>[0] = {}) => aRecord({ cluster, ...over });
      const released = { releasedAtMs: NOW_MS + 1 };

      test('a created record is read with all its fields', async () => {
        const request = aLaunchOfTwoTypes({ templates: [aTemplate({ userData: 'ä'.repeat(9_000) })] });
        const requested = claim({
          launch: { kind: 'requested', attempt: 1, request, atMs: 1 },
        });
        await store.createNodeClaim(requested);
        expect(await store.readNodeClaim(cluster, requested.name)).toEqual(requested);
        expect(await store.readNodeClaim(cluster, 'other')).toBeUndefined();
      });

      test('an existing record is not overwritten', async () => {
        await store.createNodeClaim(claim());
        await store.createNodeClaim(claim({ nodePool: 'other' }));
        expect(await store.readNodeClaim(cluster, 'general-a')).toEqual(claim());
      });

      test('an update increases the version by one', async () => {
        await store.createNodeClaim(claim());
        const written = await store.updateNodeClaim(claim({ nodeName: 'node-1' }));
        expect(written).toEqual(claim({ nodeName: 'node-1', version: 2 }));
        expect(await store.readNodeClaim(cluster, 'general-a')).toEqual(written);
      });

      test('an update over another version than the one read is refused and changes nothing', async () => {
        await store.createNodeClaim(claim());
        const written = await store.updateNodeClaim(claim({ nodeName: 'node-1' }));
        await expect(store.updateNodeClaim(claim({ nodeName: 'node-2' }))).rejects.toBeInstanceOf(StaleRecordError);
        const launched = launchedAs(claim(), `i-${randomUUID()}`);
        await expect(store.updateNodeClaim(launched)).rejects.toBeInstanceOf(StaleRecordError);
        await expect(store.updateNodeClaim(claim(released))).rejects.toBeInstanceOf(StaleRecordError);
        await expect(store.updateNodeClaim(claim({ version: 3 }))).rejects.toBeInstanceOf(StaleRecordError);
        expect(await store.readNodeClaim(cluster, 'general-a')).toEqual(written);
      });

      test('an update over an earlier version is also refused if the instance is the same', async () => {
        await store.createNodeClaim(claim());
        const launched = await store.updateNodeClaim(launchedAs(claim(), `i-${randomUUID()}`));
        const registered = await store.updateNodeClaim({ ...launched, nodeName: 'node-1' });
        const late = store.updateNodeClaim({ ...launched, nodeName: 'node-2' });
        await expect(late).rejects.toBeInstanceOf(StaleRecordError);
        expect(await store.readNodeClaim(cluster, 'general-a')).toEqual(registered);
      });

      test('several records are updated together, or none of them', async () => {
        for (const each of ['a', 'b', 'c']) await store.createNodeClaim(claim({ name: each }));
        const written = await store.updateNodeClaims([claim({ name: 'a', nodeName: 'x' }), claim({ name: 'b' })]);
        expect(written).toEqual([claim({ name: 'a', nodeName: 'x', version: 2 }), claim({ name: 'b', version: 2 })]);
        expect(await store.readNodeClaim(cluster, 'a')).toEqual(written[0]);
        const stale = store.updateNodeClaims([claim({ name: 'c', nodeName: 'y' }), claim({ name: 'b' })]);
        await expect(stale).rejects.toBeInstanceOf(StaleRecordError);
        expect(await store.readNodeClaim(cluster, 'c')).toEqual(claim({ name: 'c' }));
      });

      test('fifty records of launches fit into one update', async () => {
        const request = aLaunchOfTwoTypes({ templates: [aTemplate({ userData: 'x'.repeat(9_000) })] });
        const names = Array.from({ length: 50 }, (_, index) => `general-${index}`);
        for (const each of names) await store.createNodeClaim(claim({ name: each }));
        const launch = { kind: 'requested', attempt: 1, request, atMs: 1 } as const;
        const written = await store.updateNodeClaims(names.map((each) => claim({ name: each, launch })));
        expect(written.map(({ version }) => version)).toEqual(names.map(() => 2));
      });

      test('a claim does not get the instance of another claim, also not of a released one', async () => {
        const id = `i-${randomUUID()}`;
        for (const each of ['a', 'b']) await store.createNodeClaim(claim({ name: each }));
        const first = await store.updateNodeClaim(launchedAs(claim({ name: 'a' }), id));
        const take = () => store.updateNodeClaim(launchedAs(claim({ name: 'b' }), id));
        await expect(take()).rejects.toBeInstanceOf(InstanceTakenError);
        const stale = launchedAs(claim({ name: 'b', version: 3 }), id);
        await expect(store.updateNodeClaim(stale)).rejects.toBeInstanceOf(StaleRecordError);
        await store.updateNodeClaim({ ...first, ...released });
        await expect(take()).rejects.toBeInstanceOf(InstanceTakenError);
        expect(await store.readNodeClaim(cluster, 'b')).toEqual(claim({ name: 'b' }));
      });

      test('an update of a claim that was never created is refused', async () => {
        await expect(store.updateNodeClaim(claim())).rejects.toBeInstanceOf(StaleRecordError);
        expect(await store.readNodeClaim(cluster, 'general-a')).toBeUndefined();
      });

      test('of several updates of one version, one succeeds', async () => {
        await store.createNodeClaim(claim());
        const tries = Array.from({ length: 8 }, (_, index) => store.updateNodeClaim(claim({ nodeName: `n-${index}` })));
        const outcomes = await Promise.allSettled(tries);
        const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
        expect(won).toHaveLength(1);
        expect(await store.readNodeClaim(cluster, 'general-a')).toEqual(won[0]?.value);
      });

      test('a cluster has deleted claims from the first record with a deletion until the last one is released', async () => {
        const deletion = { reason: 'expired', message: 'older', requestedAtMs: NOW_MS } as const;
        await store.createNodeClaim(claim({ name: 'a' }));
        expect(await store.hasDeletedClaims(cluster)).toBe(false);
        const [a, b] = [await store.updateNodeClaim(claim({ name: 'a', deletion })), claim({ name: 'b', deletion })];
        await store.createNodeClaim(b);
        await store.updateNodeClaim({ ...a, ...released });
        expect([await store.hasDeletedClaims(cluster), await store.hasDeletedClaims(`${cluster}-2`)]).toEqual([
          true,
          false,
        ]);
        await store.updateNodeClaim({ ...b, ...released });
        expect(await store.hasDeletedClaims(cluster)).toBe(false);
      });

      test('a cluster has deleted claims after the first update with a deletion', async () => {
        await store.createNodeClaim(claim());
        await store.updateNodeClaim(
          claim({ deletion: { reason: 'expired', message: 'older', requestedAtMs: NOW_MS } }),
        );
        expect(await store.hasDeletedClaims(cluster)).toBe(true);
      });

      test('a list is by name, without released claims and those of other clusters', async () => {
        for (const each of ['b', 'a', 'c', 'a-2']) await store.createNodeClaim(claim({ name: each }));
        await store.createNodeClaim(claim({ name: 'd', cluster: `${cluster}-2` }));
        await store.updateNodeClaim(claim({ name: 'c', ...released }));
        expect((await store.listNodeClaims(cluster)).map((each) => each.name)).toEqual(['a', 'a-2', 'b']);
      });

      test('a released claim can be read, and its name is not used again', async () => {
        await store.createNodeClaim(claim());
        const gone = await store.updateNodeClaim(claim(released));
        await store.createNodeClaim(claim());
        expect(await store.readNodeClaim(cluster, 'general-a')).toEqual(gone);
        expect(await store.listNodeClaims(cluster)).toEqual([]);
      });

      test('a launched claim is stored without the options of its launch', async () => {
        const { types } = aClaim();
        await store.createNodeClaim(claim({ types }));
        expect(await store.readNodeClaim(cluster, 'general-a')).toMatchObject({ types, options: [{}] });
        const fat = launchedAs(claim({ types }), `i-${randomUUID()}`);
        const written = await store.updateNodeClaim(fat);
        expect(written).toEqual({ ...fat, version: 2, options: [], types: [] });
        expect(await store.listNodeClaims(cluster)).toEqual([written]);
      });

      const find = (id: string) => store.findNodeClaim(id, (owner) => owner === cluster);

      test('a claim is found by its instance after the write with the instance, also after its release', async () => {
        const id = `i-${randomUUID()}`;
        await store.createNodeClaim(claim());
        expect(await find(id)).toBeUndefined();
        const launched = await store.updateNodeClaim(launchedAs(claim(), id));
        expect(await find(id)).toEqual(launched);
        const registered = await store.updateNodeClaim({ ...launched, nodeName: 'node-1' });
        expect(await find(id)).toEqual(registered);
        const gone = await store.updateNodeClaim({ ...registered, ...released });
        expect(gone.version).toBe(4);
        expect(await find(id)).toEqual(gone);
      });

      test('a claim of a cluster that the caller does not serve differs from an unknown instance', async () => {
        const id = `i-${randomUUID()}`;
        expect(await store.findNodeClaim(id, (owner) => owner !== cluster)).toBeUndefined();
        await store.createNodeClaim(launchedAs(claim(), id));
        expect(await store.findNodeClaim(id, (owner) => owner !== cluster)).toBe('not-served');
      });

      test('a claim is found by its instance if the first write with the instance has its node too', async () => {
        const id = `i-${randomUUID()}`;
        await store.createNodeClaim(claim());
        const joined = { ...launchedAs(claim(), id), nodeName: 'node-1', registeredAtMs: NOW_MS };
        const written = await store.updateNodeClaim(joined);
        expect(await find(id)).toEqual(written);
      });

      test('a claim is found by the instance that replaces its first one, although its node is known', async () => {
        const [first, second] = [`i-${randomUUID()}`, `i-${randomUUID()}`];
        await store.createNodeClaim(claim());
        const launched = await store.updateNodeClaim({ ...launchedAs(claim(), first), nodeName: 'node-1' });
        expect(await find(second)).toBeUndefined();
        const replaced = await store.updateNodeClaim(launchedAs(launched, second));
        expect(await find(second)).toEqual(replaced);
      });

      test('a claim is found by the instance that replaces its first one, whatever the order of their ids', async () => {
        await store.createNodeClaim(claim());
        let launched = await store.updateNodeClaim(launchedAs(claim(), `i-5-${cluster}`));
        for (const id of [`i-3-${cluster}`, `i-7-${cluster}`]) {
          launched = await store.updateNodeClaim(launchedAs(launched, id));
          expect(await find(id)).toEqual(launched);
        }
      });
    });

    keptByRunsContract(() => ({ store, cluster }));

    describe('commands and nominations', () => {
      test('a command is started once, listed, and ended any number of times', async () => {
        await store.startCommand(cluster, aCommand());
        await store.startCommand(cluster, aCommand({ reason: 'Drifted' }));
        expect(await store.listCommands(cluster)).toEqual([aCommand()]);
        await store.endCommand(cluster, 'command-1');
        await store.endCommand(cluster, 'command-1');
        expect(await store.listCommands(cluster)).toEqual([]);
      });

      test('a command that waits for replacements replaces the proposed one; one that has ended stays ended', async () => {
        const command = aReplacingCommand({ candidates: candidatesNamed('a'), savingUsdPerHour: 0.05, evictions: 2 });
        await store.continueCommand(cluster, command);
        expect(await store.listCommands(cluster)).toEqual([]);
        await store.startCommand(cluster, aCommand());
        await store.continueCommand(cluster, command);
        await store.startCommand(cluster, aCommand());
        expect(await store.listCommands(cluster)).toEqual([command]);
      });

      test('a command of an older version, without replacements and state, is read with none and as proposed', async () => {
        const { replacements: _replacements, state: _state, ...older } = aCommand();
        await store.startCommand(cluster, older);
        expect(await store.listCommands(cluster)).toEqual([aCommand({ replacements: [], state: 'proposed' })]);
      });

      test('a past move is listed until its end, the oldest first; recording it again changes nothing', async () => {
        const evicted = { 'Deployment default/web': 2, 'StatefulSet shop/db': 1 };
        const later = { command: 'b', atMs: NOW_MS, untilMs: NOW_MS + 10_000, launched: ['general-a'], evicted };
        const earlier = { ...later, command: 'c', atMs: NOW_MS - 1, launched: [], evicted: {} };
        expect(await store.listMoves(cluster, NOW_MS)).toEqual([]);
        for (const move of [later, earlier, later]) await store.recordMove(cluster, move);
        await store.recordMove(`${cluster}-2`, { ...later, command: 'a' });
        expect(await store.listMoves(cluster, NOW_MS + 9_999)).toEqual([earlier, later]);
        expect(await store.listMoves(cluster, NOW_MS + 10_000)).toEqual([]);
      });

      test('a nomination expires; a shorter one does not shorten it, and a longer one extends it', async () => {
        await store.nominate(cluster, { node: 'node-1', untilMs: NOW_MS + 20_000 });
        await store.nominate(cluster, { node: 'node-1', untilMs: NOW_MS + 10_000 });
        await store.nominate(cluster, { node: 'node-2', untilMs: NOW_MS + 5_000 });
        const at = async (ms: number) => (await store.listNominations(cluster, NOW_MS + ms)).map(({ node }) => node);
        expect((await at(0)).toSorted()).toEqual(['node-1', 'node-2']);
        expect(await at(5_000)).toEqual(['node-1']);
        expect(await at(19_999)).toEqual(['node-1']);
        expect(await at(20_000)).toEqual([]);
        await store.nominate(cluster, { node: 'node-1', untilMs: NOW_MS + 30_000 });
        expect(await at(20_000)).toEqual(['node-1']);
      });
    });
  });
}
