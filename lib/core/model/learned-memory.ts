import { isQuantity, unitValue } from '../../apis/formats/quantity.ts';
import { DAY_MS } from '../../apis/formats/time.ts';
import type { Node } from '../../apis/kubernetes.ts';
import { imageFor } from './images.ts';
import type { LaunchType, NodeClaimRecord } from './node-claim-record.ts';
import type { ResolvedImage } from './resolved-node-class.ts';

/** C4: the smallest memory that nodes of a type with an image reported. It expires unless a node reports it again. */
export interface LearnedMemory {
  readonly instanceType: string;
  readonly imageId: string;
  readonly memoryBytes: number;
  readonly untilMs: number;
}

/** C4: the lifetime of an entry, and the remaining lifetime below which it is written again. */
const LEARNED_MS = 60 * DAY_MS;
const RENEWED_MS = LEARNED_MS / 2;

/**
 * The memory to store after reading a node; undefined if it is stored already or the node does not report it.
 * *Shape:* the smaller of the stored and the reported memory.
 */
export function memoryLesson(
  { launch }: Pick<NodeClaimRecord, 'launch'>,
  node: Pick<Node, 'status'>,
  { known, nowMs }: { readonly known: readonly LearnedMemory[]; readonly nowMs: number },
): LearnedMemory | undefined {
  const memoryBytes = reportedMemory(node);
  if (launch.kind !== 'launched' || memoryBytes === undefined) return undefined;
  const { instanceType, imageId } = launch.instance;
  const seen = { instanceType, imageId, memoryBytes, untilMs: nowMs + LEARNED_MS };
  const before = known.find((one) => one.instanceType === instanceType && one.imageId === imageId);
  if (before === undefined || seen.memoryBytes < before.memoryBytes) return seen;
  return before.untilMs - nowMs > RENEWED_MS ? undefined : { ...seen, memoryBytes: before.memoryBytes };
}

/** The memory that a node reports, in bytes; undefined if it reports none. */
export function reportedMemory({ status }: Pick<Node, 'status'>): number | undefined {
  const { memory = '' } = status?.capacity ?? {};
  const bytes = isQuantity(memory) ? unitValue(memory) : 0;
  return bytes > 0 ? bytes : undefined;
}

/** Whether `lesson` replaces `before`: the smaller memory wins, and of equal ones the later expiry. */
export function replacesLesson(lesson: LearnedMemory, before: LearnedMemory, nowMs: number): boolean {
  if (before.untilMs <= nowMs || lesson.memoryBytes < before.memoryBytes) return true;
  return lesson.memoryBytes === before.memoryBytes && lesson.untilMs > before.untilMs;
}

/**
 * Looks up the learned memory of a type with the image that a launch would use: the first that fits it (C62).
 * *Shape:* undefined if nothing is learned. *Cost:* one map look-up for a type without learned memory.
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
