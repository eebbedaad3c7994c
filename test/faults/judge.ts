import { HOUR_MS, MINUTE_MS } from '../../lib/apis/formats/time.ts';
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
/** A node runs beside its replacement, and on-demand prices count where spot capacity is missing. A story costs a few cents. *Units:* USD. */
const ALLOWANCE_USD = 0.05;
/** A fault keeps a node that is not needed, as long as it lasts: a node that was lost, or whose pods or instance cannot be ended. */
const KEPT_NODE_USD_PER_HOUR = 0.12;
/** Costs are not compared if the run without faults has pods without a node for longer than this, because of limits. *Units:* the sum for all pods. */
const LIMITED_MS = MINUTE_MS;

/** Plays the story of a seed with its faults, and without them if its cost must be compared. */
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
  const faultHours = story.faults.reduce((sum, { forMs }) => sum + forMs, 0) / HOUR_MS;
  const extraUsd = ALLOWANCE_USD + faultHours * KEPT_NODE_USD_PER_HOUR;
  const replaceableUsd = result.costUsd - result.heldUsd;
  // Four of five stories are that cheap.
  if (replaceableUsd <= extraUsd) return undefined;
  // A static NodePool that a user has changed costs something else. Edits of NodePools are not faults.
  const edits = story.faults.filter(({ kind }) => kind === 'node-pool');
  const without: Story = { ...story, faults: edits, invocations: 1 };
  const twin = await runStory(without, result.endedMs);
  if (twin.violation !== undefined) return { ...twin.violation, rule: `${twin.violation.rule} (without faults)` };
  // A fault may replace nodes by a larger one, on which more pods run than the limits of the NodePool allow otherwise.
  if (twin.limitedMs > result.limitedMs + LIMITED_MS) return undefined;
  const allowedUsd = twin.costUsd * MAX_COST_RATIO + extraUsd;
  if (replaceableUsd <= allowedUsd) return undefined;
  const message = `${replaceableUsd.toFixed(4)} USD with faults, ${twin.costUsd.toFixed(4)} USD without: ${allowedUsd.toFixed(4)} USD are allowed`;
  return { rule: 'faults cost little more', atMs: result.endedMs, message };
}
