import { isMime, type MimePart, type ReadMime, readMime } from './mime.ts';

export const NODE_CONFIG = 'Content-Type: application/node.eks.aws';
export const SCRIPT = 'Content-Type: text/x-shellscript; charset="us-ascii"';

/** What cloud-init knows the first line of; the order tells those apart that begin alike. */
const BY_FIRST_LINE: readonly (readonly [RegExp, string])[] = [
  [/^#!/, 'text/x-shellscript'],
  [/^#cloud-config(?=\s|$)/, 'text/cloud-config'],
  [/^#cloud-boothook(?=\s|$)/, 'text/cloud-boothook'],
];

/**
 * The user's part of user data for cloud-init (C69, C70): a MIME message gives its parts; a NodeConfig, a script or what
 * else cloud-init runs becomes one.
 */
export function writtenParts(written: string): ReadMime {
  if (written.trim() === '') return { kind: 'parts', parts: [] };
  return isMime(written) ? readMime(written) : { kind: 'parts', parts: [onlyPart(written)] };
}

/** The lines of YAML keep their indentation; elsewhere the first character counts. */
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

/** At the left margin of YAML, or as a field of JSON. */
function isNodeConfig(text: string): boolean {
  return /(?:^|[{,]\s*)["']?apiVersion["']?\s*:\s*["']?node\.eks\.aws\//m.test(text);
}
