import type { Reason } from './reasons.ts';

/** Why one place does not take a pod: a word to group by, a sentence to read, the figures behind it. */
export interface Refusal {
  readonly reason: Reason;
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
}

export function refusal(reason: Reason, message: string, numbers: Refusal['numbers'] = {}): Refusal {
  return { reason, message, numbers };
}
