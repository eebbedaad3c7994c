import { counted } from '../../apis/counted.ts';
import { quote } from '../../apis/formats/quote.ts';
import { isRecord } from '../../apis/record.ts';
import { FORMATS, isFormatName } from '../../apis/schemas/formats.ts';
import type { Schema } from '../../apis/schemas/schema.ts';
import type { Sentence } from '../explain/problem.ts';

/** Describes the values that a schema accepts. The text completes "write …". */
export function allowedBy(schema: Schema): string {
  if (schema.enum !== undefined)
    return schema.enum.length === 1
      ? String(schema.enum[0])
      : `one of ${schema.enum.map((value) => (value === '' ? '""' : value)).join(', ')}`;
  if (schema.allowed !== undefined) return schema.allowed;
  if (isFormatName(schema.format)) return FORMATS[schema.format].allowed;
  if (schema.format === 'date-time' || schema.format === 'status-time') return 'a time such as 2026-01-31T12:00:00Z';
  const [type]: readonly string[] = [schema.type ?? []].flat();
  switch (type ?? 'string') {
    case 'object': {
      const fields = Object.keys(schema.properties ?? {});
      const wanted = schema.required !== undefined && schema.required.length > 0 ? schema.required : fields;
      return wanted.length === 0
        ? 'a map'
        : `a map with ${wanted.slice(0, 8).join(', ')}${wanted.length > 8 ? ', …' : ''}`;
    }
    case 'array':
      return `a list${schema.minItems === undefined ? '' : ` of at least ${schema.minItems}`}, each entry after "- "`;
    case 'integer':
      return numberRange('a whole number', schema);
    case 'number':
      return numberRange('a number', schema);
    case 'boolean':
      return 'true or false';
    default:
      return schema.minLength === undefined ? 'text' : 'text that is not empty';
  }
}

/** The bound of 32-bit numbers is left out: `boundsOf` reports it where a value exceeds it. */
function numberRange(noun: string, { minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined && maximum < MAX_OF_32_BITS)
    return `${noun} from ${minimum} to ${maximum}`;
  return minimum === undefined ? noun : `${noun} of ${minimum} or more`;
}

const MAX_OF_32_BITS = 2_147_483_647;

/** Describes the range of a number, for a value outside it. */
export function boundsOf({ minimum, maximum, format, type }: Schema): string {
  const most = maximum ?? (format === 'int32' ? MAX_OF_32_BITS : undefined);
  const least = minimum ?? (format === 'int32' ? -MAX_OF_32_BITS - 1 : undefined);
  if (most === undefined || least === undefined) return 'a smaller whole number';
  return `${type === 'number' ? 'a number' : 'a whole number'} from ${least} to ${most}`;
}

export function sizeMessage(keyword: string, data: unknown): string {
  const count = isRecord(data) ? Object.keys(data).length : Array.isArray(data) ? data.length : undefined;
  if (count !== undefined) return `has ${count === 0 ? 'no entry' : counted(count, 'entry', 'entries')}`;
  if (keyword === 'minLength') return `${quote(data)} is too short`;
  if (keyword === 'maxLength') return `${quote(data)} is too long`;
  return `${quote(data)} is too ${keyword === 'minimum' ? 'small' : 'large'}`;
}

/** The maximum length of text with this schema, in characters. */
function mostCharacters({ maxLength, format }: Schema): number | undefined {
  return maxLength ?? (isFormatName(format) ? FORMATS[format].maxLength : undefined);
}

/** Reports text that exceeds the maximum length, with the number of excess characters. */
export function tooLong(data: unknown, schema: Schema): Sentence | undefined {
  const most = mostCharacters(schema);
  if (typeof data !== 'string' || most === undefined || data.length <= most) return undefined;
  const over = data.length - most;
  return {
    message: `${quote(data)} has ${data.length} characters, ${over} too many`,
    allowed: `at most ${most} characters`,
  };
}

export function sizeAllowed(schema: Schema): string {
  const least = schema.minItems ?? schema.minProperties;
  const most = schema.maxItems ?? schema.maxProperties;
  if (least !== undefined && most !== undefined) return `${least} to ${most} entries`;
  if (least !== undefined) return `at least ${counted(least, 'entry', 'entries')}`;
  if (most !== undefined) return `at most ${most} entries`;
  return schema.maxLength === undefined ? allowedBy(schema) : `at most ${schema.maxLength} characters`;
}
