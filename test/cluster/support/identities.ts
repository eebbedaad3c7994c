/** The API server's answers for the members of a group: an administrator may impersonate any user. */
import type { ClusterFunction } from '../../../lib/core/install/rbac.ts';
import { groupOf, rbacObjects } from '../../../lib/core/install/rbac.ts';
import { at, textAt } from '../../stack/json.ts';
import { type Answer, type Call, callApi, succeed } from './api-client.ts';

export const FUNCTIONS: readonly ClusterFunction[] = ['provisioning', 'lifecycle', 'disruption', 'termination'];

/** The user and the group that EKS gives the role of a function. The API server adds only `system:authenticated`. */
export function speakingFor(name: ClusterFunction): Readonly<Record<string, string>> {
  return {
    'impersonate-user': `arn:aws:sts::123456789012:assumed-role/${name}/run`,
    'impersonate-group': groupOf(name),
  };
}

export async function callAs(name: ClusterFunction, call: Call): Promise<Answer> {
  return await callApi({ ...call, headers: { ...call.headers, ...speakingFor(name) } });
}

/** A request to the API server, in the terms of its authorization API. */
export interface Attempt {
  readonly verb: string;
  readonly group?: string;
  /** With its subresource: `pods/eviction`. */
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The decision of the API server: a SelfSubjectAccessReview. */
export async function isAllowed(name: ClusterFunction, attempt: Attempt): Promise<boolean> {
  const { resource: path, ...rest } = attempt;
  const [resource, subresource] = path.split('/');
  const { body } = await callAs(name, {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { ...rest, resource, ...(subresource !== undefined && { subresource }) } },
    },
  });
  return at(body, 'status', 'allowed') === true;
}

export async function installRoles(): Promise<void> {
  for (const object of rbacObjects()) {
    await succeed({
      method: 'PATCH',
      path: `/apis/rbac.authorization.k8s.io/v1/${object.kind.toLowerCase()}s/${textAt(object, 'metadata', 'name')}`,
      query: { fieldManager: 'kerf', force: 'true', fieldValidation: 'Strict' },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: object,
    });
  }
}
