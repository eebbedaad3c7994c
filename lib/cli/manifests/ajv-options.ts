import type { Options } from 'ajv';

/** How every document is judged: all that is wrong with it at once, and nothing printed. */
export const AJV_OPTIONS: Options = {
  allErrors: true,
  strict: false,
  strictNumbers: true,
  verbose: true,
  validateSchema: false,
  logger: false,
  messages: false,
  // Nearly half of the time that compiling takes, for code that runs once or a few thousand times.
  code: { optimize: false },
};
