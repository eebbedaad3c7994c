import { styleText } from 'node:util';
import type { CliContext } from '../context.ts';
import { indented, printable } from '../render/render-lines.ts';
import type { Finding, FindingStatus } from './finding.ts';

const DEFAULT_COLUMNS = 80;
const COLORS = { pass: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const;
const ORDER: readonly FindingStatus[] = ['fail', 'warn', 'skip', 'pass'];
const STATUS_WIDTH = 6;

type Terminal = Pick<CliContext, 'columns' | 'color'>;

/** A line for each finding, in the order of the checks, with the fix below it, and the counts. */
export function renderDoctor(cluster: string, findings: readonly Finding[], { columns, color }: Terminal): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const start = STATUS_WIDTH + Math.max(...findings.map(({ check }) => check.length)) + 2;
  const lines = findings.flatMap((finding) => {
    const { check, status, message, fix } = finding;
    const [first = '', ...more] = indented(printable(message), start, width);
    const word = color ? styleText(COLORS[status], status, { validateStream: false }) : status;
    const head = `${word}  ${check.padEnd(start - STATUS_WIDTH)}${first.trimStart()}`;
    const advice = fix === undefined ? [] : indented(`→ ${printable(fix)}`, start, width);
    return [head, ...more, ...advice];
  });
  const counts = ORDER.flatMap((status) => {
    const count = findings.filter((finding) => finding.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return [`Cluster ${printable(cluster)}`, '', ...lines, '', counts.join(', ')].map((line) => `${line}\n`).join('');
}
