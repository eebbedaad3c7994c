import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import type { CliContext } from '../context.ts';
import { wrapText } from '../render/wrap-text.ts';
import type { Finding, ValidatedObject, Validation } from './validation.ts';

type Terminal = Pick<CliContext, 'columns' | 'color'>;

const INDENT = '    ';
const COLORS = { error: 'red', warning: 'yellow' } as const;

/** Renders each finding with its position and the instruction to fix it, then a summary line. */
export function renderValidation({ objects, unreadable, seen }: Validation, terminal: Terminal): string {
  const faults = unreadable.map(({ file, line, message }) =>
    rendered({ place: `${file}:${line}`, severity: 'error', what: message, fix: '' }, terminal),
  );
  const findings = objects.flatMap((object) => object.findings.map((finding) => ofObject(object, finding, terminal)));
  return [...faults, ...findings, summaryOf({ objects, unreadable, seen })].join('');
}

function ofObject(object: ValidatedObject, finding: Finding, terminal: Terminal): string {
  const { severity, path, line, message, fix } = finding;
  const name = object.name === '' ? object.kind : `${object.kind}/${object.name}`;
  const what = `${name}  ${path === '' ? message : `${path}: ${message}`}`;
  return rendered({ place: `${object.file}:${line}`, severity, what, fix }, terminal);
}

interface Entry {
  readonly place: string;
  readonly severity: Finding['severity'];
  readonly what: string;
  readonly fix: string;
}

function rendered({ place, severity, what, fix }: Entry, { columns, color }: Terminal): string {
  const word = color ? styleText(COLORS[severity], severity, { validateStream: false }) : severity;
  const [first = '', ...rest] = wrapped(`${place}  ${severity}  ${what}`, columns);
  const lines = [first.replace(`  ${severity}  `, `  ${word}  `), ...rest.map((line) => `${INDENT}${line}`)];
  const advice = fix === '' ? [] : wrapped(`→ ${fix}`, columns).map((line) => `${INDENT}${line}`);
  return `${[...lines, ...advice].join('\n')}\n`;
}

/** Wraps text to the terminal; one line where the output is not a terminal. */
function wrapped(text: string, columns: number | undefined): readonly string[] {
  return columns === undefined ? [text] : wrapText(text, Math.max(columns - INDENT.length, 20));
}

/** `3 objects, 1 invalid, 2 warnings`. */
export function summaryOf({ objects, unreadable, seen }: Validation): string {
  const invalid = objects.filter(({ valid }) => !valid).length;
  const warnings = objects.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'warning').length;
  const parts = [
    objects.length === 0 ? `no Karpenter objects among ${counted(seen, 'object')}` : counted(objects.length, 'object'),
    ...(objects.length === 0 ? [] : [invalid === 0 ? 'all valid' : `${invalid} invalid`]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
    ...(unreadable.length === 0 ? [] : [counted(unreadable.length, 'read error')]),
  ];
  return `${parts.join(', ')}\n`;
}
