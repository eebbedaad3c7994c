import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { type MimePart, mimeMessage, readMime } from './mime.ts';
import { type NodeIntroduction, nodeConfig } from './node-config.ts';

export type UserData =
  | { readonly kind: 'user-data'; readonly text: string }
  | { readonly kind: 'unsupported'; readonly message: string };

/** What EC2 takes, before base64 (C75). */
const LARGEST_BYTES = 16 * 1024;

/** A3.28: why no instance of this NodeClass can be started; undefined where one can. */
export function whyNotStartable(nodeClass: EC2NodeClass): string | undefined {
  const family = amiFamilyOf(nodeClass);
  if (family === 'AL2023' || family === 'Custom') return undefined;
  return `EC2NodeClass ${nodeClass.metadata.name}: amiFamily ${family} cannot be started yet: use AL2023 or Custom`;
}

/**
 * The user data by which an instance becomes a node.
 * *Shape:* for AL2023 a MIME message, what the user wrote first and ours last, since the later one wins (C69); for Custom
 * what the user wrote, untouched (C73).
 */
export function nodeUserData(nodeClass: EC2NodeClass, node: NodeIntroduction): UserData {
  const unsupported = whyNotStartable(nodeClass);
  if (unsupported !== undefined) return { kind: 'unsupported', message: unsupported };
  const written = nodeClass.spec.userData ?? '';
  const data = amiFamilyOf(nodeClass) === 'Custom' ? asText(written) : joiningMessage(nodeClass, node, written);
  if (data.kind === 'unsupported') return refuse(nodeClass, data.message);
  const bytes = new TextEncoder().encode(data.text).length;
  if (bytes <= LARGEST_BYTES) return data;
  return refuse(
    nodeClass,
    `user data has ${bytes} bytes, EC2 takes at most ${LARGEST_BYTES}: fetch what is long from S3`,
  );
}

function joiningMessage(nodeClass: EC2NodeClass, node: NodeIntroduction, written: string): UserData {
  const { maxPods } = nodeClass.spec.kubelet ?? {};
  if (typeof maxPods === 'string') {
    return {
      kind: 'unsupported',
      message: `kubelet.maxPods "${maxPods}" is an expression: only numbers are supported yet`,
    };
  }
  const theirs = partsOf(written);
  if (theirs === undefined) {
    return {
      kind: 'unsupported',
      message: 'userData begins as a MIME message and names no boundary that its parts use',
    };
  }
  const ours: MimePart = { headers: ['Content-Type: application/node.eks.aws'], body: nodeConfig(nodeClass, node) };
  return asText(mimeMessage([...theirs, ours]));
}

/** C69: a MIME message gives its parts; a NodeConfig or a script becomes one. */
function partsOf(written: string): readonly MimePart[] | undefined {
  const text = written.trimStart();
  if (text === '') return [];
  if (/^(MIME-Version|Content-Type):/i.test(text)) return readMime(text);
  const type = isNodeConfig(text) ? 'application/node.eks.aws' : 'text/x-shellscript; charset="us-ascii"';
  return [{ headers: [`Content-Type: ${type}`], body: text }];
}

function isNodeConfig(text: string): boolean {
  return /(?:^|[{,])\s*["']?apiVersion["']?\s*:\s*["']?node\.eks\.aws\//m.test(text) && !text.startsWith('#!');
}

function asText(text: string): UserData {
  return { kind: 'user-data', text };
}

function refuse({ metadata }: EC2NodeClass, message: string): UserData {
  return { kind: 'unsupported', message: `EC2NodeClass ${metadata.name}: ${message}` };
}
