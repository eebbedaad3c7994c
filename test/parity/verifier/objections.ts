import { expect, test } from 'vitest';
import type { RawPlan, RawSnapshot } from './raw-documents.ts';
import { verifyPlan } from './verify-plan.ts';

/** A rule of the verifier: a correct plan that it accepts, and a wrong plan that it rejects. */
export interface Objection {
  readonly rule: string;
  readonly snapshot: RawSnapshot;
  readonly sound: RawPlan;
  readonly broken: RawPlan;
  readonly says: RegExp;
  /** The cluster for the wrong plan. @default the same */
  readonly brokenSnapshot?: RawSnapshot;
}

export function testObjections(rows: readonly Objection[]): void {
  test.each(rows)('$rule', ({ snapshot, sound, broken, says, brokenSnapshot = snapshot }) => {
    expect(verifyPlan(snapshot, sound)).toEqual([]);
    expect(verifyPlan(brokenSnapshot, broken)).toContainEqual(expect.stringMatching(says));
  });
}
