/** Kerf in shadow beside an autoscaler that is as fast: another deployment of Kerf, in place of Karpenter. */
import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';
import { compareLaunches } from '../../../lib/cli/report/compare-launches.ts';
import { decisionRecorder } from '../../../lib/controllers/record/decision-recorder.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { mergedLaunches } from '../../../lib/core/usage/seen-launches.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { decidedText } from '../../../lib/snapshot/write-snapshot.ts';
import { aDeployment, aPool, coreDns, coreDnsBudget, someManifests } from '../../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';
import { memoryDecisionLog } from '../../fakes/memory-decision-log.ts';

const scale = (minutes: number, deployment: string, replicas: number) =>
  ({ kind: 'scale', atMs: minutes * MINUTE_MS, deployment: `default/${deployment}`, replicas }) as const;

test('each launch is compared with the decision of Kerf for its pods, also of pods that run four minutes', async () => {
  const log = memoryDecisionLog();
  await runSimulation({
    manifests: someManifests({
      nodePools: [aPool()],
      deployments: [aDeployment('web', 4, '2'), aDeployment('job', 0, '3'), coreDns],
      podDisruptionBudgets: [coreDnsBudget],
    }),
    scenario: { name: 'shadow', events: [scale(12, 'job', 15), scale(16, 'job', 0), scale(30, 'web', 30)] },
    catalogue: SMALL_CATALOGUE,
    seed: 3,
    durationMs: HOUR_MS,
    goesOn: true,
    settings: { ...DEFAULT_SETTINGS, packing: 'first-fit', fleetConsolidation: false },
    secondDeployment: {
      hasWebhook: true,
      settings: { ...DEFAULT_SETTINGS, shadow: true },
      recorder: decisionRecorder({ log, snapshotText: decidedText, version: 'test' }),
    },
  });
  const always = { fromMs: 0, untilMs: Infinity };
  const records = (await log.list('simulated', always)).filter(({ shadow }) => shadow === true);
  const launches = mergedLaunches(
    [],
    (await log.usage('simulated', always)).flatMap((hour) => hour.launches ?? []),
  );
  const compared = compareLaunches(launches, records).filter(({ pods }) => pods.length > 0);
  const startMs = parseTime('2026-01-01T00:00:00Z');
  expect(compared.map(({ atMs }) => Math.floor((atMs - startMs) / MINUTE_MS))).toEqual([0, 12, 30]);
  // The others fit the node that exists.
  expect(compared[1]?.pods.every((pod) => pod.startsWith('default/job-'))).toBe(true);
  for (const { kerf, otherUsdPerHour } of compared) {
    expect(kerf).toMatchObject({ otherPods: 0 });
    expect(kerf?.nodes.length).toBeGreaterThan(0);
    expect(kerf?.usdPerHour).toBeLessThanOrEqual(otherUsdPerHour);
  }
});
