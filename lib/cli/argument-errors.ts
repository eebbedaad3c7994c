/** The error texts of the command line itself: unknown commands, unknown flags, missing and wrong values, failed commands. */

import { type ApplicationText, ArgumentScannerError, formatMessageForArgumentScannerError } from '@stricli/core';
import { BadInputError } from '../apis/bad-input-error.ts';
import { errorMessage } from '../core/error-message.ts';
import { suggest } from '../core/suggest.ts';

type ErrorTexts = Pick<
  ApplicationText,
  'noCommandRegisteredForInput' | 'exceptionWhileParsingArguments' | 'exceptionWhileRunningCommand'
>;

export const ARGUMENT_ERRORS: ErrorTexts = {
  noCommandRegisteredForInput: ({ input, corrections }) =>
    input.startsWith('-')
      ? `no command is given before ${input}: write one, such as kerf plan provisioning, or see kerf --help`
      : `"${input}" is not a command: ${writeOne(similar(input, corrections.map(withoutQuotes)))}see kerf --help`,
  exceptionWhileParsingArguments: (error) =>
    error instanceof ArgumentScannerError ? textOf(error) : `the arguments cannot be read: ${errorMessage(error)}`,
  exceptionWhileRunningCommand: failureText,
};

const CERTIFICATE =
  'check the context of the kubeconfig and its certificate-authority-data, and whether a proxy replaces certificates';

/** What to do about failures whose message names only the call that failed. The first that matches is used. */
const HINTS: readonly (readonly [message: RegExp, hint: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'check the network, the region and the address'],
  [/ECONNREFUSED/, 'check the address and its port, and whether a tunnel or a proxy to it runs'],
  [
    /ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|no connection within|no response within/,
    'check the network: a private endpoint is reachable from its VPC only',
  ],
  [
    /self[- ]signed certificate|unable to verify|unable to get (?:local )?issuer|certificate has expired|ERR_TLS_CERT/,
    CERTIFICATE,
  ],
  [/ExpiredToken|RequestExpired|security token[^:]* is expired/, 'sign in again (aws sso login)'],
  [
    /UnrecognizedClient|InvalidClientTokenId|AuthFailure|SignatureDoesNotMatch|InvalidAccessKeyId/,
    'AWS does not accept the credentials: sign in again, and check AWS_PROFILE and the time of this machine',
  ],
  [/AccessDenied|UnauthorizedOperation/, 'the IAM identity of the shell needs this permission: check AWS_PROFILE'],
];

/** The message of a failed command, as one sentence. Bad input has a line for each problem. @internal */
export function failureText(error: unknown): string {
  const { message, hint } = failureParts(error);
  return hint === undefined ? message : `${message}; ${hint}`;
}

/** The message of a failure, and what to do about it, if it is known. */
export function failureParts(error: unknown): { readonly message: string; readonly hint: string | undefined } {
  const text = errorMessage(error).trim();
  const message = error instanceof BadInputError ? text : text.replaceAll(/\s*\n\s*/g, ' ');
  return { message, hint: HINTS.find(([pattern]) => pattern.test(message))?.[1] };
}

/** The message of the library for a value of a flag that has none. */
const NOT_A_BOOLEAN = /^Cannot convert [^]* to a boolean$/;

function textOf(error: ArgumentScannerError): string {
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `--${input} is not a flag of this command: ${writeOne(corrections.map((name) => `--${name}`))}see --help`,
    AliasNotFoundError: ({ input }) => `-${input} is not a flag of this command: see --help`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input, exception }) => {
      const message = errorMessage(exception);
      if (NOT_A_BOOLEAN.test(message)) return `--${name}: "${input}" is not allowed; write --${name} without a value`;
      return `${name === name.toUpperCase() ? name : `--${name}`}: ${message}`;
    },
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName}: "${input}" is not allowed; write ${values.join(' or ')}`,
    UnsatisfiedFlagError: ({ externalFlagName: name }) =>
      `--${name} is required: add --${name} and its value, or see --help`,
    UnsatisfiedPositionalError: ({ placeholder }) => `no ${placeholder} is given: add at least one`,
    UnexpectedPositionalError: ({ input }) => `"${input}" is an unexpected argument: remove it`,
  });
}

/** Of a short word, the parser suggests every command of about the same length. */
function similar(input: string, names: readonly string[]): readonly string[] {
  const nearest = suggest(input, names);
  return nearest === undefined ? [] : [nearest];
}

function writeOne(corrections: readonly string[]): string {
  return corrections.length === 0 ? '' : `write ${corrections.join(' or ')}, or `;
}

/** The library writes the names of commands in backticks. */
function withoutQuotes(name: string): string {
  return name.replaceAll('`', '');
}
