import { counted, firstNames } from '../../apis/counted.ts';
import { formatDuration } from '../../apis/formats/duration.ts';
import type { DisruptionCommand } from '../../core/model/disruption-command.ts';
import { formatSavings, totalUsd } from '../render/format-money.ts';

const MAX_NAMES = 6;

/** `Underutilized: nodes a (m5.xlarge), b (m5.large) replaced by 1 node (c6g.large or 4 other types), saves $0.1000/h`. */
export function describeDisruption({ reason, candidates, replacements }: DisruptionCommand): string {
  const named = candidates.slice(0, MAX_NAMES).map((one) => `${shortName(one.node)} (${one.instanceType})`);
  const names = firstNames(named, MAX_NAMES, candidates.length);
  const saved = totalUsd([
    ...candidates.map(({ priceUsdPerHour }) => priceUsdPerHour),
    ...replacements.map(({ priceUsdPerHour }) => -priceUsdPerHour),
  ]);
  const nodes = `${reason}: ${candidates.length === 1 ? 'node' : 'nodes'} ${names}`;
  return `${nodes}${fate(reason, replacements)}, ${formatSavings(saved)}`;
}

/** *Shape:* empty for a command that is validated at once. */
export function describeValidation({ decidedAtMs, ...command }: DisruptionCommand): string {
  if (command.state !== 'proposed' || command.validateAtMs <= decidedAtMs) return '';
  return `; validated again in ${formatDuration(command.validateAtMs - decidedAtMs)}`;
}

function fate(reason: DisruptionCommand['reason'], replacements: DisruptionCommand['replacements']): string {
  const [first] = replacements;
  if (first === undefined) return reason === 'Empty' ? '' : ' deleted, because other nodes have room for the pods';
  const [cheapest = 'no type', ...others] = first.instanceTypes;
  if (replacements.length > 1) return ` replaced by ${counted(replacements.length, 'node')}`;
  const choice = others.length === 0 ? '' : ` or ${counted(others.length, 'other type')}`;
  return ` replaced by 1 node (${cheapest}${choice})`;
}

/** The name of a node without its domain. */
export function shortName(node: string): string {
  return node.split('.')[0] ?? node;
}
