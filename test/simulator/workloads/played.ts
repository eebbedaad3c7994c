import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { type Pod, podKey } from '../../../lib/apis/kubernetes.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import type { TimelineEntry } from '../../../lib/simulator/timeline.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';

/** A simulation that a test advances. */
export interface Played extends OpenSimulation {
  /** Advances to that time. *Units:* minutes after the start. */
  to(minutes: number): Promise<void>;
  /** The times of the entries of this kind. *Units:* seconds after the start. */
  times(kind: PodEntry['kind']): readonly number[];
  pods(phase?: string): readonly Pod[];
  /** `namespace/name` of the pods in that phase, sorted. */
  names(phase?: string): readonly string[];
  entries(kind: PodEntry['kind']): readonly PodEntry[];
}

export type PodEntry = Extract<TimelineEntry, { readonly pod: string; readonly workload: string }>;

/** Begins a simulation of these workloads and no others. */
export function play(manifests: Partial<ClusterManifests>, over: Partial<SimulationInput> = {}): Played {
  const simulation = openSimulation({
    manifests: someManifests({ deployments: [], ...manifests }),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 24 * HOUR_MS,
    ...over,
  });
  const { timetable, state, timeline } = simulation;
  const startMs = timetable.now();
  const entries: Played['entries'] = (kind) =>
    timeline.entries.filter((entry): entry is PodEntry => entry.kind === kind && 'workload' in entry);
  const pods: Played['pods'] = (phase) =>
    [...state.pods.values()].filter((pod) => phase === undefined || pod.status?.phase === phase);
  return {
    ...simulation,
    entries,
    pods,
    async to(minutes) {
      while (await timetable.step(startMs + minutes * MINUTE_MS));
    },
    times: (kind) => entries(kind).map(({ at }) => at),
    names: (phase) => pods(phase).map(podKey).toSorted(),
  };
}
