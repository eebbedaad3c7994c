import type { UsageCurve } from '../../../apis/scenario/usage.ts';

/** The CPU that a workload uses, in cores: linear between the points, and constant before the first and after the last one. */
export function usageAt({ points, repeatsMs }: UsageCurve, ms: number): number {
  const atMs = repeatsMs === undefined ? ms : ms % repeatsMs;
  const next = points.findIndex((point) => point.atMs > atMs);
  const [before, after] = next < 0 ? [points.at(-1)] : [points[next - 1], points[next]];
  if (before === undefined || after === undefined) return (before ?? after)?.cores ?? 0;
  const share = (atMs - before.atMs) / (after.atMs - before.atMs);
  return before.cores + share * (after.cores - before.cores);
}

/** Whether the usage no longer changes after that time. */
export function isConstantAfter({ points, repeatsMs }: UsageCurve, ms: number): boolean {
  return repeatsMs === undefined && (points.at(-1)?.atMs ?? 0) <= ms;
}
