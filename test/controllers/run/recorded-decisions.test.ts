import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../lib/apis/formats/time.ts';
import { recordAndAct } from '../../../lib/controllers/run/cluster-decision.ts';
import { settledEpoch } from '../../../lib/controllers/run/open-decisions.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Action, Blocked, Decision } from '../../../lib/core/model/decision.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';
import { UNUSED } from '../../operator/messages.ts';
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

function deletionOf(nodeClaim: string): Action {
  return { kind: 'delete-node-claim', nodeClaim, reason: 'underutilized', message: 'cheaper elsewhere' };
}

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

test('a decision whose actions succeed in a later run is reported once, by the run that closes it, as it is published once', async () => {
  const table = memoryNodeClaimStore();
  for (const name of ['general-a', 'general-b']) await table.createNodeClaim(aRecord({ name, cluster: 'demo' }));
  let isThrottled = true;
  const updateNodeClaim: typeof table.updateNodeClaim = async (record) => {
    if (isThrottled && record.name === 'general-b') throw new UnreachableError('throttled');
    return table.updateNodeClaim(record);
  };
  const published: Decision[] = [];
  const ports: ControllerPorts = Object.create(
    UNUSED,
    Object.getOwnPropertyDescriptors({
      store: { ...table, updateNodeClaim },
      messages: { wake: async () => {}, publish: async (one: Decision) => void published.push(one) },
      clock: { now: () => NOW_MS },
      cluster: { publishEvent: async () => {} },
    }),
  );
  const blocked: Blocked = {
    subject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
    reason: 'InsufficientResources',
    message: 'too large',
    numbers: {},
  };
  const deletions = ['general-a', 'general-b'].map((nodeClaim) => deletionOf(nodeClaim));
  const { report: run, carriedOut } = await recordAndAct(
    ports,
    aSnapshot({ cluster: 'demo', epoch: await table.readEpoch('demo') }),
    {
      named: { id: 'decision-1', cluster: 'demo', controller: 'disruption', atMs: NOW_MS },
      verdict: { actions: deletions, blocked: [blocked], due: [] },
    },
  );
  isThrottled = false;
  const later = await settledEpoch(ports, 'demo');

  const unfinished = { id: 'decision-1', actions: [], blocked: [blocked] };
  expect(run.decisions).toMatchObject([unfinished]);
  expect(run.decided?.map(({ decisions }) => decisions)).toEqual([run.decisions]);
  expect(carriedOut.flatMap(({ actions }) => actions)).toEqual(deletions.slice(0, 1));
  expect(later.decisions).toMatchObject([{ id: 'decision-1', actions: deletions, blocked: [] }]);
  expect(published).toMatchObject([unfinished, { id: 'decision-1', actions: deletions }]);
});
