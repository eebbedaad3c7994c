import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import type { TimelineEntry } from '../../../lib/simulator/timeline.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';

/** Runs manifests with events for an hour, or for the time of the test. */
export async function played(
  events: readonly ScenarioEvent[],
  over: Partial<SimulationInput> & Pick<SimulationInput, 'manifests'>,
): Promise<SimulationResult> {
  return runSimulation({
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 60 * MINUTE_MS,
    scenario: { name: 'played', events },
    ...over,
  });
}

type Entry<Kind extends TimelineEntry['kind']> = Extract<TimelineEntry, { readonly kind: Kind }>;

/** The entries of one kind. */
export function entriesOf<Kind extends TimelineEntry['kind']>(
  { timeline }: SimulationResult,
  kind: Kind,
): readonly Entry<Kind>[] {
  return timeline.filter((entry): entry is Entry<Kind> => entry.kind === kind);
}

/** What the timeline says about the events of the scenario. */
export function saidOf(result: SimulationResult): readonly string[] {
  return entriesOf(result, 'scenario').map(({ at, message }) => `${at} ${message}`);
}
