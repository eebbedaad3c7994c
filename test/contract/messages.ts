import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Decision } from '../../lib/core/model/decision.ts';
import { MAX_DELAY_MS, type Messages, type Wake, type WakeTarget } from '../../lib/ports/messages.ts';
import { aLaunchDecision } from './records.ts';

export interface MessagesHarness {
  readonly messages: Messages;
  /** The wakes that arrived for a target since the last call. */
  readonly received: (target: WakeTarget) => Promise<readonly Wake[]>;
  /** The decisions that listeners of the bus received since the last call, with fields that were cut. */
  readonly heard: () => Promise<readonly Decision[]>;
  /** Advances the time. */
  readonly pass: (ms: number) => Promise<void>;
  readonly close?: () => Promise<void>;
}

/** The doc comment of `lib/ports/messages.ts`, executed. */
export function messagesContract(name: string, make: () => Promise<MessagesHarness>): void {
  describe(`Messages: ${name}`, () => {
    let harness: MessagesHarness;
    beforeEach(async () => {
      harness = await make();
    });
    afterEach(() => harness.close?.());

    test('a wake arrives at its target, and only there, as it was sent', async () => {
      const wake: Wake = { cluster: 'demo', reason: 'launched', nodeClaim: 'general-a' };
      await harness.messages.wake('lifecycle', wake);
      expect(await harness.received('lifecycle')).toContainEqual(wake);
      expect(await harness.received('termination')).toEqual([]);
    });

    test('a wake does not arrive before its delay', async () => {
      const wake: Wake = { cluster: 'demo', reason: 'due' };
      await harness.messages.wake('disruption', wake, 1_500);
      expect(await harness.received('disruption')).toEqual([]);
      await harness.pass(2_500);
      expect(await harness.received('disruption')).toContainEqual(wake);
    });

    test('a delay above the maximum and a negative delay are accepted', async () => {
      const wake: Wake = { cluster: 'demo', reason: 'due' };
      await harness.messages.wake('provisioning', wake, MAX_DELAY_MS * 10);
      expect(await harness.received('provisioning')).toEqual([]);
      await harness.messages.wake('provisioning', wake, -5_000);
      expect(await harness.received('provisioning')).toContainEqual(wake);
    });

    test('listeners receive published decisions', async () => {
      const decision = aLaunchDecision({ id: 'heard-1' });
      await harness.messages.publish(decision);
      expect(await harness.heard()).toContainEqual(decision);
    });
  });
}
