import { ConflictError, type PortError, RefusedError, UnreachableError } from '../../ports/errors.ts';
import { each, fieldsOf } from './project.ts';

/** What the API server answered: its status and its JSON. */
export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** The one table from HTTP statuses to port errors; what is not in it goes by its class. */
const TRANSLATION: Readonly<Record<number, 'conflict' | 'unreachable'>> = {
  408: 'unreachable',
  409: 'conflict',
  // The list's continue token is too old: the list begins again.
  410: 'conflict',
  429: 'unreachable',
};

/** What to do about a status that somebody must act on. */
const ADVICE: Readonly<Record<number, string>> = {
  401: 'check that the cluster has an access entry for the IAM identity that asks',
  403: 'check the ClusterRole and its binding to the group of the access entry',
};

/** The port error for an answer that is no success; `doing` names what was asked. */
export function portErrorOf(response: ApiResponse, doing: string): PortError {
  const advice = ADVICE[response.status];
  const message = `Kubernetes API: ${doing}: ${response.status} ${messageOf(response)}${advice === undefined ? '' : `: ${advice}`}`;
  const kind = TRANSLATION[response.status] ?? (response.status >= 500 ? 'unreachable' : 'refused');
  switch (kind) {
    case 'conflict':
      return new ConflictError(message);
    case 'unreachable':
      return new UnreachableError(message);
    case 'refused':
      return new RefusedError(message);
  }
}

/** No answer at all, or none in time. */
export function noAnswer(doing: string, cause: unknown): UnreachableError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new UnreachableError(`Kubernetes API: ${doing}: no answer: ${why}`, { cause });
}

/** The text of a Kubernetes Status, cut to a line. */
export function messageOf({ body }: ApiResponse): string {
  const isStatus = typeof body === 'object' && body !== null && 'message' in body;
  return (isStatus ? String(body.message) : '').slice(0, 500);
}

/** Into a namespace that is being deleted nothing new comes: no event, and no eviction (403). */
export function isNamespaceGoing({ status, body }: ApiResponse): boolean {
  const { causes } = fieldsOf(fieldsOf(body)['details']);
  return status === 403 && each(causes, (cause) => cause).some(({ reason }) => reason === 'NamespaceTerminating');
}
