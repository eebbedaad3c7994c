import type { Node } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { CsiNode } from '../../../apis/storage.ts';
import type { InstanceTypeFacts } from '../../../core/instance-type/facts.ts';
import { EBS_DRIVER } from '../../../core/scheduling/volumes/attach-limits.ts';

/** How many EBS volumes pods can attach to a node of the instance type, by name. */
export type AttachableVolumes = (instanceType: string) => number;

/** The CSINode of a node. */
export function csiNodeOf({ metadata }: Node, attachable: AttachableVolumes): CsiNode {
  const count = attachable(metadata.labels?.[INSTANCE_TYPE] ?? '');
  return {
    metadata: { name: metadata.name },
    spec: { drivers: [{ name: EBS_DRIVER, allocatable: { count } }] },
  };
}

/**
 * What the EBS CSI driver reports, on nodes with one volume and two network interfaces: the attachments of the type without the root volume
 * and, unless they are for volumes alone, the second interface. Engine and simulator compute it independently.
 */
export function reportedByDriver(facts: readonly InstanceTypeFacts[]): AttachableVolumes {
  const byType = new Map(facts.map((type) => [type.name, type.ebsAttachments]));
  return (instanceType) => {
    const attachments = byType.get(instanceType) ?? 27;
    const isShared = attachments < 32;
    return Math.max(1, attachments - 1 - (isShared ? 1 : 0));
  };
}
