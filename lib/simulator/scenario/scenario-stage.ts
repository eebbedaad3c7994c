import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { SimulatedEc2, SimulatedInstance } from '../aws/simulated-ec2.ts';
import type { ZonePower } from '../aws/zone-power.ts';
import type { NodeLifecycle } from '../kubernetes/node-lifecycle.ts';
import type { KubernetesState } from '../kubernetes/state.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';
import type { Ongoing } from './ongoing.ts';

/** What the events of a scenario change. */
export interface ScenarioStage {
  readonly state: KubernetesState;
  readonly ec2: SimulatedEc2;
  readonly power: ZonePower;
  readonly nodeLifecycle: NodeLifecycle;
  readonly catalogue: Catalogue;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  /** The choices of events at one time. An event over a time has its own numbers, by the seed. */
  readonly random: Random;
  readonly seed: number;
  /** Calls the listener with each launched instance. */
  readonly onLaunch: (listener: (instance: SimulatedInstance) => void) => void;
  /** The end of the simulation. */
  readonly endMs: number;
  readonly ongoing: Ongoing;
}

/**
 * Lets an event cause something, for a time or until the end of the simulation. `end` is called at the end of this time, with
 * whether no other event causes the same; the message that it returns is noted.
 */
export function lasts(
  { timetable, timeline, ongoing: causes }: ScenarioStage,
  { what, forMs }: { readonly what: string; readonly forMs: number | undefined },
  end: (isOver: boolean) => string | undefined,
): void {
  const stop = causes.begin(what);
  if (forMs === undefined) return;
  timetable.after(forMs, () => {
    const message = end(stop());
    if (message !== undefined) timeline.note({ kind: 'scenario', message });
  });
}

/** The names among `zones` that are not zones of the region, and those among `instanceTypes` that it does not have. */
export function missingFrom(
  { catalogue: { region, offerings } }: Pick<ScenarioStage, 'catalogue'>,
  {
    zones = [],
    instanceTypes = [],
  }: { readonly zones?: readonly string[]; readonly instanceTypes?: readonly string[] },
): string | undefined {
  const known = new Set(offerings.flatMap(({ zone, type }) => [zone, type]));
  const missing = [...zones, ...instanceTypes].filter((name) => !known.has(name));
  return missing.length === 0 ? undefined : `${region} does not have ${missing.join(', ')}`;
}
