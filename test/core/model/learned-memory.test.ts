import { describe, expect, test } from 'vitest';
import { ARCH } from '../../../lib/apis/labels.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import { type LearnedMemory, memoryLesson } from '../../../lib/core/model/learned-memory.ts';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { catalogueOf, factsOf } from '../../builders/catalogue-facts.ts';
import { viewOf } from '../../builders/claim-view.ts';
import { anImage } from '../../builders/launch-context.ts';
import { anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { HOUR, NOW_MS } from '../../builders/times.ts';

const DAY = 24 * HOUR;
const { instanceType, imageId } = anInstance();
const KNOWN: LearnedMemory = { instanceType, imageId, memoryBytes: 7_000, untilMs: NOW_MS + 60 * DAY };

function lessonOf(memory: string | undefined, known: readonly LearnedMemory[] = [KNOWN], nowMs = NOW_MS) {
  const capacity = memory === undefined ? {} : { memory };
  return memoryLesson(launchedClaim(), { status: { capacity } }, { known, nowMs });
}

describe('C4: a node that registers teaches', () => {
  test('what its type has with its image, for 60 days', () => {
    expect(lessonOf('7000', [])).toEqual(KNOWN);
  });
  test('nothing where as much or less is known', () => {
    expect(lessonOf('7000')).toBeUndefined();
    expect(lessonOf('7001')).toBeUndefined();
  });
  test('less than what was known', () => {
    expect(lessonOf('6999')).toEqual({ ...KNOWN, memoryBytes: 6_999 });
  });
  test('nothing of another type or image', () => {
    expect(lessonOf('8000', [{ ...KNOWN, imageId: 'ami-other' }])).toMatchObject({ imageId, memoryBytes: 8_000 });
    expect(lessonOf('8000', [{ ...KNOWN, instanceType: 'm5.24xlarge' }])).toMatchObject({ memoryBytes: 8_000 });
  });
  test('that what is known is to be kept, once half of its time is over', () => {
    expect(lessonOf('8000', [KNOWN], NOW_MS + 29 * DAY)).toBeUndefined();
    expect(lessonOf('8000', [KNOWN], NOW_MS + 30 * DAY)).toEqual({ ...KNOWN, untilMs: NOW_MS + 90 * DAY });
  });
  test.each([undefined, '0', '-1', 'much'])('nothing where it has %s memory', (memory) => {
    expect(lessonOf(memory, [])).toBeUndefined();
  });
});

test('C4: a lesson is part of the registration, and is not told twice', () => {
  const node = { metadata: { name: 'node-1' }, status: { capacity: { memory: '7Gi' } } };
  const actions = (learnedMemory: readonly LearnedMemory[]) =>
    decideLifecycle(viewOf(launchedClaim(), { node, learnedMemory }), NOW_MS).actions;
  const [register, learn, ...more] = actions([]);
  expect([register?.kind, learn?.kind, more]).toEqual(['register-node', 'learn-memory', []]);
  const lesson = learn?.kind === 'learn-memory' ? [learn.lesson] : [];
  expect(lesson).toMatchObject([{ instanceType, imageId, memoryBytes: 7 * 2 ** 30 }]);
  expect(actions(lesson).map(({ kind }) => kind)).toEqual(['register-node']);
});

describe('C4: what was learned stands in place of the estimate', () => {
  const images = [
    anImage({ id: 'ami-gpu', requirements: [{ key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'Exists' }] }),
    anImage({ id: 'ami-new', requirements: [{ key: ARCH, operator: 'In', values: ['amd64'] }] }),
    anImage({ id: 'ami-old', requirements: [{ key: ARCH, operator: 'In', values: ['amd64'] }] }),
  ];
  const gpu = { name: 'L4', manufacturer: 'NVIDIA', count: 1, memoryMib: 24_576 };
  const memoryOf = (learned: Pick<LearnedMemory, 'imageId'>, facts = factsOf()) => {
    const learnedMemory = [{ ...KNOWN, instanceType: 'm5.large', ...learned }];
    const [type] = instanceTypesFor(catalogueOf([facts]), aNodeClass(), { images, learnedMemory });
    return type?.capacity['memory'];
  };
  const estimate = (8192 - 615) * 2 ** 20;

  test('with the image that the type would get, the first that fits', () => {
    expect(memoryOf({ imageId: 'ami-new' })).toBe(7_000);
  });
  test('not with one that comes later, or that does not fit', () => {
    expect(memoryOf({ imageId: 'ami-old' })).toBe(estimate);
    expect(memoryOf({ imageId: 'ami-gpu' })).toBe(estimate);
  });
  test('by the image for its accelerators, where it has any', () => {
    expect(memoryOf({ imageId: 'ami-gpu' }, factsOf({ gpus: [gpu] }))).toBe(7_000);
  });
});
