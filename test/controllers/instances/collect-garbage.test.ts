import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { expectAllGone, live, SMALL_CATALOGUE } from '../life.ts';

const EMPTY: ScenarioEvent = { kind: 'scale', atMs: 5 * MINUTE_MS, deployment: 'default/web', replicas: 0 };

/** EC2 does not list the instances for some minutes. Their terminations have no effect. */
function hiding(leaked: Set<string>) {
  return (ports: ControllerPorts): ControllerPorts => {
    const startMs = ports.clock.now();
    const isHidden = (): boolean => {
      const sinceMs = ports.clock.now() - startMs;
      return sinceMs >= 5 * MINUTE_MS && sinceMs < 15 * MINUTE_MS;
    };
    return {
      ...ports,
      cloud: {
        ...ports.cloud,
        describeInstances: async (cluster, ids) => {
          const found = await ports.cloud.describeInstances(cluster, ids);
          if (!isHidden()) return found;
          for (const { id } of found) leaked.add(id);
          return [];
        },
        terminate: async (cluster, id) => {
          if (!isHidden()) await ports.cloud.terminate(cluster, id);
        },
      },
    };
  };
}

test('the instance of a released claim is terminated, although the list of claims does not contain the claim', async () => {
  const leaked = new Set<string>();
  const events = [EMPTY, { ...EMPTY, atMs: 16 * MINUTE_MS }];
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'hidden', events },
    wrapPorts: hiding(leaked),
  });
  const ended = result.timeline.flatMap((entry) => (entry.kind === 'instance-terminated' ? [entry] : []));
  expect(ended.map(({ instanceId }) => instanceId)).toEqual([...leaked]);
  for (const { at } of ended) expect(at).toBeGreaterThan(15 * 60);
  expectAllGone(result);
});

/** The table is empty from the first termination on. */
function losingRecords(ports: ControllerPorts): ControllerPorts {
  const empty = memoryNodeClaimStore();
  let isLost = false;
  return {
    ...ports,
    get store() {
      return isLost ? empty : ports.store;
    },
    cloud: {
      ...ports.cloud,
      terminate: async (cluster, id) => {
        await ports.cloud.terminate(cluster, id);
        isLost = true;
      },
    },
  };
}

test('a NodeClaim whose record was lost while its instance shut down is released, and its node is deleted', async () => {
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'lost records', events: [EMPTY] },
    wrapPorts: losingRecords,
  });
  const made = result.timeline.flatMap((entry) =>
    entry.kind === 'create-node-claim' && entry.at > 5 * 60 ? [entry.nodeClaim] : [],
  );
  expect(made).not.toEqual([]);
  expectAllGone(result);
});
