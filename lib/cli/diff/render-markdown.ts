import { reasonLines } from '../../core/provisioning/pod-refusals.ts';
import { printable } from '../render/render-lines.ts';
import { type Difference, isDifferent } from './compare.ts';
import { figureLines, nodeLines } from './lines.ts';

/** The difference as Markdown, for a comment on a pull request. */
export function differenceMarkdown(difference: Difference): string {
  if (!isDifferent(difference)) return '**Kerf**: no difference.\n';
  const nodes = nodeLines(difference);
  const { unschedulable, schedulable } = difference;
  const lines = [
    '### Kerf: what these manifests change',
    '',
    ...figureLines(difference).map((line) => `- ${line}`),
    '',
    ...(nodes.length === 0
      ? []
      : ['| | node | NodePool | type | capacity | zone | by | $/h |', '|---|---|---|---|---|---|---|---|']),
    ...nodes.map(
      ({ sign, name, nodePool, instanceType, capacityType, zone, by, usdPerHour }) =>
        `| \`${sign}\` | ${[name, nodePool, instanceType, capacityType, zone, by].map(cell).join(' | ')} | ${usdPerHour.toFixed(4)} |`,
    ),
    ...(nodes.length === 0 ? [] : ['']),
    ...unschedulable.map(
      ({ pod, reasons }) => `- pod ${cell(pod)} has no place any more: ${cell(reasonLines(reasons).join('; '))}`,
    ),
    ...schedulable.map((pod) => `- pod ${cell(pod)} has a place now`),
  ];
  return `${lines.map(printable).join('\n').trimEnd()}\n`;
}

/** Text in a table: names come from files and could otherwise be read as Markdown. */
function cell(text: string): string {
  return text.replaceAll(/[\\|`*_<>[\]#]/g, String.raw`\$&`);
}
