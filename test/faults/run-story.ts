import { MINUTE_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { Method } from '../../lib/core/disruption/method.ts';
import { ALL_METHODS } from '../../lib/core/disruption/methods/all-methods.ts';
import { openSimulation } from '../../lib/simulator/simulation.ts';
import type { TimelineEntry } from '../../lib/simulator/timeline.ts';
import { heldUsd, usdUntilNow } from './cost.ts';
import type { Violation } from './rule.ts';
import { addForeigners } from './rules/foreign.ts';
import { RULES } from './rules/rules.ts';
import { podsOverLimits } from './rules/settled.ts';
import { FAULTS_CATALOGUE, STORY_SETTINGS } from './story/cluster.ts';
import { replaceEach, replacesEach } from './story/replace-each.ts';
import type { Story } from './story/story.ts';
import { faultyTable } from './table.ts';
import { watch } from './watch.ts';

/** The time after the last fault in which everything must come to rest: messages come up to 15 minutes late. */
const SETTLED_WITHIN_MS = 50 * MINUTE_MS;
/** The longest time that something takes at rest: nodes also expire and are replaced then. */
const TAKES_MS = 4 * MINUTE_MS;
const LATE_MESSAGES_MS = 17 * MINUTE_MS;
const LOOK_EVERY_MS = 15 * SECOND_MS;

export interface StoryResult {
  /** The first violation. @default every rule holds */
  readonly violation?: Violation;
  readonly costUsd: number;
  /** What instances cost while Kerf could not replace them, because a pod on them must not be disrupted. */
  readonly heldUsd: number;
  /** How long pods were pending because the limits of their NodePool had no room for a node. *Units:* the sum for all pods. */
  readonly limitedMs: number;
  readonly endedMs: number;
  readonly timeline: readonly TimelineEntry[];
}

function methodsOf(story: Story): readonly Method[] {
  if (!replacesEach(story)) return ALL_METHODS;
  return ALL_METHODS.map((method) => (method.name === replaceEach.name ? replaceEach : method));
}

/** Plays a story until it is at rest, or a rule is violated. `untilMs`: ends at this time in any case. */
export async function runStory(story: Story, untilMs?: number): Promise<StoryResult> {
  const watching = watch(story, RULES);
  const { seed, faults } = story;
  const endMs = untilMs ?? story.calmFromMs + SETTLED_WITHIN_MS;
  const simulation = openSimulation({
    manifests: story.manifests,
    scenario: { name: `seed ${story.seed}`, events: story.events },
    catalogue: FAULTS_CATALOGUE,
    settings: STORY_SETTINGS,
    seed: story.seed,
    durationMs: endMs,
    invocations: story.invocations,
    methods: methodsOf(story),
    faults,
    stores: (timetable) => {
      const table = faultyTable({
        clock: timetable,
        wait: async (ms) => timetable.wait(ms),
        faults,
        seed,
        onReplaced: () => {
          watching.replaced();
          void timetable.after(0, watching.lookAgain);
        },
      });
      watching.lookInto(table);
      return table.stores;
    },
    wrapPorts: (ports) => watching.wrapPorts(ports),
    wrapInvocation: (ports, invocation) => watching.wrapInvocation(ports, invocation),
    ...(faults.some(({ kind }) => kind === 'second-deployment') && {
      secondDeployment: { wrapPorts: (ports) => watching.wrapSecond(ports) },
    }),
    onAnswer: watching.answered,
    onFailure: watching.failed,
  });
  watching.begin(simulation);
  addForeigners(simulation);
  const isLate = story.faults.some((fault) => fault.kind === 'messages' && fault.how !== 'lost');
  const restFromMs = story.calmFromMs + (isLate ? LATE_MESSAGES_MS : 2 * MINUTE_MS);
  const since = new Map<string, number>();
  let lookMs = restFromMs;
  let [seenMs, limitedMs, held] = [0, 0, 0];
  let left: readonly string[] = [];
  let isAtRest = untilMs !== undefined;
  while (watching.violations.length === 0 && (await simulation.timetable.step(simulation.endMs))) {
    watching.step();
    if (watching.nowMs() >= seenMs + LOOK_EVERY_MS) {
      const forMs = watching.nowMs() - seenMs;
      limitedMs += podsOverLimits(watching).length * forMs;
      held += heldUsd(watching, forMs);
      seenMs = watching.nowMs();
    }
    if (watching.nowMs() < lookMs) continue;
    lookMs = watching.nowMs() + LOOK_EVERY_MS;
    const nowMs = watching.nowMs();
    const now = new Set(watching.unsettled());
    for (const one of since.keys()) if (!now.has(one)) since.delete(one);
    for (const one of now) if (!since.has(one)) since.set(one, nowMs);
    left = [...since].filter(([, sinceMs]) => nowMs - sinceMs >= TAKES_MS).map(([one]) => one);
    if (untilMs !== undefined || nowMs < restFromMs + TAKES_MS + MINUTE_MS || left.length > 0) continue;
    isAtRest = true;
    break;
  }
  const [first] = watching.violations;
  const endedMs = watching.nowMs();
  const violation =
    first ??
    (isAtRest ? undefined : { rule: 'everything comes to rest', atMs: endedMs, message: left.slice(0, 6).join('; ') });
  const costUsd = usdUntilNow(watching);
  const { entries: timeline } = simulation.timeline;
  return { ...(violation !== undefined && { violation }), costUsd, heldUsd: held, limitedMs, endedMs, timeline };
}
