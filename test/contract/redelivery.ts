import { describe, expect, test } from 'vitest';
import { WAKE_PLAN } from '../../lib/core/delivery/deliveries.ts';
import type { QueuedMessage, Redelivery } from '../../lib/ports/redelivery.ts';

export interface RedeliveryHarness {
  /** Of a queue with WAKE_PLAN. */
  readonly redelivery: Redelivery;
  readonly send: (body: string) => void;
  /** The messages that were delivered since the last call. All of them fail. */
  readonly delivered: () => Promise<readonly QueuedMessage[]>;
  readonly pass: (ms: number) => Promise<void>;
  readonly deadLetters: () => readonly string[];
}

/** The doc comment of `lib/ports/redelivery.ts`, executed. */
export function redeliveryContract(name: string, make: () => RedeliveryHarness): void {
  describe(`Redelivery: ${name}`, () => {
    test('a failed message is delivered again after the visibility timeout', async () => {
      const { send, delivered, pass } = make();
      send('a');
      await pass(5_000);
      expect(await delivered()).toMatchObject([{ body: 'a', receives: 1 }]);
      await pass(30_000);
      expect(await delivered()).toEqual([]);
      await pass(40_000);
      expect(await delivered()).toMatchObject([{ body: 'a', receives: 2 }]);
    });

    test('a message with a given delay is delivered again after it, and not before it', async () => {
      const { send, delivered, pass, redelivery } = make();
      send('a');
      await pass(5_000);
      await redelivery.deliverAgain(await delivered(), 10_000);
      await pass(9_000);
      expect(await delivered()).toEqual([]);
      await pass(3_000);
      expect(await delivered()).toMatchObject([{ body: 'a', receives: 2 }]);
    });

    test('a message that always fails is moved to the dead-letter queue after its last delivery', async () => {
      const { send, delivered, pass, deadLetters } = make();
      send('a');
      await pass(300_000);
      expect(await delivered()).toHaveLength(WAKE_PLAN.deliveries);
      expect(deadLetters()).toEqual(['a']);
    });
  });
}
