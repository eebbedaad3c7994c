import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { sameContent } from '../canonical-json.ts';
import { type ConditionFinding, conditionsFrom } from '../model/conditions.ts';
import type { Action, Blocked } from '../model/decision.ts';
import type { ObjectPatch } from '../model/object-patch.ts';
import { isSameSubject, namespacedSubject, type Subject } from '../model/subject.ts';
import { bufferSubject } from './buffer-pods.ts';

/** The results of a provisioning run that the status of buffers is derived from. */
export interface BufferRun {
  /** The virtual pods of all buffers. */
  readonly bufferPods: readonly Pod[];
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
  /** Buffers that cannot be resolved, or not completely. */
  readonly ignoredObjects: readonly Blocked[];
}

/** The status of a buffer (A5.7). *Shape:* undefined if the object has it already. */
export function decideBuffer(
  buffer: CapacityBuffer,
  run: BufferRun,
  nowMs: number,
): ObjectPatch<CapacityBuffer['status']> | undefined {
  const subject = namespacedSubject('CapacityBuffer', buffer);
  const pods = run.bufferPods.filter((pod) => isSameSubject(bufferSubject(pod), subject));
  const unready = run.ignoredObjects.find((one) => isSameSubject(one.subject, subject));
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
      [ready, provisioning({ ...run, subject, pods, isResolved })],
      { conditions: before.conditions ?? [], generation: buffer.metadata.generation },
      nowMs,
    ),
  };
  return sameContent(status, buffer.status) ? undefined : { status };
}

interface Provisioned extends Pick<BufferRun, 'actions' | 'blocked'> {
  readonly subject: Subject;
  readonly pods: readonly Pod[];
  readonly isResolved: boolean;
}

/** Whether the capacity of the buffer exists or must be launched. */
function provisioning({ subject, pods, isResolved, actions, blocked }: Provisioned): ConditionFinding {
  if (!isResolved) return no('NotReadyForProvisioning', 'the pod template of the buffer is not resolved');
  if (pods.length === 0) return no('BufferEmpty', 'the buffer requests no capacity');
  const refused = blocked.find((one) => isSameSubject(one.subject, subject) && one.reason !== 'TooManyReplicas');
  const mine = new Set(pods.map(podKey));
  const onTheWay = actions.flatMap((action) =>
    action.kind === 'create-node-claim' ? action.nodeClaim.pods.filter((pod) => mine.has(pod)) : [],
  ).length;
  if (refused !== undefined)
    return no('RequiresNewCapacity', `capacity for some pods of the buffer cannot be launched: ${refused.message}`);
  if (onTheWay > 0) return no('RequiresNewCapacity', `launching nodes for ${onTheWay} of ${pods.length} pods`);
  return { type: 'Provisioning', status: 'True', reason: 'FitsExistingCapacity', message: '' };
}

function no(reason: string, message: string): ConditionFinding {
  return { type: 'Provisioning', status: 'False', reason, message };
}
