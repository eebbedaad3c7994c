/**
 * Limits what Kerf's functions may write to the status of pods. RBAC can limit the subresource and not its fields, and a status says
 * which node a pod runs on, which addresses it has and whether it is ready.
 */
import { type AdmissionPolicy, policyForKerf } from './admission-policy.ts';

const POD_STATUS = {
  apiGroups: [''],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['pods/status'],
};

/** The API server itself changes these fields with each write. */
const WRITTEN_BY_SERVER = ['generation', 'managedFields', 'resourceVersion'];

/** B66: Kerf's functions change nothing in a pod but `status.nominatedNodeName`. The policy is the same in each cluster. */
export function nominationPolicy(): readonly [AdmissionPolicy, AdmissionPolicy] {
  return policyForKerf('kerf-pod-nominations', POD_STATUS, [
    {
      expression: isSame('status', ['nominatedNodeName']),
      message: 'Kerf changes nothing in the status of a pod but nominatedNodeName',
    },
    {
      expression: isSame('metadata', WRITTEN_BY_SERVER),
      message: 'Kerf does not change the metadata of a pod',
    },
    { expression: 'object.spec == oldObject.spec', message: 'Kerf does not change the spec of a pod' },
  ]);
}

/** CEL: both objects have the same fields in this part, except for some. New fields of later versions of Kubernetes are included. */
function isSame(part: string, except: readonly string[]): string {
  const [after, before] = [`object.${part}`, `oldObject.${part}`];
  const excepted = `field in [${except.map((name) => `'${name}'`).join(', ')}]`;
  const kept = `(field in ${before} && ${after}[field] == ${before}[field])`;
  return `${after}.all(field, ${excepted} || ${kept}) && ${before}.all(field, ${excepted} || field in ${after})`;
}
