import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { parseWorkload, type ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { Job, StatefulSet } from '../../../lib/apis/workloads.ts';
import { randomOf } from '../../../lib/simulator/faults/fault.ts';
import type { Random } from '../../../lib/simulator/random.ts';
import { aJob, aJobTemplate } from '../../builders/cluster-manifests.ts';
import { aWorkload } from './cluster.ts';

interface WithWorkloads {
  readonly seed: number;
  readonly calmFromMs: number;
  readonly manifests: ClusterManifests;
  readonly events: readonly ScenarioEvent[];
}

/**
 * In one of three stories: StatefulSets, whose pods keep their names and have a volume each, which can be attached in one zone only. Half
 * of them have a Job too, whose pods end on their own.
 */
export function withStatefulSets<T extends WithWorkloads>(story: T): T {
  const random = randomOf(story.seed, { id: 1_005 }, 0);
  if (random.between(0, 3) > 0) return story;
  const statefulSets = Array.from({ length: random.between(1, 3) }, (_, nth) => aStatefulSet(random, `db-${nth + 1}`));
  const jobs = random.between(0, 2) === 0 ? [aBatch(random)] : [];
  const events = statefulSets.flatMap((one) => scaling(random, one, story.calmFromMs));
  return {
    ...story,
    manifests: { ...story.manifests, statefulSets, jobs },
    events: [...story.events, ...events].toSorted((a, b) => a.atMs - b.atMs),
  };
}

/** Nothing ties its pods to the zones of others: later, their volumes may keep them in zones that such a rule does not allow. */
function aStatefulSet(random: Random, name: string): StatefulSet {
  const { metadata, spec } = aWorkload(random, name);
  const { volumes: _, topologySpreadConstraints: __, affinity, ...others } = spec.template.spec;
  const podSpec = affinity?.podAffinity === undefined ? { ...others, ...(affinity && { affinity }) } : others;
  return {
    metadata,
    spec: {
      ...spec,
      replicas: random.between(1, 4),
      podManagementPolicy: random.pick(['Parallel', 'OrderedReady'] as const) ?? 'Parallel',
      template: { ...spec.template, spec: podSpec },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3' },
        },
      ],
    },
  };
}

function aBatch(random: Random): Job {
  return aJob('batch', {
    completions: 4,
    parallelism: 2,
    backoffLimit: 20,
    template: aJobTemplate(random.pick(['2m', '5m', '8m'])),
  });
}

function scaling(random: Random, { metadata }: StatefulSet, calmFromMs: number): readonly ScenarioEvent[] {
  const { name } = metadata;
  return Array.from({ length: random.between(0, 4) }, () => ({
    kind: 'scale' as const,
    atMs: random.between(MINUTE_MS, calmFromMs),
    workload: parseWorkload(`StatefulSet/${name}`),
    replicas: random.pick([0, 1, 2, 4]) ?? 0,
  }));
}
