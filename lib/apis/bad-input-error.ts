/** Input that cannot be used: the message names what is wrong and what to do, and is shown without a stack trace. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError';
}
