import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { KubeletConfiguration } from '../../apis/kubelet-configuration.ts';
import { NODE_CLAIM_TAG, NODE_CLASS, NODE_POOL } from '../../apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../apis/taints.ts';
import { withTypeKubelet } from '../instance-type/type-kubelet.ts';
import type { Reason } from '../model/reasons.ts';
import { CLUSTER_TAG } from '../node-claim/ownership-tags.ts';
import type { FieldProblem } from '../validation/field-problem.ts';
import { kubeletProblems } from '../validation/kubelet.ts';
import { kubeletExpressionProblems } from '../validation/kubelet-expressions.ts';
import { unsupportedKubeletFields } from '../validation/kubelet-support.ts';
import type { ClusterBootstrap } from './cluster-bootstrap.ts';
import { nodeUserData } from './user-data.ts';
import { LARGEST_USER_DATA_BYTES, userDataBytes, WARNING_USER_DATA_BYTES } from './user-data-size.ts';

/** Why a NodeClass that the API server took is refused all the same (A3.29). */
export interface Complaint {
  readonly reason: Reason;
  readonly message: string;
}

/** What of the class itself is wrong, wherever it is used: tags (A3.14) and the kubelet's configuration (A3.16 to A3.18). */
export function whyNotValid(nodeClass: EC2NodeClass): Complaint | undefined {
  const { kubelet = {}, tags = {} } = nodeClass.spec;
  return (
    complaintOf('TagValidationFailed', 'tags', tagProblems(tags)) ??
    complaintOf('InvalidKubeletConfiguration', 'kubelet', kubeletProblems(kubelet)) ??
    expressionComplaint(kubelet) ??
    complaintOf('UnsupportedKubeletConfiguration', 'kubelet', unsupportedKubeletFields(kubelet, amiFamilyOf(nodeClass)))
  );
}

/** What keeps its instances from joining this cluster: the network of its services, which AL2023 must know, or their user data (C75). */
export function whyNotJoining(nodeClass: EC2NodeClass, bootstrap: ClusterBootstrap): Complaint | undefined {
  if (bootstrap.serviceCidr === '' && amiFamilyOf(nodeClass) === 'AL2023') {
    const message = `the network of cluster ${bootstrap.clusterName}'s services is not known, and nodes of AL2023 need it`;
    return { reason: 'ClusterCIDRResolutionFailed', message };
  }
  const data = userDataOf(nodeClass, bootstrap);
  return data.kind === 'unsupported' ? data : undefined;
}

/** C75: from 90 % on, the labels of a NodePool may be what makes it too long. *Shape:* empty text where there is room. */
export function userDataWarning(nodeClass: EC2NodeClass, bootstrap: ClusterBootstrap): string {
  const data = userDataOf(nodeClass, bootstrap);
  const bytes = data.kind === 'user-data' ? userDataBytes(data.text) : 0;
  if (bytes < WARNING_USER_DATA_BYTES) return '';
  return `user data has ${bytes} bytes without the labels and taints of a NodePool, and EC2 takes at most ${LARGEST_USER_DATA_BYTES}`;
}

/** As a node without labels of its own gets it. */
function userDataOf(nodeClass: EC2NodeClass, bootstrap: ClusterBootstrap): ReturnType<typeof nodeUserData> {
  return nodeUserData(withoutExpressions(nodeClass), { bootstrap, labels: {}, taints: [UNREGISTERED_TAINT] });
}

/** A3.17: what is worked out for each type is judged by itself. */
function withoutExpressions(nodeClass: EC2NodeClass): EC2NodeClass {
  return nodeClass.spec.kubelet === undefined ? nodeClass : withTypeKubelet(nodeClass, {});
}

/** A3.14: the rules of our CRD, for a cluster that has another one. */
const OWN_TAGS: readonly string[] = [CLUSTER_TAG, NODE_POOL, NODE_CLAIM_TAG, NODE_CLASS];

function tagProblems(tags: NonNullable<EC2NodeClass['spec']['tags']>): readonly FieldProblem[] {
  return Object.keys(tags)
    .filter((key) => key === '' || OWN_TAGS.includes(key) || key.startsWith('kubernetes.io/cluster'))
    .map((key) => ({
      path: [key],
      message: key === '' ? 'has an empty key' : 'is a tag that Kerf sets itself',
      allowed: key === '' ? 'the key of a tag' : 'another tag',
    }));
}

/** A3.29: what is no expression before what gives nothing. */
function expressionComplaint(kubelet: KubeletConfiguration): Complaint | undefined {
  const problems = kubeletExpressionProblems(kubelet);
  for (const reason of ['KubeletExpressionInvalid', 'KubeletExpressionEvaluationFailed'] as const) {
    const complaint = complaintOf(
      reason,
      'kubelet',
      problems.filter((one) => one.reason === reason),
    );
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

function complaintOf(reason: Reason, field: string, problems: readonly FieldProblem[]): Complaint | undefined {
  if (problems.length === 0) return undefined;
  const lines = problems.map(
    ({ path, message, allowed }) => `spec.${[field, ...path].join('.')} ${message}: write ${allowed}`,
  );
  return { reason, message: lines.join('; ') };
}
