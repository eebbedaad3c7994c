import { formatCpu } from '../../apis/formats/quantity.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import { compareText } from '../../core/compare-text.ts';
import { compatibleOfferings } from '../../core/instance-type/offerings/compatible-offerings.ts';
import type { PlannedNodeClaim } from '../../core/scheduling/schedule.ts';
import { formatGib } from '../render/format-gib.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { andMore, indented, MAX_ROWS } from '../render/render-lines.ts';
import { totalPrice } from './claim-output.ts';
import { podSummary } from './pod-groups.ts';

/** New nodes that are shown in one row. */
interface Row {
  readonly nodePool: string;
  readonly place: string;
  readonly first: PlannedNodeClaim;
  readonly claims: PlannedNodeClaim[];
  readonly pods: Pod[];
}

const COLUMNS: readonly CellColumn<Row>[] = [
  { title: 'nodes', align: 'right', cell: ({ claims }) => String(claims.length) },
  { title: 'NodePool', align: 'left', cell: ({ nodePool }) => nodePool },
  { title: 'type', align: 'left', cell: ({ first }) => first.cheapest.type.name },
  { title: 'capacity', align: 'left', cell: ({ first }) => first.cheapest.offering.capacityType },
  { title: 'zone', align: 'left', cell: ({ place }) => place, spare: 5 },
  { title: 'cpu', align: 'right', cell: ({ first }) => formatCpu(first.cheapest.type.capacity['cpu'] ?? 0), spare: 4 },
  { title: 'memory', align: 'right', cell: ({ first }) => formatGib(first.cheapest.type.capacity['memory']), spare: 3 },
  { title: 'pods', align: 'right', cell: ({ pods }) => String(pods.length), spare: 2 },
  {
    title: '$/h each',
    align: 'right',
    cell: ({ first }) => first.cheapest.offering.priceUsdPerHour.toFixed(4),
    spare: 1,
  },
  { title: '$/h', align: 'right', cell: ({ claims }) => totalPrice(claims).toFixed(4) },
];

const MAX_WORKLOADS = 8;

/** Renders new nodes by NodePool and type, with their prices and their pods. */
export function renderNewNodes(claims: readonly PlannedNodeClaim[], width: number): readonly string[] {
  if (claims.length === 0) return [];
  const rows = rowsOf(claims);
  const shown = rows.slice(0, MAX_ROWS);
  const { titles, rows: lines, note } = formatTableWithin(COLUMNS, shown, width - 2);
  return [
    '',
    'New nodes',
    `  ${titles}`,
    ...shown.flatMap(({ pods }, index) => [
      `  ${lines[index] ?? ''}`,
      ...(pods.length === 0 ? [] : indented(`for ${podSummary(pods, MAX_WORKLOADS)}`, 9, width)),
    ]),
    ...andMore(rows.length - shown.length, 'kind of nodes', 'kinds of nodes'),
    ...note.map((line) => `  ${line}`),
  ];
}

function rowsOf(claims: readonly PlannedNodeClaim[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const claim of claims) {
    const nodePool = claim.template.nodePool.metadata.name;
    const { type, offering } = claim.cheapest;
    const place = placeOf(claim);
    const key = JSON.stringify([nodePool, type.name, offering.capacityType, place, offering.priceUsdPerHour]);
    const row = rows.get(key) ?? { nodePool, place, first: claim, claims: [], pods: [] };
    row.claims.push(claim);
    row.pods.push(...claim.pods);
    rows.set(key, row);
  }
  return [...rows]
    .toSorted(([a, one], [b, other]) => totalPrice(other.claims) - totalPrice(one.claims) || compareText(a, b))
    .map(([, row]) => row);
}

/** The zone with the lowest price, and the number of other zones that the launch may choose. */
export function placeOf({ cheapest, requirements }: PlannedNodeClaim): string {
  const { zone } = cheapest.offering;
  const others = new Set(compatibleOfferings(cheapest.type, requirements).map((offering) => offering.zone));
  others.delete(zone);
  return others.size === 0 ? zone : `${zone} or ${others.size} more`;
}
