import { amiFamilyOf, type EC2NodeClass } from '../../../../lib/apis/ec2-node-class.ts';
import { nodeUserData, type UserData } from '../../../../lib/core/node-class/user-data/user-data.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';

/** A node, and readers of its user data that share nothing with what writes it. */

export const A_NODE = {
  bootstrap: {
    clusterName: 'demo',
    endpoint: 'https://demo.eks.example',
    certificateAuthority: 'Q0E=',
    serviceCidr: '10.100.0.0/16',
  },
  labels: { 'karpenter.sh/nodepool': 'general' },
  taints: [{ key: 'team', value: 'web', effect: 'NoSchedule' }],
} as const;

export type Spec = Partial<EC2NodeClass['spec']>;
export type Node = Parameters<typeof nodeUserData>[1];

export function dataOf(spec: Spec = {}, over: Partial<Node> = {}): UserData {
  return nodeUserData(aNodeClass(spec), { ...A_NODE, ...over });
}

/** The text; throws where there is none. */
export function textOf(spec: Spec = {}, over: Partial<Node> = {}): string {
  const data = dataOf(spec, over);
  if (data.kind === 'unsupported') throw new Error(`${amiFamilyOf(aNodeClass(spec))}: ${data.message}`);
  return data.text;
}

export function refusalOf(spec: Spec, over: Partial<Node> = {}): string {
  const data = dataOf(spec, over);
  return data.kind === 'unsupported' ? `${data.reason}: ${data.message}` : '';
}

export interface ReadPart {
  readonly type: string;
  /** Decoded. */
  readonly body: string;
}

/** Reads the message as a mail program would: from delimiter line to delimiter line. */
export function partsOf(text: string): readonly ReadPart[] {
  const head = /^MIME-Version: 1\.0\nContent-Type: multipart\/mixed; boundary="([^"\n]{1,70})"\n\n/.exec(text);
  if (head?.[1] === undefined) throw new Error(`no MIME head: ${text.slice(0, 100)}`);
  const end = `--${head[1]}--\n`;
  if (!text.endsWith(end)) throw new Error(`the message is not closed: ${text.slice(-100)}`);
  const inner = text.slice(head[0].length, -end.length);
  if (!inner.startsWith(`--${head[1]}\n`)) throw new Error('no part');
  return inner
    .split(`--${head[1]}\n`)
    .slice(1)
    .map((part) => {
      const gap = part.startsWith('\n') ? 0 : part.indexOf('\n\n') + 1;
      const headers = part.slice(0, gap);
      // The line end before a delimiter is the delimiter's.
      const body = part.slice(gap + 1).replace(/\n$/, '');
      const quoted = /^content-transfer-encoding:\s*quoted-printable$/im.test(headers);
      return { type: /^content-type:\s*([^;\s]+)/im.exec(headers)?.[1] ?? '', body: quoted ? unquoted(body) : body };
    });
}

function unquoted(text: string): string {
  const bytes: number[] = [];
  const joined = text.replaceAll('=\n', '');
  for (let at = 0; at < joined.length; at += 1) {
    const hex = /^=([0-9A-F]{2})/.exec(joined.slice(at, at + 3))?.[1];
    bytes.push(hex === undefined ? joined.charCodeAt(at) : Number.parseInt(hex, 16));
    at += hex === undefined ? 0 : 2;
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes));
}
