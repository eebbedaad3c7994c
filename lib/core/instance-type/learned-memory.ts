import type { LaunchType } from '../node-claim/record.ts';
import { imageFor } from '../node-class/images.ts';
import type { ResolvedImage } from '../node-class/resolved-node-class.ts';

/** C4: the least that nodes of a type were seen to have with an image; forgotten unless it is seen again in time. */
export interface LearnedMemory {
  readonly instanceType: string;
  readonly imageId: string;
  readonly memoryBytes: number;
  readonly untilMs: number;
}

/** C4: how long it is remembered, and with how much of that left it is worth another write. */
export const LEARNED_MS = 60 * 24 * 3_600_000;
const RENEWED_MS = LEARNED_MS / 2;

/**
 * What is to be remembered after a node was seen; undefined where it is known already, as mostly.
 * *Shape:* of what is known and what is seen the less.
 */
export function memoryLesson(
  seen: Omit<LearnedMemory, 'untilMs'>,
  known: LearnedMemory | undefined,
  nowMs: number,
): LearnedMemory | undefined {
  if (!Number.isFinite(seen.memoryBytes) || seen.memoryBytes <= 0) return undefined;
  const lesson = { ...seen, untilMs: nowMs + LEARNED_MS };
  if (known === undefined || seen.memoryBytes < known.memoryBytes) return lesson;
  return known.untilMs - nowMs > RENEWED_MS ? undefined : { ...lesson, memoryBytes: known.memoryBytes };
}

/**
 * Looks up what a type was seen to have with the image that it would get: the first that fits it (C62).
 * *Shape:* undefined where nothing is known. *Cost:* one map look-up for a type that was never seen.
 */
export function learnedMemoryOf(
  learned: readonly LearnedMemory[],
  images: readonly ResolvedImage[],
): (type: Pick<LaunchType, 'name' | 'architecture' | 'imageLabels'>) => number | undefined {
  const byType = Map.groupBy(learned, ({ instanceType }) => instanceType);
  return (type) => {
    const known = byType.get(type.name);
    if (known === undefined) return undefined;
    const image = imageFor(type, images);
    return known.find(({ imageId }) => imageId === image?.id)?.memoryBytes;
  };
}
