import { readFileSync } from 'node:fs';
import { isRecord } from '../lib/apis/record.ts';
import type { KarpenterResult } from './measurement.ts';

/** Reads the result next to a scenario. *Errors:* TypeError if it does not have the fields of Karpenter's result. */
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
