import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { NodeChoice, ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { ClusterEvent } from '../../../lib/core/model/event.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import type { SimulationInput } from '../../../lib/simulator/simulation.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aBudget } from '../../builders/nodes.ts';
import { expectOneInstanceAClaim, live } from '../life.ts';

const REPAIRING = {
  ...DEFAULT_SETTINGS,
  featureGates: { ...DEFAULT_SETTINGS.featureGates, nodeRepair: true },
};
/** One pod a node. */
const APART = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
};
const WEB = aDeployment('web', 3);
const { template } = WEB.spec;
const SPREAD = {
  ...WEB,
  spec: { ...WEB.spec, template: { ...template, spec: { ...template.spec, affinity: APART } } },
};
const LAST: ScenarioEvent = { kind: 'scale', atMs: 50 * MINUTE_MS, deployment: 'default/web', replicas: 3 };

function condition(type: string, status: 'False' | 'Unknown', node: NodeChoice = { kind: 'any' }): ScenarioEvent {
  return { kind: 'nodeCondition', atMs: 5 * MINUTE_MS, node, type, status };
}

/** A cluster in which the event happens after five minutes, observed for 50 minutes. */
async function after(event: ScenarioEvent, over: Partial<SimulationInput> = {}): Promise<SimulationResult> {
  return live({
    manifests: someManifests({ deployments: [SPREAD] }),
    scenario: { name: 'repair', events: [event, LAST] },
    settings: REPAIRING,
    durationMs: 51 * MINUTE_MS,
    ...over,
  });
}

function replaced(result: SimulationResult): readonly { readonly reason: string; readonly minute: number }[] {
  return result.timeline.flatMap((entry) =>
    entry.kind === 'delete-node-claim' ? [{ reason: entry.reason, minute: entry.at / 60 }] : [],
  );
}

describe('D29: the functions replace an unhealthy node', () => {
  test('when its tolerance ends, even if a budget allows no disruption', async () => {
    const manifests = someManifests({
      deployments: [SPREAD],
      podDisruptionBudgets: [aBudget({ spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 } })],
    });
    const result = await after(condition('Ready', 'Unknown'), { manifests });
    expect(replaced(result)).toEqual([{ reason: 'unhealthy', minute: expect.closeTo(35, 1) }]);
    expect(result).toMatchObject({ podsPending: [], podsRunning: 3 });
    expectOneInstanceAClaim(result);
  });

  test('sooner for a failed device', async () => {
    const result = await after(condition('AcceleratedHardwareReady', 'False'));
    expect(replaced(result)).toEqual([{ reason: 'unhealthy', minute: expect.closeTo(15, 1) }]);
    expect(result).toMatchObject({ podsPending: [], podsRunning: 3 });
  });

  test('not without the feature gate', async () => {
    const result = await after(condition('Ready', 'Unknown'), { settings: DEFAULT_SETTINGS });
    expect(replaced(result)).toEqual([]);
  });
});

test('D30: they replace no node while too many are unhealthy, and each node has the event NodeRepairBlocked', async () => {
  const shown: ClusterEvent[] = [];
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      publishEvent: async (event) => {
        if (event.reason === 'NodeRepairBlocked') shown.push(event);
        await ports.cluster.publishEvent(event);
      },
    },
  });
  // Every node has the fault: one event for each of the nodes.
  const all: readonly ScenarioEvent[] = Array.from({ length: 12 }, () => condition('KernelReady', 'False'));
  const result = await after(LAST, { scenario: { name: 'faults', events: [...all, LAST] }, wrapPorts });
  expect(replaced(result)).toEqual([]);
  expect(new Set(shown.map(({ regarding, type }) => `${type} ${regarding.kind}`))).toEqual(new Set(['Warning Node']));
  expect(shown[0]?.message).toMatch(/^[23] of 3 nodes of NodePool \w+ are unhealthy, at most 1 may be/);
});
