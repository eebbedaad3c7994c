import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import type { StateNode } from '../../core/cluster/state-node.ts';
import { compareText } from '../../core/compare-text.ts';
import type { DecisionPrice } from '../../core/model/decision.ts';
import type { ProvisioningVerdict } from '../../core/provisioning/provision.ts';
import type { Schedule } from '../../core/scheduling/schedule.ts';
import type { CliContext } from '../context.ts';
import { formatUsdPerHour, formatUsdPerMonth } from '../render/format-money.ts';
import { andMore, indented, MAX_ROWS, printable } from '../render/render-lines.ts';
import { totalPrice } from './claim-output.ts';
import { podSummary } from './pod-groups.ts';
import { renderNewNodes } from './render-new-nodes.ts';
import { renderUnplaced } from './render-unplaced.ts';

const DEFAULT_COLUMNS = 120;
const MAX_WORKLOADS = 4;
const TITLES: ReadonlySet<string> = new Set(['New nodes', 'Existing nodes', 'Unschedulable pods']);

/** Renders the plan as text: the summary, new nodes, existing nodes, unschedulable pods. */
export function renderProvisioning(
  { schedule, price }: Pick<ProvisioningVerdict, 'schedule' | 'price'>,
  { columns, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const lines = [
    ...summary(schedule).flatMap((line) => indented(line, 0, width)),
    ...(price === undefined ? [] : indented(boundLine(price), 0, width)),
    ...renderNewNodes(schedule.newClaims, width),
    ...renderExisting(schedule.existing, width),
    ...renderUnplaced(schedule.unplaced, width),
  ];
  return lines
    .map(printable)
    .map((line) => `${color && TITLES.has(line) ? styleText('bold', line, { validateStream: false }) : line}\n`)
    .join('');
}

/** One sentence for the pods, and one for the nodes of static NodePools, which are for no pods. */
function summary({ newClaims, existing, unplaced }: Schedule): readonly string[] {
  const ofPods = podSentence({ newClaims: newClaims.filter(({ pods }) => pods.length > 0), existing, unplaced });
  const ofPools = newClaims.filter(({ pods }) => pods.length === 0);
  if (ofPools.length === 0) return [ofPods ?? 'No unschedulable pods: nothing would change.'];
  return [
    ...(ofPods === undefined ? [] : [ofPods]),
    `${counted(ofPools.length, 'new node')} for static NodePools: ${priceOf(ofPools)}.`,
  ];
}

/** *Shape:* undefined without pods. */
function podSentence({ newClaims, existing, unplaced }: Schedule): string | undefined {
  const onNew = newClaims.reduce((sum, { pods }) => sum + pods.length, 0);
  const onExisting = existing.reduce((sum, { pods }) => sum + pods.length, 0);
  const all = onNew + onExisting + unplaced.length;
  if (all === 0) return undefined;
  const parts = [
    ...(newClaims.length === 0
      ? []
      : [`${onNew} on ${counted(newClaims.length, 'new node')} for ${priceOf(newClaims)}`]),
    ...(onExisting === 0 ? [] : [`${onExisting} on ${counted(existing.length, 'existing node')}`]),
    ...(unplaced.length === 0 ? [] : [`${unplaced.length} unschedulable`]),
  ];
  return `${counted(all, 'pod')} to schedule: ${parts.join(', ')}.`;
}

function priceOf(claims: Schedule['newClaims']): string {
  const price = totalPrice(claims);
  return `${formatUsdPerHour(price)} (${formatUsdPerMonth(price)})`;
}

function boundLine(price: DecisionPrice): string {
  const { lowerBoundUsdPerHour, gapPercent } = price;
  if (lowerBoundUsdPerHour === undefined || gapPercent === undefined)
    return 'Lower bound not computed: the requirements of the pods are too different.';
  const bound = formatUsdPerHour(lowerBoundUsdPerHour);
  return `Lower bound for any nodes of these NodePools: ${bound}. The plan is ${gapPercent.toFixed(1)} % above it.`;
}

function launchOf({ node, nodeClaim }: StateNode): string {
  if (node !== undefined) return '';
  const launch = nodeClaim?.launch;
  if (launch?.kind !== 'refused') return ' (launching)';
  return launch.throttled === true ? ' (waits for its launch: EC2 throttles)' : ` (launch refused: ${launch.message})`;
}

function renderExisting(existing: Schedule['existing'], width: number): readonly string[] {
  if (existing.length === 0) return [];
  const sorted = existing.toSorted(
    (a, b) => b.pods.length - a.pods.length || compareText(a.stateNode.name, b.stateNode.name),
  );
  const shown = sorted.slice(0, MAX_ROWS);
  const nameWidth = Math.max(...shown.map(({ stateNode }) => stateNode.name.length));
  return [
    '',
    'Existing nodes',
    ...shown.flatMap(({ stateNode, pods }) => {
      const text = `${podSummary(pods, MAX_WORKLOADS)}${launchOf(stateNode)}`;
      const [first = '', ...more] = indented(text, nameWidth + 4, width);
      return [`  ${stateNode.name.padEnd(nameWidth)}  ${first.trimStart()}`, ...more];
    }),
    ...andMore(sorted.length - shown.length, 'node'),
  ];
}
