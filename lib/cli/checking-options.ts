import { BadInputError } from '../apis/bad-input-error.ts';
import { OptionError } from '../operator/options/option-values.ts';

/** Connects to AWS. *Errors:* an invalid option is bad input, which is shown without a stack trace; all others are unchanged. */
export async function checkingOptions<Connected>(connect: () => Promise<Connected>): Promise<Connected> {
  try {
    return await connect();
  } catch (error) {
    throw error instanceof OptionError ? new BadInputError(error.message, { cause: error }) : error;
  }
}
