/** Exit codes of every command. */
export const EXIT = { fine: 0, findings: 1, badInput: 2, failure: 3 } as const;

/** Input that cannot be worked with: says what is wrong and what to do, without a stack trace. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError';
}
