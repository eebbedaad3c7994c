import type { LearnedMemory } from '../../core/model/learned-memory.ts';
import { learnedMemoryKey, learnedPartition, MEMORY } from './keys.ts';
import { numberOf, type ReportUnreadable, readableItems, textOf } from './readable.ts';
import type { Attributes, Table, WriteCondition } from './table.ts';

export async function learnMemory(
  table: Table,
  region: string,
  { lesson, nowMs }: { readonly lesson: LearnedMemory; readonly nowMs: number },
): Promise<void> {
  const { instanceType, imageId, memoryBytes, untilMs } = lesson;
  const item = {
    ...learnedMemoryKey(region, instanceType, imageId),
    typeName: instanceType,
    imageId,
    memoryBytes,
    untilMs,
    expiresAt: Math.ceil(untilMs / 1_000),
  };
  // Refused: the stored value takes precedence.
  await table.write({ kind: 'put', item, condition: standsAgainst(lesson, nowMs) });
}

/** The same rule as in core. Includes expired items, because DynamoDB deletes them with a delay. */
function standsAgainst({ memoryBytes, untilMs }: LearnedMemory, nowMs: number): WriteCondition {
  return {
    expression:
      'attribute_not_exists(pk) OR untilMs <= :now OR memoryBytes > :memory' +
      ' OR (memoryBytes = :memory AND untilMs < :until)',
    values: { ':now': nowMs, ':memory': memoryBytes, ':until': untilMs },
  };
}

export async function listLearnedMemory(
  table: Table,
  region: string,
  { nowMs, report }: { readonly nowMs: number; readonly report: ReportUnreadable },
): Promise<readonly LearnedMemory[]> {
  const items = await table.query(learnedPartition(region), MEMORY);
  return (await readableItems(items, lessonOf, report)).filter(({ untilMs }) => untilMs > nowMs);
}

function lessonOf(item: Attributes): LearnedMemory {
  return {
    instanceType: textOf(item, 'typeName'),
    imageId: textOf(item, 'imageId'),
    memoryBytes: numberOf(item, 'memoryBytes'),
    untilMs: numberOf(item, 'untilMs'),
  };
}
