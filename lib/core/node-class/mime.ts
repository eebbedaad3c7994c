/** As much of MIME (RFC 2046) as cloud-init's multipart user data needs. */

export interface MimePart {
  /** As written, one header a line; a folded header keeps its lines together. */
  readonly headers: readonly string[];
  readonly body: string;
}

const BOUNDARY = 'KERF-BOUNDARY';

/** A message of these parts, in this order. */
export function mimeMessage(parts: readonly MimePart[]): string {
  const boundary = freeBoundary(parts);
  const rendered = parts.map(
    ({ headers, body }) => `--${boundary}\n${headers.join('\n')}\n\n${body.replace(/\n*$/, '\n')}`,
  );
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n\n${rendered.join('\n')}\n--${boundary}--\n`;
}

/**
 * *Shape:* the parts of a multipart message, in order; undefined where it is none or its boundary does not occur. A part
 * that is a message itself stays one part.
 */
export function readMime(text: string): readonly MimePart[] | undefined {
  const message = splitHead(text);
  const contentType = message.headers.find((header) => /^content-type:\s*multipart\//i.test(header));
  const boundary = /boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? '');
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) return undefined;
  const parts = between(message.body, name);
  return parts.length === 0 ? undefined : parts.map((part) => splitHead(part));
}

/** What stands between the delimiter lines: what comes before the first or after the last is for people. */
function between(body: string, boundary: string): readonly string[] {
  const parts: string[][] = [];
  let open = false;
  for (const line of body.split(/\r?\n/)) {
    const trimmed = line.trimEnd();
    if (trimmed === `--${boundary}--`) break;
    if (trimmed === `--${boundary}`) {
      parts.push([]);
      open = true;
    } else if (open) {
      parts.at(-1)?.push(line);
    }
  }
  return parts.map((lines) => lines.join('\n'));
}

/** Headers up to the first empty line; a line that begins with white space belongs to the header before it. */
function splitHead(text: string): MimePart {
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line) => line.trim() === '');
  const head = end === -1 ? lines : lines.slice(0, end);
  const headers: string[] = [];
  for (const line of head) {
    const last = headers.pop();
    if (last === undefined) headers.push(line);
    else if (/^\s/.test(line)) headers.push(`${last}\n${line}`);
    else headers.push(last, line);
  }
  return { headers, body: end === -1 ? '' : lines.slice(end + 1).join('\n') };
}

/** One that occurs in no part: a nested message may well have been made by us. */
function freeBoundary(parts: readonly MimePart[]): string {
  const all = parts.map(({ headers, body }) => `${headers.join('\n')}\n${body}`).join('\n');
  let boundary = BOUNDARY;
  for (let attempt = 1; all.includes(boundary); attempt += 1) boundary = `${BOUNDARY}-${attempt}`;
  return boundary;
}
