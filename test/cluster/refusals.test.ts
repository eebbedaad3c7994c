/** What the API server refuses by the definitions that Kerf installs, and in what words. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { at } from '../stack/json.ts';
import { mergePatch } from './support/api-client.ts';
import { REFUSED } from './support/refused-objects.ts';
import { create, installDefinitions, judge, pathOf, removeAll, type Sample } from './support/resources.ts';
import { aNodeClaim, aNodePool, SAMPLES } from './support/samples.ts';

beforeAll(installDefinitions);

describe('an object', () => {
  test.each(SAMPLES)('of kind $kind that is as it must be is taken', async (sample) => {
    const { status, body } = await judge(sample);
    expect(at(body, 'message')).toBeUndefined();
    expect(status).toBe(201);
  });

  test.each(REFUSED)('$kind: $why ($row)', async ({ object, says }) => {
    const { status, body } = await judge(object);
    expect(status).toBe(422);
    for (const part of says) expect(at(body, 'message')).toContain(part);
  });
});

interface Change {
  readonly why: string;
  readonly row: string;
  readonly object: Sample;
  /** A merge patch of its spec. */
  readonly patch: Readonly<Record<string, unknown>>;
  readonly says: readonly string[];
}

const nodeClassRef = (changed: Readonly<Record<string, unknown>>) => ({
  template: { spec: { nodeClassRef: changed } },
});

const REFUSED_CHANGES: readonly Change[] = [
  {
    why: 'the group of the node class cannot change',
    row: 'A1.8',
    object: aNodePool(),
    patch: nodeClassRef({ group: 'eks.amazonaws.com' }),
    says: ['spec.template.spec.nodeClassRef', 'group'],
  },
  {
    why: 'the kind of the node class cannot change',
    row: 'A1.8',
    object: aNodePool(),
    patch: nodeClassRef({ kind: 'NodeClass' }),
    says: ['spec.template.spec.nodeClassRef', 'kind'],
  },
  {
    why: 'replicas cannot be added',
    row: 'A1.21',
    object: aNodePool(),
    patch: { replicas: 1 },
    says: ['spec', 'replicas'],
  },
  {
    why: 'replicas cannot be removed',
    row: 'A1.21',
    object: aNodePool({ replicas: 1 }),
    patch: { replicas: null },
    says: ['spec', 'replicas'],
  },
  {
    why: 'the spec of a NodeClaim cannot change',
    row: 'A2.1',
    object: aNodeClaim(),
    patch: { expireAfter: '24h' },
    says: ['spec:'],
  },
];

const ALLOWED_CHANGES: readonly Omit<Change, 'says'>[] = [
  {
    why: 'the name of the node class may change',
    row: 'A1.8',
    object: aNodePool(),
    patch: nodeClassRef({ name: 'other' }),
  },
  {
    why: 'the number of replicas may change, down to none',
    row: 'A1.21',
    object: aNodePool({ replicas: 3 }),
    patch: { replicas: 0 },
  },
];

describe('a change', () => {
  afterEach(removeAll);

  test.each(REFUSED_CHANGES)('$why ($row)', async ({ object, patch, says }) => {
    expect((await create(object)).status).toBe(201);
    const { status, body } = await mergePatch(pathOf(object), { spec: patch });
    expect(status).toBe(422);
    for (const part of says) expect(at(body, 'message')).toContain(part);
  });

  test.each(ALLOWED_CHANGES)('$why ($row)', async ({ object, patch }) => {
    expect((await create(object)).status).toBe(201);
    expect((await mergePatch(pathOf(object), { spec: patch })).status).toBe(200);
  });
});
