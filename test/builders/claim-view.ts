import type { Labels, Node, Pod } from '../../lib/apis/kubernetes.ts';
import { optional } from '../../lib/apis/optional.ts';
import type { LearnedMemory } from '../../lib/core/model/learned-memory.ts';
import type { Instance, NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { ClaimVerdict } from '../../lib/core/node-claim/claim-verdict.ts';
import { decideLifecycle, type NodeClaimView } from '../../lib/core/node-claim/lifecycle.ts';
import type { TerminationView } from '../../lib/core/node-claim/termination.ts';
import { read, type Unread } from '../../lib/core/observed.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import { launchContext } from './launch-context.ts';
import { NOW_MS } from './times.ts';

/** What a run knows of something whose read has failed. */
export const UNREAD: Unread = { kind: 'unread', failure: new UnreachableError('no answer') };

interface SeenClaim extends Partial<Omit<NodeClaimView, 'instanceLabels' | 'learnedMemory'>> {
  /** @default now */
  readonly listedAtMs?: number;
  /** @default true */
  readonly instanceListed?: boolean;
  readonly taggedInstance?: Instance;
  /** @default none */
  readonly instanceLabels?: Labels | Unread;
  /** @default none */
  readonly learnedMemory?: readonly LearnedMemory[];
}

/** The only claim of its cluster, with a usable NodeClass. If it has an instance, EC2 lists the instance. Everything is read. */
export function viewOf(record: NodeClaimRecord, over: SeenClaim = {}): NodeClaimView {
  const { listedAtMs = NOW_MS, instanceListed = true, taggedInstance, instanceLabels = {}, ...rest } = over;
  const listed = { atMs: listedAtMs, contains: read(instanceListed), ...optional({ tagged: taggedInstance }) };
  return {
    record,
    listed: read(listed),
    shown: read(undefined),
    drift: {},
    launchContext: launchContext(),
    takeTurns: false,
    ...rest,
    instanceLabels: isUnread(instanceLabels) ? instanceLabels : read(instanceLabels),
    learnedMemory: read(over.learnedMemory ?? []),
  };
}

function isUnread(labels: Labels | Unread): labels is Unread {
  return labels === UNREAD;
}

interface SeenTermination extends Partial<Omit<TerminationView, 'record' | 'node' | 'pods'>> {
  readonly record: NodeClaimRecord;
  /** @default the instance has no node */
  readonly node?: Node | undefined;
  /** @default none */
  readonly pods?: readonly Pod[];
}

/** A claim of which everything is read. EC2 does not list its instance, unless the test says so. */
export function terminationView({ node, pods = [], ...over }: SeenTermination): TerminationView {
  return { instanceState: 'not-listed', ...over, node: read(node), pods: read(pods) };
}

/** The list of instances is up to date. */
export function decide(view: NodeClaimView, nowMs: number): ClaimVerdict {
  return decideLifecycle({ ...view, listed: upToDate(view.listed, nowMs) }, nowMs);
}

function upToDate(listed: NodeClaimView['listed'], nowMs: number): NodeClaimView['listed'] {
  return listed.kind === 'read' ? read({ ...listed.value, atMs: nowMs }) : listed;
}

/** The cause of the deletion, if the claim is deleted. */
export function deletionOf(view: NodeClaimView, nowMs: number): string | undefined {
  const [action] = decide(view, nowMs).actions;
  return action?.kind === 'delete-node-claim' ? action.reason : undefined;
}
