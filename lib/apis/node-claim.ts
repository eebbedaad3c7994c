import type * as generated from './generated/node-claim.ts';
import type { Immutable } from './immutable.ts';
import type { ResourceList } from './kubernetes.ts';

/** The object that `kubectl get nodeclaims` shows; the table's record is the truth, this is its mirror. */
export type NodeClaim = Immutable<generated.NodeClaim>;

/** Our own always say what they need room for. */
export type NodeClaimSpec = NodeClaim['spec'] & { readonly resources: { readonly requests: ResourceList } };
