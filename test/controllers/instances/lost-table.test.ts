import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { launchedFor, live } from '../life.ts';

const LOST_AFTER_MS = 4 * MINUTE_MS;

/** The table is empty from this time on, as after its loss. */
function losesItsTable(ports: ControllerPorts): ControllerPorts {
  const lostAtMs = ports.clock.now() + LOST_AFTER_MS;
  const empty = memoryNodeClaimStore();
  return {
    ...ports,
    get store() {
      return ports.clock.now() < lostAtMs ? ports.store : empty;
    },
  };
}

/** NodeClaim objects that a user deleted, after removing their finalizers. */
function losesItsObjects(ports: ControllerPorts): ControllerPorts {
  const lostAtMs = ports.clock.now() + LOST_AFTER_MS;
  const lost = losesItsTable(ports);
  const shown = new Set<string>();
  return {
    ...ports,
    get store() {
      return lost.store;
    },
    cluster: {
      ...ports.cluster,
      listNodeClaims: async () =>
        (await ports.cluster.listNodeClaims()).filter(
          ({ metadata }) => ports.clock.now() < lostAtMs || shown.has(metadata.name),
        ),
      applyNodeClaim: async (nodeClaim) => {
        if (ports.clock.now() >= lostAtMs) shown.add(nodeClaim.metadata.name);
        await ports.cluster.applyNodeClaim(nodeClaim);
      },
    },
  };
}

test.each([
  ['with the NodeClaim objects still there', losesItsTable],
  ['with the NodeClaim objects lost too', losesItsObjects],
])('a lost table drains no fleet: its instances are adopted, %s', async (_, wrapPorts) => {
  const events = [{ kind: 'scale', atMs: 20 * MINUTE_MS, deployment: 'default/web', replicas: 0 }] as const;
  const scenario = { name: 'lost table', events };
  const clean = await live({ scenario, durationMs: 15 * MINUTE_MS });
  const result = await live({ scenario, wrapPorts, durationMs: 15 * MINUTE_MS });
  expect(result.timeline.filter(({ kind }) => kind === 'instance-terminated')).toEqual([]);
  expect(launchedFor(result)).toEqual(launchedFor(clean));
  const made = result.timeline.flatMap((entry) =>
    entry.kind === 'create-node-claim' && entry.at * 1_000 > LOST_AFTER_MS ? [entry.nodeClaim] : [],
  );
  expect(made.toSorted()).toEqual(launchedFor(clean).toSorted());

  const whole = await live({ scenario, wrapPorts });
  const ended = whole.timeline.filter((entry) => entry.kind === 'instance-terminated').length;
  expect(whole).toMatchObject({ nodesAtEnd: 0, podsPending: [], ended: 'settled' });
  expect(ended, 'and they are terminated when they are not needed').toBe(launchedFor(clean).length);
});
