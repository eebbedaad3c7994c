import { fieldOf, recordOf } from '../../../lib/apis/record.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import type { RuleOf } from '../rule.ts';

/** The webhook allows every request (promise 5). */
export const webhookAllows: RuleOf = ({ violate }) => ({
  answered({ status, body }) {
    const response = recordOf(fieldOf(recordOf(body), 'response'));
    if (status !== 200 || fieldOf(response, 'allowed') !== true)
      violate('the webhook allows every request', `status ${status}: ${JSON.stringify(body)}`);
  },
});

/** A function reports only failures of ports: any other error is a bug. */
export const onlyPortsFail: RuleOf = ({ violate }) => ({
  failed({ function: name, error }) {
    const bug = causes(error).find(
      (one) => one instanceof TypeError || one instanceof RangeError || one instanceof ReferenceError,
    );
    if (bug !== undefined)
      violate('functions do not crash', `${name}: ${bug instanceof Error ? (bug.stack ?? '') : ''}`.slice(0, 600));
    const isAbandoned = error instanceof UnreachableError && error.message.startsWith('the run was abandoned');
    if (isAbandoned) return;
  },
});

function causes(error: unknown): readonly unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...causes(error.cause)] : [error];
}
