/** The part of MIME (RFC 2045, RFC 2046) that the multipart user data of cloud-init and nodeadm needs. */

import { type Unreadable, unreadable } from './rendered.ts';

export interface MimePart {
  /** The unchanged headers, one per entry; a folded header keeps its lines. */
  readonly headers: readonly string[];
  readonly body: string;
}

export type ReadMime = { readonly kind: 'parts'; readonly parts: readonly MimePart[] } | Unreadable;

const BOUNDARY = 'KERF-BOUNDARY';

/** Writes a message with these parts, in this order. Bodies are unchanged. */
export function mimeMessage(parts: readonly MimePart[]): string {
  const rendered = parts.map(inAscii).map(({ headers, body }) => `${['', ...headers].join('\n')}\n\n${body}\n`);
  const boundary = freeBoundary(rendered.join(''));
  const delimiter = `--${boundary}`;
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n`;
  return `${head}\n${rendered.map((part) => delimiter + part).join('')}${delimiter}--\n`;
}

/** True if the text begins with headers that include a MIME header. */
export function isMime(text: string): boolean {
  return splitHead(text.trimStart()).headers.some((header) => /^(MIME-Version|Content-Type)\s*:/i.test(header));
}

/**
 * Reads the parts of a message in order. A message that is not multipart is one part, and so is a nested message.
 * *Errors:* unreadable where there are no parts, or where nodeadm would reject the type of a part.
 */
export function readMime(text: string): ReadMime {
  const begun = text.trimStart();
  // Converts CRLF line ends, which belong to the message and not to the content.
  const message = splitHead(/^[^\n]*\r\n/.test(begun) ? begun.replaceAll('\r\n', '\n') : begun);
  const type = contentTypeOf(message);
  if (type === undefined)
    return unreadable('is a MIME message without a Content-Type', 'a header such as Content-Type: text/x-shellscript');
  if (!/^multipart\//i.test(type)) return partsOf([single(message)]);
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(type);
  const name = boundary?.[1] ?? boundary?.[2];
  const bodies = name === undefined ? [] : between(message.body, name);
  if (bodies.length === 0)
    return unreadable(
      'is a MIME message without a boundary that separates its parts',
      'the boundary of its Content-Type before each part',
    );
  return partsOf(bodies.map(splitHead));
}

/** A media type and its parameters (RFC 2045). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+*-]+\s*=\s*(?:"[^"\\]*"|[^\s;"]+))*\s*;?\s*$/;

function partsOf(parts: readonly MimePart[]): ReadMime {
  const types = parts.map(contentTypeOf);
  const odd = types.find((type) => type !== undefined && !MEDIA_TYPE.test(type));
  if (odd !== undefined)
    return unreadable(`has a part with the invalid Content-Type ${odd}`, 'one such as text/x-shellscript');
  return { kind: 'parts', parts };
}

function single({ headers, body }: MimePart): MimePart {
  return { headers: headers.filter((header) => !/^MIME-Version\s*:/i.test(header)), body };
}

/** The first Content-Type, which every reader uses, on one line. */
function contentTypeOf({ headers }: MimePart): string | undefined {
  return valueOf(headers.find((header) => /^Content-Type\s*:/i.test(header)));
}

function valueOf(header: string | undefined): string | undefined {
  return header
    ?.slice(header.indexOf(':') + 1)
    .replaceAll('\n', ' ')
    .trim();
}

/** The text between the delimiter lines. Text before the first and after the last is ignored. */
function between(body: string, boundary: string): readonly string[] {
  const parts: string[][] = [];
  for (const line of body.split('\n')) {
    const trimmed = line.trimEnd();
    if (trimmed === `--${boundary}--`) break;
    if (trimmed === `--${boundary}`) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join('\n'));
}

const HEADER = /^[\w!#$%&'*+.^`|~-]+[ \t]*:(?:\P{Cc}|\t)*$/u;

/** Splits off the headers, which end at an empty line or at a line that is not a header. A line that begins with a blank continues a header. */
function splitHead(text: string): MimePart {
  const headers: string[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\n') === -1 ? rest.length : rest.indexOf('\n');
    const line = rest.slice(0, end).replace(/\r$/, '');
    if (line.trim() === '') return { headers, body: rest.slice(end + 1) };
    const folded = /^[ \t]/.test(line) && headers.length > 0;
    if (!folded && !HEADER.test(line)) break;
    headers.push(folded ? `${headers.pop() ?? ''}\n${line}` : line);
    rest = rest.slice(end + 1);
  }
  return { headers, body: rest };
}

/** Encodes text that is not ASCII, which cloud-init would corrupt. Quoted-printable keeps it readable. */
function inAscii(part: MimePart): MimePart {
  const encoding = valueOf(part.headers.find((header) => /^Content-Transfer-Encoding\s*:/i.test(header))) ?? '8bit';
  const nested = /^(multipart|message)\//i.test(contentTypeOf(part) ?? '');
  if (!/[^\0-\x7f]/.test(part.body) || nested || !/^(7bit|8bit|binary)$/i.test(encoding)) return part;
  const others = part.headers.filter((header) => !/^Content-Transfer-Encoding\s*:/i.test(header));
  return { headers: [...others, 'Content-Transfer-Encoding: quoted-printable'], body: quotedPrintable(part.body) };
}

/** RFC 2045, 6.7: lines have at most 76 characters. */
function quotedPrintable(text: string): string {
  const lines = text.split('\n').map((line) => {
    const units = [...new TextEncoder().encode(line)].map((byte, index, all) => {
      const blank = byte === 0x20 || byte === 0x09;
      const plain = (byte > 0x20 && byte < 0x7f && byte !== 0x3d) || (blank && index < all.length - 1);
      return plain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    });
    return withSoftBreaks(units);
  });
  return lines.join('\n');
}

function withSoftBreaks(units: readonly string[]): string {
  let written = '';
  let width = 0;
  for (const unit of units) {
    if (width + unit.length > 75) {
      written += '=\n';
      width = 0;
    }
    written += unit;
    width += unit.length;
  }
  return written;
}

/** A boundary that does not occur in the text, which may contain a message that Kerf wrote. */
function freeBoundary(text: string): string {
  let boundary = BOUNDARY;
  for (let attempt = 1; text.includes(boundary); attempt += 1) boundary = `${BOUNDARY}-${attempt}`;
  return boundary;
}
