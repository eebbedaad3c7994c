import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { sameContent } from '../canonical-json.ts';
import { type ConditionFinding, conditionsFrom } from '../model/conditions.ts';
import type { Action, Blocked } from '../model/decision.ts';
import type { ObjectPatch } from '../model/object-patch.ts';
import { isSameSubject, namespacedSubject, type Subject } from '../model/subject.ts';
import { bufferSubject } from './buffer-pods.ts';

/** A run of provisioning, as far as it concerns buffers. */
export interface BufferLook {
  /** Those of all buffers. */
  readonly bufferPods: readonly Pod[];
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
  /** Buffers that decisions cannot go by, or not in full. */
  readonly ignoredObjects: readonly Blocked[];
}

/** A5.7. *Shape:* undefined where the object says it already. */
export function decideBuffer(
  buffer: CapacityBuffer,
  look: BufferLook,
  nowMs: number,
): ObjectPatch<CapacityBuffer['status']> | undefined {
  const subject = namespacedSubject('CapacityBuffer', buffer);
  const pods = look.bufferPods.filter((pod) => isSameSubject(bufferSubject(pod), subject));
  const unready = look.ignoredObjects.find((one) => isSameSubject(one.subject, subject));
  const isResolved = unready === undefined || unready.reason === 'TooManyReplicas';
  const ready: ConditionFinding = isResolved
    ? { type: 'ReadyForProvisioning', status: 'True', reason: 'Resolved', message: unready?.message ?? '' }
    : { type: 'ReadyForProvisioning', status: 'False', reason: unready.reason, message: unready.message };
  const { provisioningStrategy, podTemplateRef } = buffer.spec;
  const { podTemplateGeneration: _, podTemplateRef: _template, ...before } = buffer.status ?? {};
  const status = {
    ...before,
    ...(podTemplateRef === undefined || !isResolved ? {} : { podTemplateRef }),
    replicas: pods.length,
    provisioningStrategy,
    conditions: conditionsFrom(
      [ready, provisioning({ ...look, subject, pods, isResolved })],
      { conditions: before.conditions ?? [], generation: buffer.metadata.generation },
      nowMs,
    ),
  };
  return sameContent(status, buffer.status) ? undefined : { status };
}

interface Provisioned extends Pick<BufferLook, 'actions' | 'blocked'> {
  readonly subject: Subject;
  readonly pods: readonly Pod[];
  readonly isResolved: boolean;
}

/** Whether its room is there, or has to be made. */
function provisioning({ subject, pods, isResolved, actions, blocked }: Provisioned): ConditionFinding {
  if (!isResolved) return no('NotReadyForProvisioning', 'what it keeps room for is not known');
  if (pods.length === 0) return no('BufferEmpty', 'it asks for no room');
  const refused = blocked.find((one) => isSameSubject(one.subject, subject) && one.reason !== 'TooManyReplicas');
  const mine = new Set(pods.map(podKey));
  const onTheWay = actions.flatMap((action) =>
    action.kind === 'create-node-claim' ? action.nodeClaim.pods.filter((pod) => mine.has(pod)) : [],
  ).length;
  if (refused !== undefined) return no('RequiresNewCapacity', `room for some of it cannot be made: ${refused.message}`);
  if (onTheWay > 0) return no('RequiresNewCapacity', `nodes are launched for ${onTheWay} of ${pods.length} pods`);
  return { type: 'Provisioning', status: 'True', reason: 'FitsExistingCapacity', message: '' };
}

function no(reason: string, message: string): ConditionFinding {
  return { type: 'Provisioning', status: 'False', reason, message };
}
