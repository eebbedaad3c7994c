import { NODE_CLAIM_TAG } from '../../../apis/labels.ts';
import { compareText } from '../../compare-text.ts';
import { digest } from '../../identity.ts';
import type { Action } from '../../model/decision.ts';
import {
  type Instance,
  instanceOf,
  type LaunchRequest,
  type LaunchState,
  type NodeClaimRecord,
} from '../../model/node-claim-record.ts';
import type { ClaimVerdict } from '../claim-verdict.ts';

/**
 * The claims of one request at most. Their records are written in one transaction, which may have 100 items and 4 MB, and one
 * CreateFleet call launches their instances.
 */
export const MAX_MEMBERS = 50;

/** A claim that is not launched, with its next step. */
export interface LaunchingClaim {
  /** As it was read. */
  readonly record: NodeClaimRecord;
  /** Of a launch: its record has the request, and its action sends it. */
  readonly verdict: ClaimVerdict;
}

/** Claims that one request launches. */
export interface LaunchGroup {
  readonly request: LaunchRequest;
  readonly members: readonly LaunchingClaim[];
}

type Requested = LaunchState & { readonly kind: 'requested' };

/**
 * Groups the claims that one CreateFleet call can launch: claims whose requests differ only in the claim, and claims of a group
 * whose request is sent again.
 * *Shape:* claims that must be launched alone are left out. The members of a group are in the order of its request.
 * *Cost:* O(claims × size of a request).
 */
export function launchGroups(claims: readonly LaunchingClaim[]): readonly LaunchGroup[] {
  const byKey = new Map<string, LaunchingClaim[]>();
  for (const claim of claims.toSorted((a, b) => compareText(a.record.name, b.record.name))) {
    const key = groupKey(claim);
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), claim]);
  }
  return [...byKey.values()].flatMap((members) => {
    const request = members[0] && requestOf(members[0].verdict.record);
    if (request?.members !== undefined) return [{ request, members }];
    return chunks(members).flatMap((chunk) => (chunk.length < 2 ? [] : [groupOf(chunk)]));
  });
}

/**
 * Equal for claims that one request can launch now. A single request that was sent before is repeated unchanged. Undefined for a claim
 * that is launched alone, or not now.
 */
export function groupKey({ record, verdict }: LaunchingClaim): string | undefined {
  const request = requestOf(verdict.record);
  if (request === undefined || !verdict.actions.some(({ kind }) => kind === 'launch-instance')) return undefined;
  const { clientToken, nodeClaim: _name, members, tags, ...shared } = request;
  if (members !== undefined) return clientToken;
  if (record.launch.kind === 'requested') return undefined;
  const { [NODE_CLAIM_TAG]: _tag, ...others } = tags;
  return JSON.stringify([others, shared]);
}

function requestOf({ launch }: NodeClaimRecord): LaunchRequest | undefined {
  return launch.kind === 'requested' ? launch.request : undefined;
}

function chunks<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / MAX_MEMBERS);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_MEMBERS, (index + 1) * MAX_MEMBERS));
}

/** The claims with one request for all of them. Its token is derived from its claims and their attempts (C51). */
function groupOf(claims: readonly LaunchingClaim[]): LaunchGroup {
  const attempts = claims.map(({ verdict: { record } }) => {
    const { cluster, name, createdAtMs, launch } = record;
    return `${cluster}/${name}/${createdAtMs}/${launch.kind === 'requested' ? launch.attempt : 0}`;
  });
  const name = digest(attempts.join(' '));
  const members = claims.flatMap(({ record, verdict }) => {
    const { launch } = verdict.record;
    if (launch.kind !== 'requested') return [];
    const request: LaunchRequest = {
      ...launch.request,
      clientToken: `kerf-${name}`,
      nodeClaim: `${GROUP}${name}`,
      members: claims.map((one) => one.record.name),
      tags: { ...launch.request.tags, [NODE_CLAIM_TAG]: `${GROUP}${name}` },
    };
    return [{ record, verdict: withRequest(verdict, { ...launch, request }) }];
  });
  const [first] = members;
  const request = first && requestOf(first.verdict.record);
  if (request === undefined) throw new Error('a group of launches has no request');
  return { request, members };
}

/** The verdict of a launch with another request. */
export function withRequest(verdict: ClaimVerdict, launch: Requested): ClaimVerdict {
  const { request } = launch;
  const actions = verdict.actions.map((one): Action => (one.kind === 'launch-instance' ? { ...one, request } : one));
  return { ...verdict, record: { ...verdict.record, launch }, actions };
}

/** Names of NodeClaims have no slash. */
const GROUP = 'group/';
/** In place of the name of a group, for an instance whose tags cannot be read: no claim of any group may be waiting for it. */
export const UNNAMED: string = `${GROUP}unknown`;

/**
 * Whether the tag of an instance names a group: its instance is not assigned to a claim yet, or the name of the claim is not
 * written yet.
 */
export function isGroupName(nodeClaim: string): boolean {
  return nodeClaim.startsWith(GROUP);
}

/**
 * The instance of a member: the instances by id are assigned to the members in order. EC2 gives every call with the token the same
 * instances, so every function assigns them in the same way (promise 1). *Shape:* undefined if EC2 launched fewer instances.
 */
export function instanceForMember(
  { nodeClaim, members = [nodeClaim] }: LaunchRequest,
  member: string,
  instances: readonly Instance[],
): Instance | undefined {
  const place = members.indexOf(member);
  return place === -1 ? undefined : instances[place];
}

/**
 * The listed instances of groups whose request is not sent again, by the claims that have none: instances by id, claims by name.
 * The table refuses an instance that another claim has.
 * @param records all claims of the cluster
 */
export function listedMembers(
  records: readonly NodeClaimRecord[],
  instances: readonly (Instance & { readonly nodeClaim: string })[],
): ReadonlyMap<string, Instance> {
  const waiting = new Map<string, string[]>();
  for (const { name, launch } of records) {
    if (launch.kind !== 'requested' || launch.request.members === undefined) continue;
    waiting.set(launch.request.nodeClaim, [...(waiting.get(launch.request.nodeClaim) ?? []), name]);
  }
  if (waiting.size === 0) return new Map();
  const held = new Set(records.flatMap((record) => instanceOf(record)?.id ?? []));
  return new Map(
    [...waiting].flatMap(([group, names]) => {
      const free = instances.filter(({ id, nodeClaim }) => nodeClaim === group && !held.has(id));
      const ordered = free.toSorted((a, b) => compareText(a.id, b.id));
      return names.toSorted(compareText).flatMap((name, index) => {
        const instance = ordered[index];
        return instance === undefined ? [] : [[name, instance] as const];
      });
    }),
  );
}
