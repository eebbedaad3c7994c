/** The error texts of the command line itself: unknown commands, unknown flags, missing and wrong values, failed commands. */
import { type ApplicationText, ArgumentScannerError, formatMessageForArgumentScannerError } from '@stricli/core';

type ErrorTexts = Pick<
  ApplicationText,
  'noCommandRegisteredForInput' | 'exceptionWhileParsingArguments' | 'exceptionWhileRunningCommand'
>;

export const ARGUMENT_ERRORS: ErrorTexts = {
  noCommandRegisteredForInput: ({ input, corrections }) =>
    input.startsWith('-')
      ? `no command is given before ${input}: write one, such as kerf plan provisioning, or see kerf --help`
      : `"${input}" is not a command: ${writeOne(corrections.map(withoutQuotes))}see kerf --help`,
  exceptionWhileParsingArguments: (error) =>
    error instanceof ArgumentScannerError ? textOf(error) : `the arguments cannot be read: ${messageOf(error)}`,
  exceptionWhileRunningCommand: failureText,
};

/** The message of a failed command. Node.js names only the call that failed, so that a missing connection needs a hint. @internal */
export function failureText(error: unknown): string {
  const message = messageOf(error);
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/.test(message)
    ? `${message}; check the network, the region and the address`
    : message;
}

function textOf(error: ArgumentScannerError): string {
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `--${input} is not a flag of this command: ${writeOne(corrections.map((name) => `--${name}`))}see --help`,
    AliasNotFoundError: ({ input }) => `-${input} is not a flag of this command: see --help`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, exception }) =>
      `${name === name.toUpperCase() ? name : `--${name}`}: ${messageOf(exception)}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName}: "${input}" is not allowed; write ${values.join(' or ')}`,
    UnsatisfiedFlagError: ({ externalFlagName: name }) => `--${name} has no value: add --${name} and its value`,
    UnsatisfiedPositionalError: ({ placeholder }) => `no ${placeholder} is given: add at least one`,
    UnexpectedPositionalError: ({ input }) => `"${input}" is an unexpected argument: remove it`,
  });
}

function writeOne(corrections: readonly string[]): string {
  return corrections.length === 0 ? '' : `write ${corrections.join(' or ')}, or `;
}

/** The library writes the names of commands in backticks. */
function withoutQuotes(name: string): string {
  return name.replaceAll('`', '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
