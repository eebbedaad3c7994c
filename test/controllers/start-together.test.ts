import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { Deployment } from '../../lib/apis/kubernetes.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';
import { affinityTerm, joining } from '../builders/pods.ts';
import { live } from './life.ts';

/** A Deployment with required affinity to its own pods in a zone. */
function inOneZone(name: string, replicas: number): Deployment {
  const { metadata, spec } = aDeployment(name, replicas, '900m');
  const affinity = joining(affinityTerm({ labelSelector: spec.selector }));
  return { metadata, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, affinity } } } };
}

/** The start of a cluster: when its nodes are registered and provisioning is woken for nominations, in seconds after the first has joined. */
async function started(under: Partial<SimulationInput> = {}, clockOffsetMs = 0) {
  const registered: number[] = [];
  const woken: number[] = [];
  let firstMs: number | undefined;
  await live({
    manifests: someManifests({ deployments: [aDeployment('other', 100, '900m'), inOneZone('web', 100)] }),
    scenario: { name: 'quiet', events: [] },
    durationMs: 4 * MINUTE_MS,
    ...under,
    wrapPorts: (ports) => {
      const sinceFirst = () => (ports.clock.now() - (firstMs ?? Infinity)) / SECOND_MS;
      return {
        ...ports,
        clock: { now: () => ports.clock.now() + clockOffsetMs },
        cluster: {
          ...ports.cluster,
          listNodes: async () => {
            const nodes = await ports.cluster.listNodes();
            if (nodes.length > 0) firstMs ??= ports.clock.now();
            return nodes;
          },
          patchNode: async (target, patch) => {
            if (patch.labels?.['karpenter.sh/registered'] === 'true') registered.push(sinceFirst());
            await ports.cluster.patchNode(target, patch);
          },
        },
        messages: {
          ...ports.messages,
          wake: async (target, wake, delayMs) => {
            if (target === 'provisioning' && wake.reason === 'nominations') woken.push(sinceFirst());
            await ports.messages.wake(target, wake, delayMs);
          },
        },
      };
    },
  });
  return { registered: registered.toSorted((a, b) => a - b), woken };
}

describe('B67: nodes for pods that must share a zone', () => {
  test('are registered in one run with those for other pods, 20 s after the first has joined', async () => {
    const { registered } = await started();
    expect(registered.length).toBeGreaterThan(3);
    expect(registered[0]).toBeGreaterThan(15);
    expect(registered.at(-1)).toBeLessThan(25);
    const [first = 0] = registered;
    expect((registered.at(-1) ?? Infinity) - first).toBeLessThan(1);
  });

  test('are registered as soon as all are Ready', async () => {
    const manifests = someManifests({ deployments: [inOneZone('web', 45)] });
    const { registered } = await started({ manifests });
    expect(registered).toHaveLength(3);
    expect(registered[0]).toBeGreaterThan(10);
    expect(registered.at(-1)).toBeLessThan(16);
  });

  test('are registered as they join without nominations', async () => {
    const { registered } = await started({ settings: { ...DEFAULT_SETTINGS, nominatePods: false } });
    expect(registered[0]).toBeLessThan(3);
  });

  test.each([0, -2 * MINUTE_MS])(
    'wait 20 s for nodes that never join, with clocks that are off by %i ms',
    async (offsetMs) => {
      const faults = [
        { kind: 'machines', how: 'never-join', percent: 50, id: 1, fromMs: 0, forMs: 4 * MINUTE_MS } as const,
      ];
      const { registered } = await started({ faults }, offsetMs);
      expect(registered.length).toBeGreaterThan(1);
      expect(registered[0]).toBeGreaterThan(15);
      expect(registered.at(-1)).toBeLessThan(25);
    },
  );

  test('wake provisioning while they wait, and not afterwards for nodes that never join', async () => {
    const { woken } = await started({
      faults: [{ kind: 'machines', how: 'never-join', percent: 50, id: 1, fromMs: 0, forMs: 4 * MINUTE_MS }],
    });
    expect(woken.some((at) => at > 3 && at < 15)).toBe(true);
    expect(woken.filter((at) => at > 40 && at < 120)).toEqual([]);
  });
});
