import { errorMessage } from '../../../core/error-message.ts';
import { ConflictError, type PortError, RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { each, fieldsOf } from '../project/project.ts';

/** A response of the API server: its status and JSON. */
export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Maps HTTP statuses to port errors. Other statuses are mapped by their class. */
const TRANSLATION: Readonly<Record<number, 'conflict' | 'unreachable'>> = {
  408: 'unreachable',
  409: 'conflict',
  // The continue token of the list is too old, so the list starts again.
  410: 'conflict',
  429: 'unreachable',
};

/** What to do about a response that requires a change. Admission and quotas refuse with the status of RBAC too. */
function adviceOn(response: ApiResponse): string | undefined {
  const { status } = response;
  if (status === 401) return 'check that the cluster has an access entry for the calling IAM identity';
  if (status !== 403) return undefined;
  const message = messageOf(response);
  if (/denied (the )?request/.test(message))
    return 'change the webhook or the policy that denies it, or exempt the request from it';
  if (message.includes('exceeded quota')) return 'raise the ResourceQuota';
  return 'check the ClusterRole and its binding to the group of the access entry';
}

/** The port error for an unsuccessful response; `doing` describes the request. */
export function kubernetesPortError(response: ApiResponse, doing: string): PortError {
  const advice = adviceOn(response);
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

/** No response, or a timeout. */
export function noAnswer(doing: string, cause: unknown): UnreachableError {
  const why = errorMessage(cause);
  return new UnreachableError(`Kubernetes API: ${doing}: no answer: ${why}`, { cause });
}

/** The message of a Kubernetes Status, cut to one line. */
export function messageOf({ body }: ApiResponse): string {
  const isStatus = typeof body === 'object' && body !== null && 'message' in body;
  return (isStatus ? String(body.message) : '').slice(0, 500);
}

/** An admission webhook chooses the status of its denial. These have another meaning from the API server: no object, changed, overloaded. */
const OF_API_SERVER: readonly number[] = [404, 409, 429];

/** A denial by an admission webhook is a refusal, whatever its status. *Shape:* other responses are returned unchanged. */
export function withTrueStatus(response: ApiResponse): ApiResponse {
  const isDenied = /^admission webhook ".*" denied the request/.test(messageOf(response));
  return isDenied && OF_API_SERVER.includes(response.status) ? { ...response, status: 422 } : response;
}

/** A namespace that is being deleted rejects new objects, including events and evictions (403). */
export function isNamespaceGoing(response: ApiResponse): boolean {
  return response.status === 403 && hasCause(response, 'NamespaceTerminating');
}

/** Whether the details of a Kubernetes Status have this cause. */
export function hasCause(response: ApiResponse, expected: string): boolean {
  return causesOf(response).some(({ reason }) => reason === expected);
}

/** A write names the uid of an object, and another object has its name (422). */
export function isOfAnotherObject(response: ApiResponse): boolean {
  return response.status === 422 && causesOf(response).some(({ field }) => field === 'metadata.uid');
}

function causesOf({ body }: ApiResponse): readonly Readonly<Record<string, unknown>>[] {
  const { causes } = fieldsOf(fieldsOf(body)['details']);
  return each(causes, (cause) => cause);
}
