import { HOUR_MS, MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { Deployment } from '../../lib/apis/kubernetes.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import { decisionRecorder } from '../../lib/controllers/record/decision-recorder.ts';
import type { WidgetPorts } from '../../lib/controllers/widgets.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { runSimulation } from '../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { asking } from '../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../controllers/life.ts';
import { memoryDecisionLog } from '../fakes/memory-decision-log.ts';

const EVENTS: readonly ScenarioEvent[] = [
  { kind: 'interruptSpot', atMs: 20 * MINUTE_MS, count: 1 },
  { kind: 'scale', atMs: 30 * MINUTE_MS, deployment: 'default/worker', replicas: 0 },
  { kind: 'scale', atMs: 45 * MINUTE_MS, deployment: 'default/late', replicas: 2 },
];

function withMemory({ metadata, spec }: Deployment, memory: string): Deployment {
  const { template } = spec;
  const containers = template.spec.containers.map((one) => ({
    ...one,
    resources: { requests: { ...one.resources?.requests, memory } },
  }));
  return { metadata, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
}

/**
 * A simulated cluster of about so many nodes, as the widgets see it at its end: what the functions have recorded, and the NodeClaims of the
 * last look. Some pods share nodes, some are too large for any, and an instance is interrupted.
 */
export async function recordedFleet(nodes: number): Promise<WidgetPorts> {
  const log = memoryDecisionLog();
  const recorder = decisionRecorder({ log, snapshotText: () => '', version: 'test' });
  let claims: readonly NodeClaimRecord[] = [];
  let endMs = 0;
  const pool = aPool();
  const onDemand = [
    ...pool.spec.template.spec.requirements.filter(({ key }) => key !== 'karpenter.sh/capacity-type'),
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
  ];
  const { template } = pool.spec;
  const small = [...template.spec.requirements, asking('karpenter.k8s.aws/instance-size', 'In', 'large')];
  const few = Math.max(1, Math.round(nodes / 10));
  await runSimulation({
    manifests: someManifests({
      nodePools: [
        aPool({ template: { ...template, spec: { ...template.spec, requirements: small } } }),
        {
          ...pool,
          metadata: { name: 'services' },
          spec: {
            ...pool.spec,
            weight: 10,
            limits: { cpu: String(Math.min(few * 8, 64)) },
            template: { ...template, spec: { ...template.spec, requirements: onDemand } },
          },
        },
      ],
      deployments: [
        withMemory(aDeployment('web', Math.max(2, Math.round((nodes * 8) / 10)), '1700m'), '2Gi'),
        withMemory(aDeployment('api', few, '300m'), '500Mi'),
        withMemory(aDeployment('worker', few, '6'), '8Gi'),
        withMemory(aDeployment('late', 0, '1500m'), '1Gi'),
        aDeployment('huge', 2, '500'),
      ],
    }),
    scenario: { name: 'fleet', events: EVENTS },
    catalogue: SMALL_CATALOGUE,
    seed: 5,
    durationMs: HOUR_MS,
    goesOn: true,
    recorder: {
      async record(run) {
        const last = run.report.decided?.at(-1);
        if (last !== undefined) claims = last.snapshot.nodeClaims;
        endMs = Math.max(endMs, run.atMs);
        await recorder.record(run);
      },
    },
  });
  return { log, store: { listNodeClaims: async () => claims }, clock: { now: () => endMs } };
}
