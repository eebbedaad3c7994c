import { expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { optional } from '../../../lib/apis/optional.ts';
import { endReservations } from '../../../lib/controllers/instances/end-reservations.ts';
import { costByKey, nodeSpans } from '../../../lib/core/decisions/node-hours.ts';
import { recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { FoundInstance } from '../../../lib/core/node-claim/adoption/claim-object.ts';
import { read } from '../../../lib/core/observed.ts';
import type { NodeClassResolution } from '../../../lib/ports/cloud-provider.ts';
import { catalogueOf, factsOf } from '../../builders/catalogue-facts.ts';
import { aReservation, launchContext } from '../../builders/launch-context.ts';
import { aFoundInstance, launchedClaim } from '../../builders/node-claims.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

const RESERVED = launchedClaim(
  { createdAtMs: NOW_MS - 4 * HOUR },
  { capacityType: 'reserved', priceUsdPerHour: 0, reservation: { id: 'cr-1', kind: 'default' } },
);
const NODE = aNode({
  providerId: 'aws:///eu-west-3a/i-1',
  labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/capacity-type': 'reserved' },
});

const BLOCK = aReservation({ id: 'cr-1', type: 'capacity-block', endsAtMs: NOW_MS + 39 * MINUTE });

/** The block is found by a term with its id. */
function foundBy({ spec: { capacityReservationSelectorTerms: terms = [] } }: EC2NodeClass): NodeClassResolution {
  const capacityReservations = terms.some(({ id }) => id === BLOCK.id) ? [BLOCK] : [];
  return { kind: 'resolved', nodeClass: { ...launchContext().resolved, capacityReservations } };
}

/** *Shape:* the claim after the run, and the record of the run. */
async function ended(
  claim: NodeClaimRecord,
  { instance = aFoundInstance(), nodeClasses = [] }: { instance?: FoundInstance; nodeClasses?: EC2NodeClass[] } = {},
) {
  let record = claim;
  const store = {
    readNodeClaim: async () => await Promise.resolve(record),
    updateNodeClaim: async (changed: NodeClaimRecord) => {
      record = await Promise.resolve(changed);
      return record;
    },
  };
  const notes = { decisions: [], due: [], failures: [], instances: new Map() };
  const ports = {
    clock: { now: () => NOW_MS },
    store,
    cluster: { patchNode: async () => await Promise.resolve() },
    messages: { publish: async () => await Promise.resolve(), wakeAt: async () => await Promise.resolve() },
    cloud: { resolveNodeClass: async (nodeClass: EC2NodeClass) => await Promise.resolve(foundBy(nodeClass)) },
  };
  const world = {
    instances: read([{ ...instance, state: 'running' }]),
    nodes: read([NODE]),
    nodeClasses: read(nodeClasses),
    catalogue: async () => await Promise.resolve(read(catalogueOf([factsOf()]))),
  };
  const work: Parameters<typeof endReservations>[0] = Object({
    ports,
    cluster: 'demo',
    controller: 'lifecycle',
    notes,
    records: [claim],
    world,
  });
  await endReservations(work);
  const run = { cluster: 'demo', controller: 'lifecycle', wokenBy: 'tick', durationMs: 1, version: '1' } as const;
  return { record, written: recordOfRun({ ...run, ...notes }, []) };
}

test('C83: an instance costs nothing until its reservation ends, and its on-demand price from then on', async () => {
  const { record, written } = await ended(RESERVED);
  const action = { kind: 'register-node', instance: 'i-1', nodePool: 'general', instanceType: 'm5.large' } as const;
  const place = { zone: 'eu-west-3a', capacityType: 'reserved', usdPerHour: 0, sinceMs: NOW_MS - 4 * HOUR } as const;
  const joined = { ...written, atMs: NOW_MS - 4 * HOUR + MINUTE };
  const period = { fromMs: NOW_MS - 8 * HOUR, untilMs: NOW_MS + 2 * HOUR };
  for (const records of [[{ ...joined, actions: [{ ...action, ...place }] }, written], [written], []])
    expect(costByKey(nodeSpans(records, [record]), ({ capacityType }) => capacityType, period)).toEqual([
      { key: 'on-demand', nodes: 1, nodeHours: 2, usd: 0.2 },
      { key: 'reserved', nodes: 1, nodeHours: 4, usd: 0 },
    ]);
});

test.each([
  ['its NodeClass selects', [{ id: 'cr-1' }]],
  ['its NodeClass does not select any more', undefined],
] as const)('C83: a claim is deleted 40 minutes before the end of a capacity block that %s', async (_, terms) => {
  const reservation = { id: 'cr-1', kind: 'capacity-block' } as const;
  const claim = launchedClaim({}, { capacityType: 'reserved', priceUsdPerHour: 0, reservation });
  const instance = aFoundInstance({ capacityType: 'reserved', reservation });
  const capacityReservationSelectorTerms = terms && [...terms];
  const nodeClasses = [aNodeClass(optional({ capacityReservationSelectorTerms }))];
  const { record } = await ended(claim, { instance, nodeClasses });
  expect(record.deletion).toMatchObject({ reason: 'expired' });
});
