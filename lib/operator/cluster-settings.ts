import { parseDuration } from '../apis/duration.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../core/cluster/settings.ts';
import type { ClusterOptions } from './cluster-options.ts';

/** What controllers go by: what the configuration says, and the defaults for the rest. */
export function settingsOf(options: ClusterOptions): ClusterSettings {
  const { batchIdleDuration, batchMaxDuration, featureGates, vmMemoryOverheadPercent: memoryOverhead } = options;
  const { preferencePolicy, minValuesPolicy, reservedEnis, ignoreAtZero, shadow } = options;
  const batchIdleMs = batchIdleDuration === undefined ? undefined : parseDuration(batchIdleDuration);
  const batchMaxMs = batchMaxDuration === undefined ? undefined : parseDuration(batchMaxDuration);
  return {
    ...DEFAULT_SETTINGS,
    ...(batchIdleMs !== undefined && { batchIdleMs }),
    ...(batchMaxMs !== undefined && { batchMaxMs }),
    ...(preferencePolicy !== undefined && { preferencePolicy }),
    ...(minValuesPolicy !== undefined && { minValuesPolicy }),
    ...(memoryOverhead !== undefined && { memoryOverhead }),
    ...(reservedEnis !== undefined && { reservedEnis }),
    ...(ignoreAtZero !== undefined && { ignoreAtZero }),
    ...(shadow !== undefined && { shadow }),
    featureGates: { ...DEFAULT_SETTINGS.featureGates, ...featureGates },
  };
}
