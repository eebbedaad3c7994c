import type { Options } from 'ajv';

/** Options of the validator: report all errors of a document at once, and print nothing. */
export const AJV_OPTIONS: Options = {
  allErrors: true,
  strict: false,
  strictNumbers: true,
  verbose: true,
  validateSchema: false,
  logger: false,
  messages: false,
  // Optimizing takes nearly half of the compile time, and the compiled code runs a few thousand times at most.
  code: { optimize: false },
};
