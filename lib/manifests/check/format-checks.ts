import { parseDuration } from '../../apis/formats/duration.ts';
import { isQualifiedName } from '../../apis/formats/label-syntax.ts';
import { isQuantity } from '../../apis/formats/quantity.ts';
import { FORMATS, type FormatName, isFormatName } from '../../apis/schemas/formats.ts';

/** The formats that a pattern cannot describe. */
const CHECKS: Partial<Readonly<Record<FormatName, (text: string) => boolean>>> = {
  quantity: (text) => isQuantity(text) && !text.startsWith('-'),
  'qualified-name': isQualifiedName,
  'go-duration': (text) => parseDuration(text) !== undefined,
};

/** Tests whether text has this format. */
export function hasFormat(name: FormatName, text: string): boolean {
  return checkOf(name)(text);
}

/** The check of each format, by name. */
export const FORMAT_CHECKS: ReadonlyMap<string, (text: string) => boolean> = new Map(
  formatNames().map((name) => [name, checkOf(name)]),
);

function checkOf(name: FormatName): (text: string) => boolean {
  const { pattern, maxLength = Number.POSITIVE_INFINITY } = FORMATS[name];
  const whole = new RegExp(pattern ?? '');
  return CHECKS[name] ?? ((text) => text.length <= maxLength && whole.test(text));
}

function formatNames(): readonly FormatName[] {
  return Object.keys(FORMATS).filter(isFormatName);
}

/** Tests whether text is a time in Go's RFC 3339 format with a valid date. */
export function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/.exec(
    text,
  );
  const day = new Date(`${match?.[1] ?? ''}T00:00:00Z`);
  return match !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(match[1] ?? '');
}

/** Tests whether text is a time as the API server writes it, which also has years before 0 and after 9999. */
export function isStatusTime(text: string): boolean {
  return isDateTime(text) || /^(?:-\d{4}|\d{5,6})-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);
}
