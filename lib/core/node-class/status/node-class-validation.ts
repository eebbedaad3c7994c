import { amiFamilyOf, type EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type { KubeletConfiguration } from '../../../apis/kubelet-configuration.ts';
import { NODE_CLAIM_TAG, NODE_CLASS, NODE_POOL } from '../../../apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../../apis/taints.ts';
import { withTypeKubelet } from '../../instance-type/type-kubelet.ts';
import type { ClusterBootstrap } from '../../model/cluster-bootstrap.ts';
import { CLUSTER_TAG } from '../../model/ownership-tags.ts';
import type { Reason } from '../../model/reasons.ts';
import type { FieldProblem } from '../../validation/field-problem.ts';
import { kubeletProblems } from '../../validation/kubelet.ts';
import { kubeletExpressionProblems } from '../../validation/kubelet-expressions.ts';
import { unsupportedKubeletFields } from '../../validation/kubelet-support.ts';
import { nodeUserData } from '../user-data/user-data.ts';
import { LARGEST_USER_DATA_BYTES, userDataBytes, WARNING_USER_DATA_BYTES } from '../user-data/user-data-size.ts';

/** Why a NodeClass that the API server has accepted is rejected (A3.29). */
export interface Complaint {
  readonly reason: Reason;
  readonly message: string;
}

/** Returns what is wrong with the class in any cluster: tags (A3.14) or the kubelet configuration (A3.16 to A3.18). */
export function whyNotValid(nodeClass: EC2NodeClass): Complaint | undefined {
  const { kubelet = {}, tags = {} } = nodeClass.spec;
  return (
    complaintOf('TagValidationFailed', 'tags', tagProblems(tags)) ??
    complaintOf('InvalidKubeletConfiguration', 'kubelet', kubeletProblems(kubelet)) ??
    expressionComplaint(kubelet) ??
    complaintOf('UnsupportedKubeletConfiguration', 'kubelet', unsupportedKubeletFields(kubelet, amiFamilyOf(nodeClass)))
  );
}

/** Returns why its instances cannot join this cluster: an unknown service network, which AL2023 needs, or their user data (C75). */
export function whyNotJoining(nodeClass: EC2NodeClass, bootstrap: ClusterBootstrap): Complaint | undefined {
  if (bootstrap.serviceCidr === '' && amiFamilyOf(nodeClass) === 'AL2023') {
    const message = `the service network of cluster ${bootstrap.clusterName} is unknown, but AL2023 nodes need it`;
    return { reason: 'ClusterCIDRResolutionFailed', message };
  }
  const data = userDataOf(nodeClass, bootstrap);
  return data.kind === 'unsupported' ? data : undefined;
}

/** C75: warns from 90 % of the limit on, because the labels of a NodePool may exceed it. *Shape:* empty text below that. */
export function userDataWarning(nodeClass: EC2NodeClass, bootstrap: ClusterBootstrap): string {
  const data = userDataOf(nodeClass, bootstrap);
  const bytes = data.kind === 'user-data' ? userDataBytes(data.text) : 0;
  if (bytes < WARNING_USER_DATA_BYTES) return '';
  return `user data has ${bytes} bytes without the labels and taints of a NodePool, but EC2 allows at most ${LARGEST_USER_DATA_BYTES}`;
}

/** The user data of a node without labels. */
function userDataOf(nodeClass: EC2NodeClass, bootstrap: ClusterBootstrap): ReturnType<typeof nodeUserData> {
  return nodeUserData(withoutExpressions(nodeClass), { bootstrap, labels: {}, taints: [UNREGISTERED_TAINT] });
}

/** A3.17: expressions are evaluated for each type, and checked separately. */
function withoutExpressions(nodeClass: EC2NodeClass): EC2NodeClass {
  return nodeClass.spec.kubelet === undefined ? nodeClass : withTypeKubelet(nodeClass, {});
}

/** A3.14: the rules of Kerf's CRD, for a cluster with another CRD. */
const OWN_TAGS: readonly string[] = [CLUSTER_TAG, NODE_POOL, NODE_CLAIM_TAG, NODE_CLASS];

function tagProblems(tags: NonNullable<EC2NodeClass['spec']['tags']>): readonly FieldProblem[] {
  return Object.keys(tags)
    .filter((key) => key === '' || OWN_TAGS.includes(key) || key.startsWith('kubernetes.io/cluster'))
    .map((key) => ({
      path: [key],
      message: key === '' ? 'has an empty key' : 'is a reserved tag',
      allowed: key === '' ? 'the key of a tag' : 'another tag',
    }));
}

/** A3.29: invalid expressions come before expressions that fail to evaluate. */
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
