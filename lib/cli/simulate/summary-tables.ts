import { HOURS_A_MONTH, type SimulationSummary } from '../../simulator/result.ts';
import type { PoolCost } from '../../simulator/summary/instance-ledger.ts';
import { wholeUsd } from '../render/format-money.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { andMore, MAX_ROWS } from '../render/render-lines.ts';

type Instance = SimulationSummary['instances'][number];
type Wait = SimulationSummary['pendingToRunningSeconds']['byWorkload'][number];

/** The nodes at the peak and at the end by type, zone and capacity type. */
export function instanceTable({ instances }: SimulationSummary, width: number): readonly string[] {
  const hasDevices = instances.some(({ devices }) => devices !== '');
  const devices: CellColumn<Instance> = { title: 'devices', align: 'left', cell: (one) => one.devices, spare: 3 };
  const columns: readonly CellColumn<Instance>[] = [
    { title: 'type', align: 'left', cell: ({ instanceType }) => instanceType },
    ...(hasDevices ? [devices] : []),
    { title: 'capacity', align: 'left', cell: ({ capacityType }) => capacityType },
    { title: 'zone', align: 'left', cell: ({ zone }) => zone },
    { title: 'launched', align: 'right', cell: ({ launched }) => String(launched), spare: 1 },
    { title: 'at peak', align: 'right', cell: ({ atPeak }) => String(atPeak) },
    { title: 'at end', align: 'right', cell: ({ atEnd }) => String(atEnd) },
    { title: '$/h each', align: 'right', cell: ({ usdPerHourEach }) => usdPerHourEach.toFixed(4), spare: 2 },
  ];
  return table({ columns, rows: instances, noun: 'row' }, width);
}

/** The cost by NodePool; the total is in the summary if there is only one. */
export function costTable({ costByNodePool }: SimulationSummary, width: number): readonly string[] {
  const columns: readonly CellColumn<PoolCost>[] = [
    { title: 'NodePool', align: 'left', cell: ({ nodePool }) => (nodePool === '' ? '(none)' : nodePool) },
    { title: 'launched', align: 'right', cell: ({ launched }) => String(launched), spare: 1 },
    { title: 'at end', align: 'right', cell: ({ atEnd }) => String(atEnd) },
    { title: 'cost $', align: 'right', cell: ({ costUsd }) => costUsd.toFixed(4) },
    { title: '$/h at end', align: 'right', cell: ({ usdPerHourAtEnd }) => usdPerHourAtEnd.toFixed(4) },
    {
      title: 'a month',
      align: 'right',
      cell: ({ usdPerHourAtEnd }) => wholeUsd(usdPerHourAtEnd * HOURS_A_MONTH),
    },
  ];
  return costByNodePool.length < 2 ? [] : table({ columns, rows: costByNodePool, noun: 'NodePool' }, width);
}

/** The waits by workload, if there are several. */
export function waitTable(
  { pendingToRunningSeconds: { byWorkload } }: SimulationSummary,
  width: number,
): readonly string[] {
  const columns: readonly CellColumn<Wait>[] = [
    { title: 'workload', align: 'left', cell: ({ workload }) => workload },
    { title: 'pods', align: 'right', cell: ({ pods }) => String(pods) },
    { title: 'median', align: 'right', cell: ({ median }) => `${median.toFixed(1)}s` },
    { title: '95 %', align: 'right', cell: ({ p95 }) => `${p95.toFixed(1)}s` },
    { title: 'longest', align: 'right', cell: ({ max }) => `${max.toFixed(1)}s` },
  ];
  return byWorkload.length < 2 ? [] : table({ columns, rows: byWorkload, noun: 'workload' }, width);
}

interface Rows<Row> {
  readonly columns: readonly CellColumn<Row>[];
  readonly rows: readonly Row[];
  readonly noun: string;
}

function table<Row>({ columns, rows, noun }: Rows<Row>, width: number): readonly string[] {
  if (rows.length === 0) return [];
  const { titles, rows: shown, note } = formatTableWithin(columns, rows.slice(0, MAX_ROWS), width - 2);
  return [
    ...[titles, ...shown].map((line) => `  ${line}`),
    ...andMore(rows.length - MAX_ROWS, noun),
    ...note.map((line) => `  ${line}`),
  ];
}
