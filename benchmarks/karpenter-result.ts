import { readFileSync } from 'node:fs';
import { isRecord } from '../lib/apis/record.ts';
import type { KarpenterResult } from './measurement.ts';

/** Reads the result beside a scenario. *Errors:* TypeError where it is not what Karpenter's result looks like. */
export function readKarpenterResult(file: string): KarpenterResult {
  const result: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isRecord(result)) throw new TypeError(`${file}: is not an object`);
  const { durationMs, totalHourlyPrice, newNodeClaims, podErrors } = result;
  if (typeof durationMs !== 'number' || typeof totalHourlyPrice !== 'number') {
    throw new TypeError(`${file}: durationMs and totalHourlyPrice must be numbers`);
  }
  return {
    ms: durationMs,
    usdPerHour: totalHourlyPrice,
    newClaims: Array.isArray(newNodeClaims) ? newNodeClaims.length : 0,
    unplaced: isRecord(podErrors) ? Object.keys(podErrors).length : 0,
  };
}
