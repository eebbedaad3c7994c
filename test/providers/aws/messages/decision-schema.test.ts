import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import type { Action, Decision } from '../../../../lib/core/model/decision.ts';
import { decisionDetail } from '../../../../lib/providers/aws/messages/decision-detail.ts';
import { runSimulation } from '../../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../../../builders/cluster-manifests.ts';
import { aDecision } from '../../../builders/decisions.ts';
import { SMALL_CATALOGUE } from '../../../controllers/life.ts';

/** The published events against docs/events/decision.v1.schema.json. */

const text = readFileSync(new URL('../../../../docs/events/decision.v1.schema.json', import.meta.url), 'utf8');
const schema: object = JSON.parse(text);
const isValid = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

function problemsOf(event: unknown): readonly string[] {
  return isValid(event) ? [] : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const decisions: Decision[] = [];

beforeAll(async () => {
  const pool = aPool();
  await runSimulation({
    manifests: someManifests({
      nodePools: [{ ...pool, metadata: { ...pool.metadata, annotations: { 'kerf.dev/disruption-cool-down': '5m' } } }],
      deployments: [aDeployment('web', 6), aDeployment('late', 0), aDeployment('huge', 1, '500')],
    }),
    scenario: {
      name: 'events',
      events: [
        { kind: 'withoutCapacity', atMs: 0, zones: ['us-east-1a'], forMs: MINUTE_MS },
        { kind: 'interruptSpot', atMs: 10 * MINUTE_MS, count: 1 },
        { kind: 'scale', atMs: 15 * MINUTE_MS, deployment: 'default/late', replicas: 7 },
        { kind: 'releaseImages', atMs: 25 * MINUTE_MS, version: 'v20260115' },
        { kind: 'scale', atMs: 45 * MINUTE_MS, deployment: 'default/web', replicas: 1 },
      ],
    },
    catalogue: SMALL_CATALOGUE,
    seed: 3,
    durationMs: 80 * MINUTE_MS,
    goesOn: true,
    recorder: { record: async ({ report }) => void decisions.push(...report.decisions) },
  });
});

test('every decision of a simulated cluster is valid, and nearly every kind of action is among them', () => {
  const kinds = new Set(decisions.flatMap(({ actions }) => actions.map(({ kind }) => kind)));
  expect(kinds.size).toBeGreaterThanOrEqual(14);
  for (const decision of decisions) expect(problemsOf(JSON.parse(decisionDetail(decision))), decision.id).toEqual([]);
});

test.each([
  ['has the price of a decision', { usdPerHour: 2, lowerBoundUsdPerHour: 1, gapPercent: 100 }],
  ['has no price if its lower bound was not computed', { usdPerHour: 2 }],
])('a valid event %s', (_, price) => {
  const event = JSON.parse(decisionDetail(aDecision({ price })));
  expect(problemsOf(event)).toEqual([]);
  expect(event.price).toEqual('lowerBoundUsdPerHour' in price ? price : undefined);
});

/** Does not compile if a kind is missing. */
const KINDS: Readonly<Record<Action['kind'], true>> = {
  'create-node-claim': true,
  'nominate-node': true,
  'launch-instance': true,
  'register-node': true,
  'initialize-node': true,
  'start-disruption': true,
  'continue-disruption': true,
  'end-disruption': true,
  'delete-node-claim': true,
  'cordon-node': true,
  'uncordon-node': true,
  'evict-pod': true,
  'tag-instance': true,
  'terminate-instance': true,
  'release-node-claim': true,
  'learn-memory': true,
  'mark-unavailable': true,
};

test('the schema names every kind of action, and no other', () => {
  const [, actions = ''] = text.split('"action": {');
  const named = [...actions.matchAll(/"kind": \{ "(?:const|enum)": (\[[^\]]+\]|"[^"]+") \}/g)].flatMap(
    ([, kinds = '']) => [...kinds.matchAll(/"([^"]+)"/g)].map(([, kind]) => kind),
  );
  expect(new Set(named)).toEqual(new Set(Object.keys(KINDS)));
  expect(named).toHaveLength(Object.keys(KINDS).length);
});

describe('an event is refused', () => {
  const event = { formatVersion: 1, ...aDecision() };
  test.each([
    ['without a version', { ...event, formatVersion: undefined }],
    ['of another version', { ...event, formatVersion: 2 }],
    ['with an unknown action', { ...event, actions: [{ kind: 'reboot-node' }] }],
    ['with an action without its object', { ...event, actions: [{ kind: 'delete-node-claim', reason: 'empty' }] }],
    ['with a refusal without a reason', { ...event, blocked: [{ subject: { kind: 'Pod', name: 'a' }, message: '' }] }],
  ])('%s', (_, broken) => {
    expect(problemsOf(JSON.parse(JSON.stringify(event)))).toEqual([]);
    expect(problemsOf(JSON.parse(JSON.stringify(broken)))).not.toEqual([]);
  });

  test('but not with a field that was added', () => {
    expect(problemsOf({ ...JSON.parse(JSON.stringify(event)), added: 1 })).toEqual([]);
  });
});
