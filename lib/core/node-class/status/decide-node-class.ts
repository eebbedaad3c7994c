import type { EC2NodeClass, EC2NodeClassStatus } from '../../../apis/ec2-node-class.ts';
import { NODE_CLASS_FINALIZER } from '../../../apis/labels.ts';
import { sameContent } from '../../canonical-json.ts';
import { conditionsFrom, readiness } from '../../model/conditions.ts';
import type { Blocked } from '../../model/decision.ts';
import type { ObjectPatch } from '../../model/object-patch.ts';
import type { ResolvedNodeClass } from '../../model/resolved-node-class.ts';
import { nodeClassHash } from '../node-class-hash.ts';
import { NODE_CLASS_CONDITIONS } from './conditions.ts';
import { findings, type NodeClassView } from './findings.ts';
import { resourcesFound } from './node-class-status.ts';
import type { Complaint } from './node-class-validation.ts';

export type NodeClassPatch = ObjectPatch<EC2NodeClassStatus>;

export interface NodeClassVerdict {
  /** Absent where the object is up to date. */
  readonly patch?: NodeClassPatch;
  readonly blocked: readonly Blocked[];
}

/** A3.30: the patch that adds the finalizer, so resources that are created for the class can be deleted with it. */
export function finalizersWanted({ metadata }: EC2NodeClass): NodeClassPatch | undefined {
  const { finalizers = [], deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined || finalizers.includes(NODE_CLASS_FINALIZER)) return undefined;
  return { finalizers: [...finalizers, NODE_CLASS_FINALIZER] };
}

/** The resources of a launch, if the class is ready except for the permissions of Kerf, which are checked only then. */
export function launchable(view: NodeClassView): ResolvedNodeClass | undefined {
  const { found, instanceProfile } = view;
  const { bootstrap, subnets, securityGroups, images } = found;
  if (readiness(findings(view)).status !== 'True' || instanceProfile.kind !== 'ready') return undefined;
  if (bootstrap === undefined || subnets === undefined || securityGroups === undefined || images === undefined) {
    return undefined;
  }
  return { ...found, bootstrap, subnets, securityGroups, images, instanceProfile: instanceProfile.name };
}

/**
 * Decides the status of a NodeClass: the resources that were found, the conditions, and the hash of its instances
 * (A3.26–A3.29). *Shape:* no patch where the object is up to date.
 */
export function decideNodeClass(view: NodeClassView, nowMs: number): NodeClassVerdict {
  const { nodeClass, found, instanceProfile } = view;
  const all = findings(view);
  const ready = readiness(all);
  const before = nodeClass.status ?? {};
  const profile = instanceProfile.kind === 'ready' ? instanceProfile.name : undefined;
  const { generation } = nodeClass.metadata;
  const status: EC2NodeClassStatus = {
    ...resourcesFound(found, profile, before),
    conditions: conditionsFrom(
      [...all, ready],
      { conditions: before.conditions ?? [], generation, ours: NODE_CLASS_CONDITIONS },
      nowMs,
    ),
  };
  const { annotations: written = {} } = nodeClass.metadata;
  const hash = found.bootstrap === undefined ? {} : nodeClassHash(nodeClass, found.bootstrap.certificateAuthority);
  const patch: NodeClassPatch = {
    ...(Object.entries(hash).some(([key, value]) => written[key] !== value) && { annotations: hash }),
    ...(!sameContent(status, before) && { status }),
  };
  return {
    ...(Object.keys(patch).length === 0 ? {} : { patch }),
    blocked: ready.status === 'True' ? [] : [blockedBy(nodeClass, ready)],
  };
}

function blockedBy({ metadata }: EC2NodeClass, { reason, message }: Complaint): Blocked {
  return { subject: { kind: 'EC2NodeClass', name: metadata.name }, reason, message, numbers: {} };
}
