/** The steps that searches may still take. The limit is in steps, not seconds, so that a replay gives the same decision. */
export interface StepLedger {
  left(): number;
  spend(steps: number): void;
}

/** The number of steps of one method in one pass. A step is a question for one node, which takes about 0.2 ms. */
export const STEPS_OF_METHOD = 20_000;

/** The number of steps of one run: as many as the methods that search take in one pass. */
export const STEPS_OF_RUN = 3 * STEPS_OF_METHOD;

export function stepLedger(steps: number): StepLedger {
  let left = steps;
  return {
    left: () => left,
    spend(some) {
      left -= some;
    },
  };
}

/** A part of the steps for one method. What it spends is spent from the whole, too. */
export function shareOf(whole: StepLedger): StepLedger {
  const share = stepLedger(Math.max(0, Math.min(STEPS_OF_METHOD, whole.left())));
  return {
    left: () => share.left(),
    spend(steps) {
      share.spend(steps);
      whole.spend(steps);
    },
  };
}
