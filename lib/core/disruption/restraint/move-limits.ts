import { parseDuration } from '../../../apis/formats/duration.ts';
import { type MinimumSaving, parseMinimumSaving } from '../../../apis/formats/minimum-saving.ts';
import { HOUR_MS } from '../../../apis/formats/time.ts';
import { COOL_DOWN, MAX_EVICTIONS_PER_HOUR, MINIMUM_SAVING } from '../../../apis/labels.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { optional } from '../../../apis/optional.ts';
import { onceFor } from '../../kept-answers.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { annotationInWords, annotationProblems, parsePositive } from '../../validation/annotations.ts';

/** What the annotations of a NodePool require of consolidation. */
export interface MoveLimits {
  readonly minimumSaving?: MinimumSaving;
  readonly coolDownMs?: number;
  readonly maxEvictionsPerHour?: number;
  /** An annotation cannot be read, so consolidation moves no pods of the nodes. */
  readonly invalid?: Refusal;
}

const KEYS: ReadonlySet<unknown> = new Set([MINIMUM_SAVING, COOL_DOWN, MAX_EVICTIONS_PER_HOUR]);

/** *Shape:* empty without annotations. A cool-down of no time is none. *Cost:* once for each object. */
export const moveLimitsOf: (nodePool: NodePool) => MoveLimits = onceFor((nodePool: NodePool): MoveLimits => {
  const { name, annotations = {} } = nodePool.metadata;
  const [problem] = annotationProblems(nodePool).filter(({ path }) => KEYS.has(path.at(-1)));
  if (problem !== undefined)
    return { invalid: refusal('InvalidAnnotation', annotationInWords(problem, ` of NodePool ${name}`)) };
  const coolDownMs = parseDuration(annotations[COOL_DOWN] ?? '');
  return optional({
    minimumSaving: parseMinimumSaving(annotations[MINIMUM_SAVING] ?? ''),
    coolDownMs: coolDownMs === 0 ? undefined : coolDownMs,
    maxEvictionsPerHour: parsePositive(annotations[MAX_EVICTIONS_PER_HOUR] ?? ''),
  });
});

/** How long moves are remembered: as long as the annotation of a NodePool may need them. *Shape:* undefined if none does. */
export function keepsMovesMs(nodePools: readonly NodePool[]): number | undefined {
  const times = nodePools.flatMap((nodePool) => {
    const { coolDownMs, maxEvictionsPerHour } = moveLimitsOf(nodePool);
    return [...(maxEvictionsPerHour === undefined ? [] : [HOUR_MS]), ...(coolDownMs === undefined ? [] : [coolDownMs])];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}
