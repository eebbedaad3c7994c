import { expect, test } from 'vitest';
import type { RawPlan, RawSnapshot } from './raw-documents.ts';
import { verifyPlan } from './verify-plan.ts';

/** A rule that the verifier knows: a sound plan that it lets pass, and a broken one to which it objects. */
export interface Objection {
  readonly rule: string;
  readonly snapshot: RawSnapshot;
  readonly sound: RawPlan;
  readonly broken: RawPlan;
  readonly says: RegExp;
  /** Where the cluster has to change for the plan to be wrong. */
  readonly brokenSnapshot?: RawSnapshot;
}

export function testObjections(rows: readonly Objection[]): void {
  test.each(rows)('$rule', ({ snapshot, sound, broken, says, brokenSnapshot = snapshot }) => {
    expect(verifyPlan(snapshot, sound)).toEqual([]);
    expect(verifyPlan(brokenSnapshot, broken)).toContainEqual(expect.stringMatching(says));
  });
}
