import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import type { HandWork } from '../../../lib/apis/scenario/fault-kind.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { decisionRecorder } from '../../../lib/controllers/record/decision-recorder.ts';
import { whyAt } from '../../../lib/core/decisions/why-at.ts';
import type { DeletionReason } from '../../../lib/core/model/node-claim-record.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { decidedText } from '../../../lib/snapshot/write-snapshot.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';
import { memoryDecisionLog } from '../../fakes/memory-decision-log.ts';

const alone = aDeployment('alone', 3, '500m');
const { template: podTemplate } = alone.spec;
/** One pod a node, so that there are several nodes. */
const APART = {
  ...alone,
  spec: {
    ...alone.spec,
    template: {
      ...podTemplate,
      spec: {
        ...podTemplate.spec,
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: alone.spec.selector, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      },
    },
  },
};

interface Cause {
  readonly reason: DeletionReason;
  /** The function that removes the node. */
  readonly by: string;
  /** What the explanation names. */
  readonly message: RegExp;
  readonly events?: readonly ScenarioEvent[];
  readonly spec?: Partial<NodePool['spec']['template']['spec']>;
}

const node = { kind: 'any' } as const;
const atMs = 10 * MINUTE_MS;

function byHand(what: HandWork): ScenarioEvent {
  return { kind: 'fault', atMs, forMs: MINUTE_MS, fault: { kind: 'by-hand', what, nth: 0 } };
}

const CAUSES: readonly Cause[] = [
  {
    reason: 'empty',
    by: 'disruption',
    message: /is empty/,
    events: ['web', 'alone'].map((name) => ({ kind: 'scale', atMs, deployment: `default/${name}`, replicas: 0 })),
  },
  {
    reason: 'underutilized',
    by: 'disruption',
    message: /is underutilized \(\S+\)/,
    events: [
      { kind: 'scale', atMs, deployment: 'default/web', replicas: 4 },
      { kind: 'scale', atMs, deployment: 'default/alone', replicas: 0 },
    ],
  },
  {
    reason: 'drifted',
    by: 'disruption',
    message: /is drifted/,
    events: [{ kind: 'releaseImages', atMs, version: 'v20260115' }],
  },
  {
    reason: 'expired',
    by: 'lifecycle',
    message: /created at 2026-01-01T0\d:\d\d:\d\dZ, older than expireAfter 30m/,
    spec: { expireAfter: '30m' },
  },
  {
    reason: 'spot_interrupted',
    by: 'interruption',
    message: /spot/,
    events: [{ kind: 'interruptSpot', atMs, count: 1 }],
  },
  {
    reason: 'unhealthy',
    by: 'lifecycle',
    message: /Ready|unhealthy/,
    events: [{ kind: 'nodeCondition', atMs, node, type: 'Ready', status: 'False' }],
  },
  {
    reason: 'deleted',
    by: 'lifecycle',
    message: /the Node was deleted at 2026-01-01T00:10:00Z by a user or another program/,
    events: [{ kind: 'deleteNode', atMs, node }],
  },
  {
    reason: 'deleted',
    by: 'lifecycle',
    message: /the NodeClaim was deleted at 2026-01-01T00:10:00Z by a user or another program/,
    events: [byHand('delete-node-claim')],
  },
  {
    reason: 'deleted',
    by: 'lifecycle',
    message: /its NodePool \S+ with the UID \S+ no longer exists/,
    events: [
      {
        kind: 'fault',
        atMs: 0,
        forMs: MINUTE_MS,
        fault: { kind: 'calls-fail', calls: ['cluster.applyNodeClaim'], error: 429, where: 'before', percent: 100 },
      },
      { kind: 'fault', atMs: 30_000, forMs: 0, fault: { kind: 'node-pool', nth: 0, change: 'delete' } },
    ],
  },
  {
    reason: 'node_lost',
    by: 'lifecycle',
    message: /its node \S+ disappeared and was not registered again within 15 minutes/,
    events: [byHand('remove-node')],
  },
  {
    reason: 'instance_terminated',
    by: 'interruption',
    message:
      /EC2 reported at 2026-01-01T00:10:\d\dZ that instance i-\w+ is (?:shutting-down|terminated); no termination by Kerf was recorded/,
    events: [byHand('terminate-instance')],
  },
  {
    reason: 'insufficient_capacity',
    by: 'lifecycle',
    message: /capacity/,
    events: [{ kind: 'withoutCapacity', atMs: 0, forMs: 5 * MINUTE_MS }],
  },
  {
    reason: 'registration_timeout',
    by: 'lifecycle',
    message: /15m|register/,
    events: [{ kind: 'boots', atMs: 0, failPercent: 100, forMs: 5 * MINUTE_MS }],
  },
];

test.each(CAUSES)(
  'who removed a node by $reason ($message), and why, is known at once and a day later',
  async (cause) => {
    const { reason, by, message, events = [], spec = {} } = cause;
    const pool = aPool();
    const { template } = pool.spec;
    const log = memoryDecisionLog();
    await runSimulation({
      manifests: someManifests({
        nodePools: [aPool({ template: { ...template, spec: { ...template.spec, ...spec } } })],
        deployments: [aDeployment('web', 6), APART],
      }),
      settings: { ...DEFAULT_SETTINGS, featureGates: { ...DEFAULT_SETTINGS.featureGates, nodeRepair: true } },
      scenario: { name: reason, events },
      catalogue: SMALL_CATALOGUE,
      seed: 1,
      durationMs: 2 * HOUR_MS,
      goesOn: true,
      recorder: decisionRecorder({ log, snapshotText: decidedText, version: 'test' }),
    });
    const records = await log.list('simulated', { fromMs: 0, untilMs: Infinity });
    const removed = records.flatMap((record) =>
      record.actions.flatMap((action) =>
        action.kind === 'delete-node-claim' && action.reason === reason ? [{ record, action }] : [],
      ),
    );
    expect(removed.length).toBeGreaterThan(0);
    for (const { record, action } of removed) {
      const name = action.nodeClaims?.[0] ?? '';
      for (const askedMs of [record.atMs, record.atMs + DAY_MS]) {
        const told = whyAt(records, { kind: 'nodeclaim', name }, askedMs);
        expect(told?.state).toBe('BeingRemoved');
        expect(told?.summary).toMatch(new RegExp(`^${by} deleted its NodeClaim at \\S+ \\(${reason}\\): `));
        expect(told?.summary).toMatch(message);
      }
    }
  },
);
