import { describe, expect, test } from 'vitest';
import { MAX_RECEIVES, type QueuedMessage, type Redelivery } from '../../lib/ports/redelivery.ts';

export interface RedeliveryHarness {
  readonly redelivery: Redelivery;
  readonly send: (body: string) => void;
  /** What was delivered since this was last asked; none of it is handled. */
  readonly delivered: () => Promise<readonly QueuedMessage[]>;
  readonly pass: (ms: number) => Promise<void>;
  readonly deadLetters: () => readonly string[];
}

/** The doc comment of `lib/ports/redelivery.ts`, executed. */
export function redeliveryContract(name: string, make: () => RedeliveryHarness): void {
  describe(`Redelivery: ${name}`, () => {
    test('a message that was not handled comes again after the visibility timeout', async () => {
      const { send, delivered, pass } = make();
      send('a');
      await pass(5_000);
      expect(await delivered()).toMatchObject([{ body: 'a', receives: 1 }]);
      await pass(30_000);
      expect(await delivered()).toEqual([]);
      await pass(40_000);
      expect(await delivered()).toMatchObject([{ body: 'a', receives: 2 }]);
    });

    test('a message that is asked for comes again after that time, and not before it', async () => {
      const { send, delivered, pass, redelivery } = make();
      send('a');
      await pass(5_000);
      await redelivery.deliverAgain(await delivered(), 10_000);
      await pass(9_000);
      expect(await delivered()).toEqual([]);
      await pass(3_000);
      expect(await delivered()).toMatchObject([{ body: 'a', receives: 2 }]);
    });

    test('a message that is never handled is a dead letter after its last delivery', async () => {
      const { send, delivered, pass, deadLetters } = make();
      send('a');
      await pass(300_000);
      expect(await delivered()).toHaveLength(MAX_RECEIVES);
      expect(deadLetters()).toEqual(['a']);
    });
  });
}
