import { amiFamilyOf, type EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { unsupportedKubeletFields } from '../../validation/kubelet-support.ts';
import { al2Bootstrap } from './al2-bootstrap.ts';
import { bottlerocketSettings } from './bottlerocket-settings.ts';
import { kubeletArguments } from './kubelet-arguments.ts';
import { mimeMessage } from './mime.ts';
import { nodeConfig } from './node-config.ts';
import type { NodeParameters } from './node-introduction.ts';
import { resolveNodeSettings } from './node-settings.ts';
import {
  asText,
  type RefusalReason,
  type Refused,
  type Rendered,
  refused,
  refusedUserData,
  type UserDataProblem,
} from './rendered.ts';
import { LARGEST_USER_DATA_BYTES, userDataBytes } from './user-data-size.ts';
import { windowsBootstrap } from './windows-bootstrap.ts';
import { NODE_CONFIG, SCRIPT, writtenParts } from './written-parts.ts';

export type UserData =
  | { readonly kind: 'user-data'; readonly text: string }
  | { readonly kind: 'unsupported'; readonly reason: RefusalReason; readonly message: string };

/** A3.18: returns why this NodeClass cannot launch instances in any cluster and of any type; undefined where it can. */
export function whyNotStartable(nodeClass: EC2NodeClass): string | undefined {
  const why = unsettableKubelet(nodeClass) ?? whyNotRendered(nodeClass);
  return why && forNodeClass(nodeClass, why.message);
}

/** Why the user data of the NodeClass cannot be merged. *Shape:* undefined where it can. */
export function whyUserDataUnreadable(nodeClass: EC2NodeClass): UserDataProblem | undefined {
  const why = whyNotRendered(nodeClass);
  return why?.reason === 'UnreadableUserData' ? why.problem : undefined;
}

function whyNotRendered(nodeClass: EC2NodeClass): Refused | undefined {
  // Expressions can only be checked for a type.
  const { kubelet: _, ...spec } = nodeClass.spec;
  const data = rendered({ ...nodeClass, spec }, NO_NODE);
  return data.kind === 'refused' ? data : undefined;
}

/**
 * Writes the user data that joins an instance to the cluster.
 * *Shape:* for AL2023 and AL2 a MIME message with the user's parts first and Kerf's part last, because later parts take
 * precedence (C69, C70); for Bottlerocket TOML (C71); for Windows the elements of EC2Launch (C72); for Custom the user data
 * of the NodeClass, unchanged (C73).
 * *Errors:* unsupported where the family does not support a field of `kubelet` (A3.18), an expression has no value for the
 * type (A3.17), the user data of the NodeClass cannot be read, or the result is larger than EC2 allows (C75).
 */
export function nodeUserData(nodeClass: EC2NodeClass, node: NodeParameters): UserData {
  const data = unsettableKubelet(nodeClass) ?? rendered(nodeClass, node);
  if (data.kind === 'text') return { kind: 'user-data', text: data.text };
  return { kind: 'unsupported', reason: data.reason, message: forNodeClass(nodeClass, data.message) };
}

const NO_NODE: NodeParameters = {
  bootstrap: { clusterName: '', endpoint: '', certificateAuthority: '', serviceCidr: '' },
  labels: {},
  taints: [],
};

function unsettableKubelet(nodeClass: EC2NodeClass): Refused | undefined {
  const [problem] = unsupportedKubeletFields(nodeClass.spec.kubelet ?? {}, amiFamilyOf(nodeClass));
  if (problem === undefined) return undefined;
  const message = `kubelet.${problem.path.join('.')} ${problem.message}; write ${problem.allowed}`;
  return refused('UnsupportedKubeletConfiguration', message);
}

function rendered(nodeClass: EC2NodeClass, node: NodeParameters): Rendered {
  const written = userDataBytes(nodeClass.spec.userData ?? '');
  if (written > MAX_READ_BYTES) return tooLarge(written);
  const isCustom = amiFamilyOf(nodeClass) === 'Custom';
  const data = isCustom ? asText(nodeClass.spec.userData ?? '') : joining(nodeClass, node);
  const bytes = data.kind === 'text' ? userDataBytes(data.text) : 0;
  return bytes <= LARGEST_USER_DATA_BYTES ? data : tooLarge(bytes);
}

/** Merging may remove comments and shorten the text, but reading a megabyte of TOML takes seconds and delays everything else. */
const MAX_READ_BYTES = 16 * LARGEST_USER_DATA_BYTES;

function tooLarge(bytes: number): Refused {
  return refused(
    'UserDataSizeLimitExceeded',
    `user data has ${bytes} bytes, but EC2 allows at most ${LARGEST_USER_DATA_BYTES}; download the rest from S3 when the node starts`,
  );
}

function joining(nodeClass: EC2NodeClass, node: NodeParameters): Rendered {
  const settled = resolveNodeSettings(nodeClass, node);
  if (settled.kind === 'refused') return settled;
  const { settings } = settled;
  const written = nodeClass.spec.userData ?? '';
  const family = amiFamilyOf(nodeClass);
  if (family === 'Bottlerocket') return bottlerocketSettings(written, settings);
  if (family === 'AL2023') return afterUserParts(written, NODE_CONFIG, nodeConfig(settings));
  const kubelet = kubeletArguments(settings);
  if (kubelet.kind === 'refused') return kubelet;
  if (family === 'AL2') return afterUserParts(written, SCRIPT, al2Bootstrap(settings, kubelet.text));
  return windowsBootstrap(written, settings, kubelet.text);
}

/** C69, C70: for cloud-init and nodeadm, later parts take precedence. */
function afterUserParts(written: string, contentType: string, ours: string): Rendered {
  const theirs = writtenParts(written);
  if (theirs.kind === 'unreadable') return refusedUserData(theirs);
  return asText(mimeMessage([...theirs.parts, { headers: [contentType], body: ours }]));
}

function forNodeClass({ metadata }: EC2NodeClass, message: string): string {
  return `EC2NodeClass ${metadata.name}: ${message}`;
}
