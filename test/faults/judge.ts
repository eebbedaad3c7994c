import type { Fault } from '../../lib/simulator/faults/fault.ts';
import type { Violation } from './rule.ts';
import { runStory, type StoryResult } from './run-story.ts';
import { type Story, storyOf } from './story/story.ts';

/** A fault of a story, with a shorter time if it was shortened. As text, `3` or `3:30000`. */
export interface Kept {
  readonly id: number;
  /** @default the whole time of the fault */
  readonly forMs?: number;
}

export interface Verdict {
  readonly seed: number;
  readonly theme: string;
  /** @default the seed passes */
  readonly violation?: Violation;
}

/** The cost of a run with faults is at most this many times that of the run without faults. */
const MAX_COST_RATIO = 1.5;
/** If capacity was missing, pods stay on the larger nodes that EC2 had: disruption removes empty nodes, and does not replace others yet. */
const MAX_RATIO_WITHOUT_CAPACITY = 4;

/** Plays the story of a seed with its faults, and if nothing is violated, without them, to compare the cost. */
export async function judge(seed: number, kept?: readonly Kept[]): Promise<Verdict> {
  const whole = storyOf(seed);
  const story = kept === undefined ? whole : withOnly(whole, kept);
  const result = await runStory(story);
  const violation = result.violation ?? (await costViolation(story, result));
  return { seed, theme: story.theme, ...(violation !== undefined && { violation }) };
}

/** The story with some of its faults. */
export function withOnly(story: Story, kept: readonly Kept[]): Story {
  const faults = story.faults.flatMap((fault): readonly Fault[] => {
    const one = kept.find(({ id }) => id === fault.id);
    return one === undefined ? [] : [{ ...fault, forMs: one.forMs ?? fault.forMs }];
  });
  return { ...story, faults };
}

async function costViolation(story: Story, result: StoryResult): Promise<Violation | undefined> {
  const without: Story = { ...story, faults: [], invocations: 1 };
  const twin = await runStory(without, result.endedMs);
  if (twin.violation !== undefined) return { ...twin.violation, rule: `${twin.violation.rule} (without faults)` };
  // The offering of an interrupted instance counts as one without capacity for some minutes.
  const lacksCapacity = story.faults.some(({ kind }) => kind === 'no-capacity' || kind === 'spot-volley');
  const allowedUsd = twin.costUsd * (lacksCapacity ? MAX_RATIO_WITHOUT_CAPACITY : MAX_COST_RATIO) + allowanceUsd(story);
  if (result.costUsd <= allowedUsd) return undefined;
  const message = `${result.costUsd.toFixed(4)} USD with faults, ${twin.costUsd.toFixed(4)} USD without: ${allowedUsd.toFixed(4)} USD are allowed`;
  return { rule: 'faults cost little more', atMs: result.endedMs, message };
}

/**
 * What faults cost that no autoscaler can avoid: on-demand prices where spot capacity is missing, and nodes that are replaced. The
 * scheduler may bind a pod to another node, and disruption removes empty nodes only.
 */
function allowanceUsd({ faults }: Story): number {
  return 0.1 + 0.02 * faults.length;
}
