import type { FleetFigures } from './frame.ts';

type At = FleetFigures & { readonly at: number };

/** The largest figures of one column of a chart, so that no peak is lost. */
export interface ChartColumn {
  readonly usdPerHour: number;
  readonly boundUsdPerHour: number;
  readonly podsPending: number;
}

/**
 * The figures as columns of equal time. Figures hold until the next ones.
 * *Shape:* one column for each part of the time; fewer if the figures end before.
 */
export function chartColumns(
  figures: readonly At[],
  { untilSeconds, knownSeconds, columns }: { untilSeconds: number; knownSeconds: number; columns: number },
): readonly ChartColumn[] {
  const known = Math.min(columns, Math.ceil((knownSeconds / untilSeconds) * columns));
  let next = 0;
  let held: ChartColumn = { usdPerHour: 0, boundUsdPerHour: 0, podsPending: 0 };
  return Array.from({ length: known }, (_, column) => {
    // The last column has the end too.
    const endSeconds = column === columns - 1 ? Infinity : ((column + 1) / columns) * untilSeconds;
    let largest = held;
    for (let one = figures[next]; one !== undefined && one.at < endSeconds; one = figures[next]) {
      held = one;
      largest = largerOf(largest, one);
      next += 1;
    }
    return largest;
  });
}

function largerOf(a: ChartColumn, b: ChartColumn): ChartColumn {
  return {
    usdPerHour: Math.max(a.usdPerHour, b.usdPerHour),
    boundUsdPerHour: Math.max(a.boundUsdPerHour, b.boundUsdPerHour),
    podsPending: Math.max(a.podsPending, b.podsPending),
  };
}
