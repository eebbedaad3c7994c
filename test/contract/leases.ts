import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { optional } from '../../lib/apis/optional.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { EpochMovedError, StaleLeaseError } from '../../lib/ports/errors.ts';
import {
  type Acquired,
  LEASE_MS,
  type Lease,
  type LeaseName,
  type Leases,
  type SeenLease,
} from '../../lib/ports/leases.ts';
import type { NodeClaimStore } from '../../lib/ports/node-claim-store.ts';
import { NOW_MS } from '../builders/times.ts';
import { aLaunchDecision } from './records.ts';

export interface LeasesHarness {
  /** The same leases for two functions. */
  readonly leases: readonly [Leases, Leases];
  readonly store: NodeClaimStore;
  readonly close?: () => Promise<void>;
}

/** The doc comment of `lib/ports/leases.ts`, executed. Clusters have fresh names: stores may be shared. */
export function leasesContract(name: string, make: (clock: Clock) => Promise<LeasesHarness>): void {
  describe(`Leases: ${name}`, () => {
    let nowMs: number;
    let harness: LeasesHarness;
    let one: Leases;
    let other: Leases;
    let work: LeaseName;
    beforeEach(async () => {
      nowMs = NOW_MS;
      harness = await make({ now: () => nowMs });
      [one, other] = harness.leases;
      work = { cluster: `cluster-${randomUUID()}`, work: 'provisioning' };
    });
    afterEach(() => harness.close?.());

    const acquire = async (leases: Leases, of: LeaseName = work): Promise<Acquired> =>
      insist(leases, await leases.see(of));
    const hold = async (leases: Leases, of: LeaseName = work): Promise<Lease> => {
      const acquired = await acquire(leases, of);
      if (acquired.kind !== 'held') throw new Error(`${of.work} of ${of.cluster} is busy`);
      return acquired.lease;
    };

    test('if several runs acquire a lease at once, one holds it, and gets the marks of the others on release', async () => {
      const seen = await one.see(work);
      const tries = Array.from({ length: 8 }, (_, index) => insist(index % 2 === 0 ? one : other, seen));
      const held = (await Promise.all(tries)).flatMap((outcome) => (outcome.kind === 'held' ? [outcome.lease] : []));
      expect(held).toHaveLength(1);
      for (const lease of held) expect(await one.release(lease, 'done')).toEqual({ runAgain: true });
    });

    test('a lease that has changed since it was read is neither acquired nor marked, and its current state is returned', async () => {
      const seen = await one.see(work);
      const lease = await hold(other);
      expect(await one.acquire(seen)).toEqual({ kind: 'changed', seen: await one.see(work) });
      expect(await other.release(lease, 'done')).toEqual({ runAgain: false });
      expect((await one.acquire(seen)).kind).toBe('changed');
    });

    test('a lease without a mark is released without another run, and is free at once', async () => {
      expect(await one.release(await hold(one), 'done')).toEqual({ runAgain: false });
      expect((await acquire(other)).kind).toBe('held');
    });

    test('fences only increase: after a release, after expiry, and for every holder', async () => {
      const first = await hold(one);
      await one.release(first, 'done');
      const second = await hold(other);
      nowMs += LEASE_MS;
      const third = await hold(one);
      await one.release(third, 'failed');
      const fences = [first, second, third, await hold(one)].map(({ fence }) => fence);
      expect(fences).toEqual(fences.toSorted((a, b) => a - b));
      expect(new Set(fences).size).toBe(fences.length);
    });

    test('a lease is held while it is renewed, and expires 15 s later', async () => {
      const lease = await hold(one);
      nowMs += LEASE_MS - 1;
      await one.renew(lease);
      nowMs += LEASE_MS - 1;
      expect((await acquire(other)).kind).toBe('busy');
      nowMs += 1;
      await expect(one.renew(lease)).rejects.toBeInstanceOf(StaleLeaseError);
      expect((await acquire(other)).kind).toBe('held');
      await expect(one.renew(lease)).rejects.toBeInstanceOf(StaleLeaseError);
    });

    test('a lease of a function whose clock runs ahead is not held longer than others', async () => {
      nowMs += 10 * LEASE_MS;
      const ahead = await hold(one);
      nowMs = NOW_MS;
      const taken = await hold(other);
      expect(taken.fence).toBeGreaterThan(ahead.fence);
      expect((await acquire(one)).kind).toBe('busy');
    });

    test('only the new holder can release a lease that was taken over, with the marks since then', async () => {
      const old = await hold(one);
      nowMs += LEASE_MS;
      const taken = await hold(other);
      expect((await acquire(one)).kind).toBe('busy');
      expect(await one.release(old, 'done')).toEqual({ runAgain: false });
      expect((await acquire(one)).kind).toBe('busy');
      expect(await other.release(taken, 'done')).toEqual({ runAgain: true });
    });

    test('a mark is never lost: release returns it, or the run that made it holds the lease', async () => {
      for (let round = 0; round < 10; round += 1) {
        const lease = await hold(one);
        const [marked, { runAgain }] = await Promise.all([acquire(other), one.release(lease, 'done')]);
        expect(marked.kind === 'held' || runAgain, `round ${round}`).toBe(true);
        if (marked.kind === 'held') await other.release(marked.lease, 'done');
      }
    });

    test('the state has the start of the current run, else of the last run that succeeded', async () => {
      const runAtMs = async () => (await other.see(work)).runAtMs;
      expect(await runAtMs()).toBeUndefined();
      const first = await hold(one);
      expect(await runAtMs()).toBe(NOW_MS);
      nowMs += 3_000;
      await one.release(first, 'done');
      expect(await runAtMs()).toBe(NOW_MS);
      const second = await hold(one);
      expect(await runAtMs()).toBe(NOW_MS + 3_000);
      await one.release(second, 'failed');
      expect(await runAtMs()).toBe(NOW_MS);
      await hold(one);
      nowMs += LEASE_MS;
      expect(await runAtMs()).toBe(NOW_MS);
    });

    test('the state has until when the current run answers wakes, else the last run that succeeded', async () => {
      const answersUntilMs = async () => (await other.see(work)).answersUntilMs;
      const holdUntil = async (untilMs: number | undefined): Promise<Lease> => {
        const { answersUntilMs: _, ...seen } = await one.see(work);
        const acquired = await one.acquire({ ...seen, ...optional({ answersUntilMs: untilMs }) });
        if (acquired.kind !== 'held') throw new Error(`${work.work} of ${work.cluster} is ${acquired.kind}`);
        return acquired.lease;
      };
      expect(await answersUntilMs()).toBeUndefined();
      const first = await holdUntil(1_000);
      expect(await answersUntilMs()).toBe(1_000);
      await one.release(first, 'done');
      expect(await answersUntilMs()).toBe(1_000);
      const second = await holdUntil(2_000);
      expect(await answersUntilMs()).toBe(2_000);
      await one.release(second, 'failed');
      expect(await answersUntilMs()).toBe(1_000);
      await holdUntil(3_000);
      nowMs += LEASE_MS;
      expect(await answersUntilMs()).toBe(1_000);
      const last = await holdUntil(undefined);
      expect(await answersUntilMs()).toBeUndefined();
      await one.release(last, 'done');
      expect(await answersUntilMs()).toBeUndefined();
    });

    test('a number is not used again by a run that read the lease before another run held it', async () => {
      await one.release(await hold(one), 'done');
      const seen = await one.see(work);
      const lease = await hold(other);
      await other.release(lease, 'done');
      const acquired = await one.acquire(seen);
      expect(acquired).toMatchObject({ kind: 'changed', seen: { fence: lease.fence } });
    });

    test('a lease that was renewed after it was read is not taken over', async () => {
      const lease = await hold(one);
      const seen = await other.see(work);
      nowMs += LEASE_MS - 1;
      await one.renew(lease);
      nowMs += 1;
      expect((await other.acquire(seen)).kind).toBe('changed');
      await one.renew(lease);
    });

    test('a release after the lease was taken over does not free it', async () => {
      const old = await hold(one);
      nowMs += LEASE_MS;
      const taken = await hold(other);
      expect(await one.release(old, 'done')).toEqual({ runAgain: false });
      await other.renew(taken);
    });

    test('leases of other works and clusters are independent', async () => {
      await hold(one);
      await hold(one, { ...work, work: 'disruption' });
      await hold(one, { ...work, cluster: `${work.cluster}-2` });
    });

    describe('recording a decision with a lease', () => {
      const decide = (id: string) => aLaunchDecision({ id, cluster: work.cluster });

      test('succeeds if no other run has taken over the lease, even if it has expired', async () => {
        const lease = await hold(one);
        nowMs += LEASE_MS;
        await harness.store.recordDecision(decide('a'), 0, lease);
        expect(await harness.store.readEpoch(work.cluster)).toBe(1);
      });

      test('is refused after the lease was taken over, and writes nothing', async () => {
        const old = await hold(one);
        nowMs += LEASE_MS;
        const taken = await hold(other);
        const late = harness.store.recordDecision(decide('a'), 0, old);
        await expect(late).rejects.toBeInstanceOf(StaleLeaseError);
        expect(await harness.store.readEpoch(work.cluster)).toBe(0);
        expect(await harness.store.openDecisions(work.cluster)).toEqual([]);
        await harness.store.recordDecision(decide('b'), 0, taken);
        await expect(harness.store.recordDecision(decide('c'), 0, taken)).rejects.toBeInstanceOf(EpochMovedError);
      });

      test('succeeds again if only the reply was lost, for any holder of the lease', async () => {
        const old = await hold(one);
        await harness.store.recordDecision(decide('a'), 0, old);
        nowMs += LEASE_MS;
        await hold(other);
        await harness.store.recordDecision(decide('a'), 0, old);
        expect(await harness.store.readEpoch(work.cluster)).toBe(1);
      });
    });
  });
}

async function insist(leases: Leases, seen: SeenLease): Promise<Acquired> {
  const acquired = await leases.acquire(seen);
  return acquired.kind === 'changed' ? insist(leases, acquired.seen) : acquired;
}
