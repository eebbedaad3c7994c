import { styleText } from 'node:util';
import type { Explanation } from '../../core/explain/explanation.ts';
import { adviceFor } from '../../core/explain/reason-texts.ts';
import { formatSubject } from '../../core/model/subject.ts';
import { reasonLines } from '../../core/provisioning/pod-refusals.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { indented, printable } from '../render/render-lines.ts';

const DEFAULT_COLUMNS = 120;

/** Writes the answer of `kerf why`. */
export function writeExplanation(
  context: CliContext,
  { output }: { readonly output: 'text' | 'json' },
  explanation: Explanation,
): void {
  const { process } = context;
  process.stdout.write(
    output === 'json' ? `${JSON.stringify(explanation, null, 2)}\n` : renderExplanation(explanation, context),
  );
  process.exitCode = EXIT.fine;
}

/** Renders the explanation: one sentence, the facts, and each reason with what to do. */
function renderExplanation(
  { subject, state, summary, reasons, facts }: Explanation,
  { columns, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const title = `${formatSubject(subject)}: ${state}`;
  const nameWidth = Math.max(0, ...facts.map(([name]) => name.length));
  const byReason = [...Map.groupBy(reasons, ({ reason }) => reason)];
  const lines = [
    ...indented(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, 2, width),
    ...(facts.length === 0 ? [] : ['']),
    ...facts.flatMap(([name, value]) => hanging(name.padEnd(nameWidth), value, width)),
    ...byReason.flatMap(([reason, same]) => [
      '',
      `  ${reason}`,
      ...reasonLines(same).flatMap((line) => indented(line, 4, width)),
      ...indented(`→ ${adviceFor(reason)}`, 4, width),
    ]),
  ];
  const head = color ? styleText('bold', printable(title), { validateStream: false }) : printable(title);
  return [head, ...lines.map(printable)].map((line) => `${line}\n`).join('');
}

function hanging(name: string, value: string, width: number): readonly string[] {
  const [first = '', ...more] = indented(value, name.length + 4, width);
  return [`  ${name}  ${first.trimStart()}`, ...more];
}
