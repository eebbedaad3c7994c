import type { Immutable } from './formats/immutable.ts';
import type * as generated from './generated/node-claim.ts';
import type { ResourceList } from './kubernetes.ts';

/** The object that `kubectl get nodeclaims` shows. It mirrors the record in the table, which is authoritative. */
export type NodeClaim = Immutable<generated.NodeClaim>;

/** The spec of a NodeClaim that Kerf creates, which always has resource requests. */
export type NodeClaimSpec = NodeClaim['spec'] & { readonly resources: { readonly requests: ResourceList } };
