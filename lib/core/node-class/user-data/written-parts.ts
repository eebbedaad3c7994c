import { isMime, type MimePart, type ReadMime, readMime } from './mime.ts';

export const NODE_CONFIG = 'Content-Type: application/node.eks.aws';
export const SCRIPT = 'Content-Type: text/x-shellscript; charset="us-ascii"';

/** The formats that cloud-init detects by the first line. The order matters for similar prefixes. */
const BY_FIRST_LINE: readonly (readonly [RegExp, string])[] = [
  [/^#!/, 'text/x-shellscript'],
  [/^#cloud-config(?=\s|$)/, 'text/cloud-config'],
  [/^#cloud-boothook(?=\s|$)/, 'text/cloud-boothook'],
];

/**
 * The user's parts of user data for cloud-init (C69, C70): the parts of a MIME message, or one part for a NodeConfig, a
 * script or another format of cloud-init.
 */
export function writtenParts(written: string): ReadMime {
  if (written.trim() === '') return { kind: 'parts', parts: [] };
  return isMime(written) ? readMime(written) : { kind: 'parts', parts: [onlyPart(written)] };
}

/** YAML keeps its indentation. In other formats the first character must be the start of the content. */
function onlyPart(written: string): MimePart {
  const text = written.trimStart();
  const known = BY_FIRST_LINE.find(([firstLine]) => firstLine.test(text))?.[1];
  if (known === undefined && isNodeConfig(text)) {
    const body = written.replace(/^\ufeff/, '').replace(/^(?:[ \t\r]*\n)*/, '');
    return { headers: [NODE_CONFIG], body };
  }
  const charset = /[^\0-\x7f]/.test(text) ? 'utf-8' : 'us-ascii';
  return { headers: [`Content-Type: ${known ?? 'text/x-shellscript'}; charset="${charset}"`], body: text };
}

/** Tests for the apiVersion of a NodeConfig, unindented in YAML or as a field in JSON. */
function isNodeConfig(text: string): boolean {
  return /(?:^|[{,]\s*)["']?apiVersion["']?\s*:\s*["']?node\.eks\.aws\//m.test(text);
}
