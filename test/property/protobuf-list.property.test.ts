import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod } from '../../lib/apis/kubernetes.ts';
import { listDecoder } from '../../lib/providers/kubernetes/protobuf/list-decoder.ts';
import { POD_LIST } from '../../lib/providers/kubernetes/protobuf/pod.ts';
import { WireError } from '../../lib/providers/kubernetes/protobuf/wire.ts';
import { aListAnswer, aMap, aMessage, aWirePod } from '../builders/protobuf.ts';
import { samples } from '../samples.ts';

type Outcome = { readonly kind: 'list'; readonly items: readonly Pod[] } | { readonly kind: 'refused' };

/** *Errors:* all errors except WireError: any other error is a crash. */
function read(chunks: readonly Buffer[]): Outcome {
  const decoder = listDecoder(POD_LIST);
  try {
    const items = chunks.flatMap((chunk) => decoder.push(chunk));
    decoder.end();
    return { kind: 'list', items };
  } catch (error) {
    if (error instanceof WireError) return { kind: 'refused' };
    throw error;
  }
}

const toleration = aMessage({ 1: 'dedicated', 2: 'Exists', 5: 300 });
const PODS = Array.from({ length: 12 }, (_, index) =>
  aWirePod(
    `web-${index}`,
    { 4: 30, 10: `node-${index % 3}`, 22: [toleration, toleration], 25: -index },
    {
      8: aMessage({ 1: 1_763_712_000 + index, 2: 0 }),
      11: aMap({ app: 'web', index: `${index % 2}` }),
      17: 'x'.repeat(400),
    },
  ),
);
const ANSWER = aListAnswer(PODS);
const WHOLE = read([ANSWER]);

test('the chunks of a list do not affect what is read', () => {
  expect(WHOLE.kind === 'list' && WHOLE.items.length).toBe(PODS.length);
  const cuts = fc.array(fc.nat(ANSWER.length), { maxLength: 60 });
  fc.assert(
    fc.property(cuts, (at) => {
      const ends = [...at.toSorted((a, b) => a - b), ANSWER.length];
      expect(read(ends.map((end, index) => ANSWER.subarray(ends[index - 1] ?? 0, end)))).toEqual(WHOLE);
    }),
  );
});

test('a list that is cut off at any byte is refused, or has all its items', () => {
  const refused = Array.from({ length: ANSWER.length }, (_, length) => read([ANSWER.subarray(0, length)]));
  for (const outcome of refused) if (outcome.kind === 'list') expect(outcome).toEqual(WHOLE);
  // The wrapper has four more bytes after the list.
  expect(refused.filter(({ kind }) => kind === 'list').length).toBeLessThanOrEqual(4);
});

test('bytes that are not a list are refused, and do not crash the reader', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (bytes, isNearly) => {
      const start = isNearly ? ANSWER.subarray(0, 4) : Buffer.alloc(0);
      expect(read([Buffer.concat([start, bytes])])).toEqual({ kind: 'refused' });
    }),
    { numRuns: samples(2_000) },
  );
});

test('a list with damaged bytes is refused or read without a crash, in the same time', () => {
  const damage = fc.array(fc.tuple(fc.nat(ANSWER.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(damage, (changes) => {
      const bytes = Buffer.from(ANSWER);
      for (const [at, value] of changes) bytes[at] = value;
      const outcome = read([bytes]);
      if (outcome.kind === 'list') expect(outcome.items.length).toBeLessThanOrEqual(PODS.length);
    }),
    { numRuns: samples(2_000) },
  );
});
