import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { al2Bootstrap } from './al2-bootstrap.ts';
import { bottlerocketSettings } from './bottlerocket-settings.ts';
import { type MimePart, mimeMessage, readMime } from './mime.ts';
import { nodeConfig } from './node-config.ts';
import type { NodeIntroduction } from './node-introduction.ts';

export type UserData =
  | { readonly kind: 'user-data'; readonly text: string }
  | {
      readonly kind: 'unsupported';
      /** As the class's condition names it (A3.29). */
      readonly reason: 'Unsupported' | 'UserDataSizeLimitExceeded';
      readonly message: string;
    };

/** What EC2 takes, before base64 (C75). */
export const LARGEST_USER_DATA_BYTES = 16 * 1024;

/** A3.28: why no instance of this NodeClass can be started; undefined where one can. */
export function whyNotStartable(nodeClass: EC2NodeClass): string | undefined {
  const family = amiFamilyOf(nodeClass);
  if (family.startsWith('Windows')) {
    return `EC2NodeClass ${nodeClass.metadata.name}: amiFamily ${family} cannot be started yet: use AL2023, AL2, Bottlerocket or Custom`;
  }
  if (family === 'Bottlerocket' && (nodeClass.spec.userData ?? '') !== '') {
    return `EC2NodeClass ${nodeClass.metadata.name}: userData of Bottlerocket is not merged yet: leave it out`;
  }
  return undefined;
}

/**
 * The user data by which an instance becomes a node.
 * *Shape:* for AL2023 and AL2 a MIME message, what the user wrote first and ours last, since the later one wins (C69, C70);
 * for Bottlerocket its settings as TOML (C71); for Custom what the user wrote, untouched (C73).
 */
export function nodeUserData(nodeClass: EC2NodeClass, node: NodeIntroduction): UserData {
  const unsupported = whyNotStartable(nodeClass);
  if (unsupported !== undefined) return { kind: 'unsupported', reason: 'Unsupported', message: unsupported };
  const data = familyData(nodeClass, node);
  if (data.kind === 'unsupported') return refuse(nodeClass, data.message);
  const bytes = new TextEncoder().encode(data.text).length;
  if (bytes <= LARGEST_USER_DATA_BYTES) return data;
  const message = `user data has ${bytes} bytes, EC2 takes at most ${LARGEST_USER_DATA_BYTES}: fetch what is long from S3`;
  return { ...refuse(nodeClass, message), reason: 'UserDataSizeLimitExceeded' };
}

function familyData(nodeClass: EC2NodeClass, node: NodeIntroduction): UserData {
  const written = nodeClass.spec.userData ?? '';
  const family = amiFamilyOf(nodeClass);
  if (family === 'Custom') return asText(written);
  if (family === 'Bottlerocket') return asText(bottlerocketSettings(nodeClass, node));
  return joiningMessage(nodeClass, node, written);
}

function joiningMessage(nodeClass: EC2NodeClass, node: NodeIntroduction, written: string): UserData {
  const { maxPods } = nodeClass.spec.kubelet ?? {};
  if (typeof maxPods === 'string') {
    return {
      kind: 'unsupported',
      reason: 'Unsupported',
      message: `kubelet.maxPods "${maxPods}" is an expression: only numbers are supported yet`,
    };
  }
  const theirs = partsOf(written);
  if (theirs === undefined) {
    return {
      kind: 'unsupported',
      reason: 'Unsupported',
      message: 'userData begins as a MIME message and names no boundary that its parts use',
    };
  }
  const ours: MimePart =
    amiFamilyOf(nodeClass) === 'AL2'
      ? { headers: [SCRIPT], body: al2Bootstrap(nodeClass, node) }
      : { headers: ['Content-Type: application/node.eks.aws'], body: nodeConfig(nodeClass, node) };
  return asText(mimeMessage([...theirs, ours]));
}

const SCRIPT = 'Content-Type: text/x-shellscript; charset="us-ascii"';

/** C69: a MIME message gives its parts; a NodeConfig or a script becomes one. */
function partsOf(written: string): readonly MimePart[] | undefined {
  const text = written.trimStart();
  if (text === '') return [];
  if (/^(MIME-Version|Content-Type):/i.test(text)) return readMime(text);
  return [{ headers: [isNodeConfig(text) ? 'Content-Type: application/node.eks.aws' : SCRIPT], body: text }];
}

function isNodeConfig(text: string): boolean {
  return /(?:^|[{,])\s*["']?apiVersion["']?\s*:\s*["']?node\.eks\.aws\//m.test(text) && !text.startsWith('#!');
}

function asText(text: string): UserData {
  return { kind: 'user-data', text };
}

function refuse({ metadata }: EC2NodeClass, message: string): UserData & { readonly kind: 'unsupported' } {
  return { kind: 'unsupported', reason: 'Unsupported', message: `EC2NodeClass ${metadata.name}: ${message}` };
}
