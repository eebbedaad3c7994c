import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Decision } from '../../../lib/core/model/decision.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** Every field of a decision. The compiler requires an entry for a new field. */
const FIELDS: Readonly<Record<keyof Decision, true>> = {
  id: true,
  cluster: true,
  controller: true,
  atMs: true,
  actions: true,
  blocked: true,
  onExistingNodes: true,
  price: true,
  shadow: true,
};

/** Collects the decisions that are recorded and published. */
function collecting(decisions: Decision[]) {
  return (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    store: {
      ...ports.store,
      recordDecision: async (decision, epoch, lease) => {
        decisions.push(decision);
        await ports.store.recordDecision(decision, epoch, lease);
      },
      recordShadow: async (decision, essence) => {
        decisions.push(decision);
        return ports.store.recordShadow(decision, essence);
      },
    },
    messages: {
      ...ports.messages,
      publish: async (decision) => {
        decisions.push(decision);
        await ports.messages.publish(decision);
      },
    },
  });
}

test('recorded and published decisions have exactly the fields of a decision, as JSON', async () => {
  const decisions: Decision[] = [];
  await live({ catalogue: SMALL_CATALOGUE, wrapPorts: collecting(decisions) });
  expect(new Set(decisions.map(({ controller }) => controller)).size).toBeGreaterThan(3);
  for (const decision of decisions) {
    expect(Object.keys(decision).filter((field) => !Object.hasOwn(FIELDS, field))).toEqual([]);
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  }
});

test('why a node stays is published when it changes, and once an hour', async () => {
  const published: Decision[] = [];
  const { disruption } = aPool().spec;
  await live({
    manifests: someManifests({
      deployments: [aDeployment('web', 3)],
      nodePools: [aPool({ disruption: { ...disruption, budgets: [{ nodes: '0' }] } })],
    }),
    catalogue: SMALL_CATALOGUE,
    durationMs: 3 * HOUR_MS,
    goesOn: true,
    wrapPorts: (ports) => ({
      ...ports,
      messages: { ...ports.messages, publish: async (decision) => void published.push(decision) },
    }),
  });
  const refusals = published.filter(({ controller }) => controller === 'disruption').flatMap(({ blocked }) => blocked);
  expect(refusals.filter(({ message }) => message.startsWith('the budget for Empty allows 0'))).toHaveLength(3);
});
