import { cutText } from '../../apis/formats/quote.ts';
import { suggest } from '../../core/suggest.ts';

/** The configuration has an invalid value. The message has the field, its value and the allowed values. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** In characters. A longer text would hide what to do. */
const LONGEST_SHOWN = 200;

/** *Errors:* OptionError. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const written = text === '' ? 'it is empty' : cutText(text, LONGEST_SHOWN);
    throw new OptionError(`${where} is not JSON: ${written}`, { cause });
  }
}

/** *Errors:* OptionError. */
export function checkUrl(url: string, where: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:')) return url;
  throw new OptionError(`${where} is ${url}: it must be an address that begins with https://`);
}

export function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

/** *Shape:* `; did you mean shadow?`, or an empty text. */
export function suggestOption(written: string, names: readonly string[]): string {
  const meant = suggest(written, names);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
