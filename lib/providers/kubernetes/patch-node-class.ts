import type { EC2NodeClass, EC2NodeClassStatus } from '../../apis/ec2-node-class.ts';
import type { NodeClassPatch } from '../../core/node-class/decide-node-class.ts';
import type { ApiClient } from './api-client.ts';
import { portErrorOf } from './errors.ts';
import { type Fields, fieldsOf } from './project.ts';
import { nodeClassOf } from './project-custom.ts';

export const NODE_CLASSES = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';

/** A merge patch leaves alone what it does not name: fields that are not there any more are named as null. */
const STATUS_FIELDS: readonly (keyof EC2NodeClassStatus)[] = [
  'subnets',
  'securityGroups',
  'amis',
  'capacityReservations',
  'instanceProfile',
  'conditions',
];

/**
 * The object by one call and its status by another, each naming the version that was read or that the first one made: the
 * server refuses either where somebody else wrote in between. *Shape:* undefined where the class is gone.
 */
export async function patchNodeClass(
  client: ApiClient,
  nodeClass: EC2NodeClass,
  { annotations, finalizers, status }: NodeClassPatch,
): Promise<EC2NodeClass | undefined> {
  let current: EC2NodeClass | undefined = nodeClass;
  if (annotations !== undefined || finalizers !== undefined) {
    current = await send(client, current, { metadata: { annotations, finalizers } });
  }
  if (current === undefined || status === undefined) return current;
  const whole = Object.fromEntries(STATUS_FIELDS.map((field) => [field, status[field] ?? null]));
  return send(client, current, { subresource: '/status', status: whole });
}

async function send(
  client: ApiClient,
  { metadata }: EC2NodeClass,
  { subresource = '', ...change }: Fields & { readonly subresource?: string },
): Promise<EC2NodeClass | undefined> {
  const { name, resourceVersion } = metadata;
  const path = `${NODE_CLASSES}/${name}${subresource}`;
  const body = { ...change, metadata: { ...fieldsOf(change['metadata']), resourceVersion } };
  const answer = await client.send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  if (answer.status === 404) return undefined;
  if (answer.status >= 300) throw portErrorOf(answer, `patch EC2NodeClass ${name}`);
  const after = nodeClassOf(fieldsOf(answer.body));
  return isLeaving(after) ? undefined : after;
}

/** The answer to the patch that takes the last finalizer away is the object as it was last. */
function isLeaving(nodeClass: EC2NodeClass | undefined): boolean {
  const { deletionTimestamp, finalizers = [] } = nodeClass?.metadata ?? {};
  return deletionTimestamp !== undefined && finalizers.length === 0;
}
