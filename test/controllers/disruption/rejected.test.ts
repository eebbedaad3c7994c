import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { consolidatable } from '../../../lib/core/disruption/consolidation/consolidatable.ts';
import type { Method } from '../../../lib/core/disruption/method.ts';
import { singleNode } from '../../../lib/core/disruption/methods/single-node.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** Its proposals are never valid, as if proposal and validation used other rules. */
const unsound: Method = {
  ...singleNode,
  propose: (world) => {
    const { candidates, due } = consolidatable(world);
    return { moves: candidates.slice(0, 1).map((one) => ({ candidates: [one], replacements: [] })), blocked: [], due };
  },
  validate: () => undefined,
};

test('E25: a command that is always rejected is proposed after a minute, two minutes and so on, not in each pass', async () => {
  const started: number[] = [];
  await live({
    manifests: someManifests({ deployments: [aDeployment('web', 1)] }),
    scenario: { name: 'quiet', events: [] },
    catalogue: SMALL_CATALOGUE,
    methods: [unsound],
    wrapPorts: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        startCommand: async (cluster, command) => {
          started.push(ports.clock.now());
          await ports.store.startCommand(cluster, command);
        },
      },
    }),
  });
  const minutes = started.map((ms) => Math.floor((ms - (started[0] ?? 0)) / MINUTE_MS));
  expect(minutes).toEqual([0, 1, 3, 7, 16, 32]);
});
