import type { NodeOverlay } from '../../../apis/node-overlay.ts';
import { sameContent } from '../../canonical-json.ts';
import { type ConditionFinding, conditionsFrom, holds, readiness } from '../../model/conditions.ts';
import type { ObjectPatch } from '../../model/object-patch.ts';
import type { OverlayConflict } from './overlays.ts';

/** A4.1: the status of an overlay: whether it has an effect, or why not. *Shape:* undefined if the object has it already. */
export function decideOverlay(
  overlay: NodeOverlay,
  conflicts: readonly OverlayConflict[],
  nowMs: number,
): ObjectPatch<NodeOverlay['status']> | undefined {
  const conflict = conflicts.find((one) => one.overlay === overlay.metadata.name);
  const type = 'ValidationSucceeded';
  const validation: ConditionFinding =
    conflict === undefined
      ? holds(type)
      : { type, status: 'False', reason: conflict.reason, message: conflict.message };
  const { generation } = overlay.metadata;
  const conditions = conditionsFrom(
    [validation, readiness([validation])],
    { conditions: overlay.status?.conditions ?? [], generation },
    nowMs,
  );
  const status = { ...overlay.status, conditions };
  return sameContent(status, overlay.status) ? undefined : { status };
}
