import type { Node } from '../../apis/kubernetes.ts';
import { isQuantity, unitValue } from '../../apis/quantity.ts';
import { DAY_MS } from '../../apis/time.ts';
import type { LaunchType, NodeClaimRecord } from '../node-claim/record.ts';
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
const LEARNED_MS = 60 * DAY_MS;
const RENEWED_MS = LEARNED_MS / 2;

/**
 * What is to be remembered of a node that was seen; undefined where it is known already, as mostly, or the node does not say.
 * *Shape:* of what is known and what is seen the less.
 */
export function memoryLesson(
  { launch }: Pick<NodeClaimRecord, 'launch'>,
  { status }: Pick<Node, 'status'>,
  { known, nowMs }: { readonly known: readonly LearnedMemory[]; readonly nowMs: number },
): LearnedMemory | undefined {
  const { memory = '' } = status?.capacity ?? {};
  if (launch.kind !== 'launched' || !isQuantity(memory)) return undefined;
  const { instanceType, imageId } = launch.instance;
  const seen = { instanceType, imageId, memoryBytes: unitValue(memory), untilMs: nowMs + LEARNED_MS };
  if (seen.memoryBytes <= 0) return undefined;
  const before = known.find((one) => one.instanceType === instanceType && one.imageId === imageId);
  if (before === undefined || seen.memoryBytes < before.memoryBytes) return seen;
  return before.untilMs - nowMs > RENEWED_MS ? undefined : { ...seen, memoryBytes: before.memoryBytes };
}

/** Which of two lessons on a type and image stands: the less, and of equals the one that lasts longer. */
export function standsAgainst(lesson: LearnedMemory, before: LearnedMemory, nowMs: number): boolean {
  if (before.untilMs <= nowMs || lesson.memoryBytes < before.memoryBytes) return true;
  return lesson.memoryBytes === before.memoryBytes && lesson.untilMs > before.untilMs;
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
