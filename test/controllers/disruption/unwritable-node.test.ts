import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { INITIALIZED } from '../../../lib/apis/labels.ts';
import { DISRUPTED_TAINT } from '../../../lib/apis/taints.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const SCALED_AT = 10.5 * 60;

/** An admission webhook holds or fails every write of one node, from which disruption must remove a taint. */
test.each<[string, () => Promise<void>]>([
  ['hang', async () => new Promise<never>(() => {})],
  ['fail with 500', async () => Promise.reject(new UnreachableError('500 failed calling webhook'))],
  ['are refused', async () => Promise.reject(new RefusedError('denied'))],
])('promise 7: nodes are launched at once although the writes of one node %s', async (_, write) => {
  let held: string | undefined;
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    manifests: someManifests({ deployments: [aDeployment('web', 3), aDeployment('late', 0, '6')] }),
    durationMs: 15 * MINUTE_MS,
    scenario: {
      name: 'late',
      events: [{ kind: 'scale', atMs: SCALED_AT * 1_000, deployment: 'default/late', replicas: 1 }],
    },
    wrapPorts: (ports) => {
      const taintedMs = ports.clock.now() + 5 * MINUTE_MS;
      return {
        ...ports,
        cluster: {
          ...ports.cluster,
          listNodes: async () => {
            const nodes = await ports.cluster.listNodes();
            held ??= nodes.find(({ metadata }) => metadata.labels?.[INITIALIZED] === 'true')?.metadata.name;
            if (ports.clock.now() < taintedMs) return nodes;
            return nodes.map((node) =>
              node.metadata.name === held ? { ...node, spec: { ...node.spec, taints: [DISRUPTED_TAINT] } } : node,
            );
          },
          patchNode: async (target, patch) =>
            target.name === held && ports.clock.now() >= taintedMs ? write() : ports.cluster.patchNode(target, patch),
        },
      };
    },
  });
  const launched = result.timeline.flatMap(({ kind, at }) => (kind === 'instance-launched' ? [at] : []));
  expect(launched.filter((at) => at > SCALED_AT && at < SCALED_AT + 10)).toHaveLength(1);
  expect(result.podsPending).toEqual([]);
});
