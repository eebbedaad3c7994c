/** As much of MIME (RFC 2045, RFC 2046) as cloud-init's and nodeadm's multipart user data needs. */

export interface MimePart {
  /** As written, one header a line; a folded header keeps its lines together. */
  readonly headers: readonly string[];
  readonly body: string;
}

export type ReadMime =
  | { readonly kind: 'parts'; readonly parts: readonly MimePart[] }
  | { readonly kind: 'unreadable'; readonly message: string };

const BOUNDARY = 'KERF-BOUNDARY';

/** A message of these parts, in this order: each body comes out as it went in. */
export function mimeMessage(parts: readonly MimePart[]): string {
  const rendered = parts.map(inAscii).map(({ headers, body }) => `${['', ...headers].join('\n')}\n\n${body}\n`);
  const boundary = freeBoundary(rendered.join(''));
  const delimiter = `--${boundary}`;
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n`;
  return `${head}\n${rendered.map((part) => delimiter + part).join('')}${delimiter}--\n`;
}

/** True where the text begins with headers of which one is MIME's. */
export function isMime(text: string): boolean {
  return splitHead(text.trimStart()).headers.some((header) => /^(MIME-Version|Content-Type)\s*:/i.test(header));
}

/**
 * The parts of a message, in order; one of a single part is that part. A part that is a message itself stays one part.
 * *Errors:* unreadable where no part is found, or where nodeadm would stumble over a part's type.
 */
export function readMime(text: string): ReadMime {
  const begun = text.trimStart();
  // One line end for all: where lines end in CRLF, it is the message's way and not the content's.
  const message = splitHead(/^[^\n]*\r\n/.test(begun) ? begun.replaceAll('\r\n', '\n') : begun);
  const type = contentTypeOf(message);
  if (type === undefined) return unreadable('is a MIME message that does not say its Content-Type');
  if (!/^multipart\//i.test(type)) return partsOf([single(message)]);
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(type);
  const name = boundary?.[1] ?? boundary?.[2];
  const bodies = name === undefined ? [] : between(message.body, name);
  if (bodies.length === 0) return unreadable('is a MIME message and names no boundary that its parts use');
  return partsOf(bodies.map(splitHead));
}

/** A media type and its parameters, as RFC 2045 has them. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+*-]+\s*=\s*(?:"[^"\\]*"|[^\s;"]+))*\s*;?\s*$/;

function partsOf(parts: readonly MimePart[]): ReadMime {
  const types = parts.map(contentTypeOf);
  const odd = types.find((type) => type !== undefined && !MEDIA_TYPE.test(type));
  if (odd !== undefined) return unreadable(`has a part of Content-Type ${odd}: write one such as text/x-shellscript`);
  return { kind: 'parts', parts };
}

function unreadable(what: string): ReadMime {
  return { kind: 'unreadable', message: `userData ${what}` };
}

function single({ headers, body }: MimePart): MimePart {
  return { headers: headers.filter((header) => !/^MIME-Version\s*:/i.test(header)), body };
}

/** The first, as every reader takes it, on one line. */
function contentTypeOf({ headers }: MimePart): string | undefined {
  return valueOf(headers.find((header) => /^Content-Type\s*:/i.test(header)));
}

function valueOf(header: string | undefined): string | undefined {
  return header
    ?.slice(header.indexOf(':') + 1)
    .replaceAll('\n', ' ')
    .trim();
}

/** What stands between the delimiter lines: what comes before the first or after the last is for people. */
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

/** Headers up to the first line that is none, which is left out where it is empty; a line that begins with a blank belongs to the header before it. */
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

/** cloud-init spoils what is not ASCII, unless it is encoded; of what a reader could decode we take the one people can read. */
function inAscii(part: MimePart): MimePart {
  const encoding = valueOf(part.headers.find((header) => /^Content-Transfer-Encoding\s*:/i.test(header))) ?? '8bit';
  const nested = /^(multipart|message)\//i.test(contentTypeOf(part) ?? '');
  if (!/[^\0-\x7f]/.test(part.body) || nested || !/^(7bit|8bit|binary)$/i.test(encoding)) return part;
  const others = part.headers.filter((header) => !/^Content-Transfer-Encoding\s*:/i.test(header));
  return { headers: [...others, 'Content-Transfer-Encoding: quoted-printable'], body: quotedPrintable(part.body) };
}

/** RFC 2045, 6.7: lines of 76 characters at the most. */
function quotedPrintable(text: string): string {
  const lines = text.split('\n').map((line) => {
    const units = [...new TextEncoder().encode(line)].map((byte, index, all) => {
      const blank = byte === 0x20 || byte === 0x09;
      const plain = (byte > 0x20 && byte < 0x7f && byte !== 0x3d) || (blank && index < all.length - 1);
      return plain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    });
    return softly(units);
  });
  return lines.join('\n');
}

function softly(units: readonly string[]): string {
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

/** One that occurs nowhere: a nested message may well have been made by us. */
function freeBoundary(text: string): string {
  let boundary = BOUNDARY;
  for (let attempt = 1; text.includes(boundary); attempt += 1) boundary = `${BOUNDARY}-${attempt}`;
  return boundary;
}
