import type { Node } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { CsiNode } from '../../../apis/storage.ts';
import { EBS_DRIVER } from '../../../core/scheduling/volumes/attach-limits.ts';
import { ebsAttachments } from '../../../core/scheduling/volumes/ebs-attachments.ts';

/** The CSINode of a node: the number of EBS volumes that pods can attach to it. */
export function attachableVolumes({ metadata }: Node): CsiNode {
  const count = ebsAttachments(metadata.labels?.[INSTANCE_TYPE] ?? '');
  return {
    metadata: { name: metadata.name },
    spec: { drivers: [{ name: EBS_DRIVER, allocatable: { count } }] },
  };
}
