/** The syntax of a budget's schedule (A1.17): the standard five fields, or a descriptor; UTC always. */

const DESCRIPTORS: ReadonlySet<string> = new Set([
  '@annually',
  '@yearly',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { from: 0, to: 59, names: [] },
  { from: 0, to: 23, names: [] },
  { from: 1, to: 31, names: [] },
  { from: 1, to: 12, names: MONTHS },
  { from: 0, to: 6, names: DAYS },
];

export function isCronSchedule(text: string): boolean {
  if (text.startsWith('@')) return DESCRIPTORS.has(text);
  const parts = text.trim().split(/\s+/);
  return parts.length === FIELDS.length && FIELDS.every((field, index) => isField(parts[index] ?? '', field));
}

function isField(text: string, field: Field): boolean {
  return text.split(',').every((range) => isRange(range, field));
}

/** `*`, `5`, `1-5`, each with `/step` or without; a step may be larger than the field. */
function isRange(text: string, field: Field): boolean {
  const [range = '', step, ...rest] = text.split('/');
  if (rest.length > 0 || (step !== undefined && !/^0*[1-9]\d*$/.test(step))) return false;
  if (range === '*' || range === '?') return true;
  const ends = range.split('-').map((end) => valueOf(end, field));
  const [first, last = first] = ends;
  if (ends.length > 2 || first === undefined || last === undefined) return false;
  return first >= field.from && last <= field.to && first <= last;
}

function valueOf(text: string, field: Field): number | undefined {
  const name = field.names.indexOf(text.toLowerCase());
  if (name >= 0) return name + field.from;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
