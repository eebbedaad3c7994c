import { expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Decision } from '../../../lib/core/model/decision.ts';
import { EpochMovedError, StaleLeaseError } from '../../../lib/ports/errors.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { expectOneInstanceAClaim, live } from '../life.ts';

/** Pods that each fill a node, more of them than one part of a decision has claims. */
const manifests = someManifests({ deployments: [aDeployment('web', 55, '33')] });
const scenario = { name: 'parts', events: [] };

function creations({ actions }: Decision): number {
  return actions.filter(({ kind }) => kind === 'create-node-claim').length;
}

/** Collects recorded decisions. `before` runs before each decision of provisioning is recorded. */
function recording(
  recorded: Decision[],
  before: (decision: Decision, ports: ControllerPorts, epoch: number) => Promise<void>,
) {
  return (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    store: {
      ...ports.store,
      recordDecision: async (decision, epoch, lease) => {
        if (decision.controller === 'provisioning') await before(decision, ports, epoch);
        await ports.store.recordDecision(decision, epoch, lease);
        recorded.push(decision);
      },
    },
  });
}

test('more claims than one record holds are recorded in two, in one run', async () => {
  const recorded: Decision[] = [];
  const result = await live({ manifests, scenario, wrapPorts: recording(recorded, async () => undefined) });
  const parts = recorded.filter((decision) => creations(decision) > 0);
  expect(parts.map(creations)).toEqual([50, 5]);
  expect(new Set(parts.map(({ atMs }) => atMs)).size).toBe(1);
  expect(result).toMatchObject({ nodesLaunched: 55, podsRunning: 55, podsPending: [] });
  expectOneInstanceAClaim(result);
});

test('a part after the decision of another run is decided again, and no pod gets two nodes', async () => {
  const recorded: Decision[] = [];
  const refused: string[] = [];
  const between = async (decision: Decision, { store }: ControllerPorts, epoch: number): Promise<void> => {
    if (!decision.id.endsWith('-2') || refused.length > 0) return;
    refused.push(decision.id);
    const other: Decision = { ...decision, id: 'other', controller: 'disruption', actions: [] };
    await store.recordDecision(other, epoch);
    await store.closeDecision(other);
  };
  const result = await live({ manifests, scenario, wrapPorts: recording(recorded, between) });
  const parts = recorded.filter((decision) => creations(decision) > 0);
  expect(refused).toHaveLength(1);
  expect(parts.map(creations)).toEqual([50, 5]);
  expect(parts.map(({ id }) => id)).not.toContain(refused[0]);
  const [first, second] = parts.map(({ atMs }) => atMs);
  expect((second ?? 0) - (first ?? 0)).toBeLessThan(5 * SECOND_MS);
  expect(result).toMatchObject({ nodesLaunched: 55, podsRunning: 55, podsPending: [] });
  expect(result.timeline.filter(({ kind }) => kind === 'function-failed')).toEqual([]);
  expectOneInstanceAClaim(result);
});

test('a lease that is lost between two parts ends the run: the next one decides the rest again', async () => {
  const recorded: Decision[] = [];
  const refused: string[] = [];
  const between = async (decision: Decision): Promise<void> => {
    if (!decision.id.endsWith('-2') || refused.length > 0) return;
    refused.push(decision.id);
    throw new StaleLeaseError('another run holds the lease');
  };
  const result = await live({ manifests, scenario, wrapPorts: recording(recorded, between) });
  const parts = recorded.filter((decision) => creations(decision) > 0);
  expect(refused).toHaveLength(1);
  expect(parts.map(creations)).toEqual([50, 5]);
  expect(parts.map(({ id }) => id)).not.toContain(refused[0]);
  expect(result).toMatchObject({ nodesLaunched: 55, podsRunning: 55, podsPending: [] });
  expectOneInstanceAClaim(result);
});

test('a decision of another run before the first part invalidates the whole decision', async () => {
  const recorded: Decision[] = [];
  let refusals = 0;
  const first = async (): Promise<void> => {
    refusals += 1;
    if (refusals === 1) throw new EpochMovedError('another run recorded a decision');
  };
  const result = await live({ manifests, scenario, wrapPorts: recording(recorded, first) });
  expect(recorded.map(creations).filter((count) => count > 0)).toEqual([50, 5]);
  expect(result).toMatchObject({ nodesLaunched: 55, podsRunning: 55, podsPending: [] });
});
