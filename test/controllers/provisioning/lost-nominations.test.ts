import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** As a component that has nominated a node for each pod that is not bound, and removed the node. */
function nominatedForLost(pods: readonly Pod[]): readonly Pod[] {
  return pods.map((pod) =>
    pod.spec.nodeName === undefined ? { ...pod, status: { ...pod.status, nominatedNodeName: 'lost' } } : pod,
  );
}

test('pods that another component has nominated for a node that does not exist get nodes (B6)', async () => {
  const { podsRunning } = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'none', events: [] },
    durationMs: 5 * MINUTE_MS,
    wrapPorts: (ports) => ({
      ...ports,
      cluster: {
        ...ports.cluster,
        listPods: async () => nominatedForLost(await ports.cluster.listPods()),
        listUnboundPods: async () => nominatedForLost(await ports.cluster.listUnboundPods()),
      },
    }),
  });
  expect(podsRunning).toBe(3);
});
