import { parseDuration } from '../../apis/formats/duration.ts';
import { MINUTE_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../../core/model/settings.ts';
import type { RefreshIntervals } from '../../providers/aws/node-class/resolution-answers.ts';
import type { ClusterOptions } from './cluster-options.ts';

/** A function that launches nothing asks EC2 less often: what it replaces is launched with what lifecycle reads. @internal */
export const WITHOUT_LAUNCHES_MS = 5 * MINUTE_MS;

/** F20: how long found images and subnets are cached. */
export function refreshOf(
  { amiRefreshInterval, subnetRefreshInterval }: ClusterOptions,
  { launches }: { readonly launches: boolean },
): RefreshIntervals {
  const [imagesMs, subnetsMs] = [msOf(amiRefreshInterval), msOf(subnetRefreshInterval)];
  if (launches) return { imagesMs, subnetsMs };
  return {
    imagesMs,
    subnetsMs: Math.max(subnetsMs ?? 0, WITHOUT_LAUNCHES_MS),
    securityGroupsMs: WITHOUT_LAUNCHES_MS,
    reservationsMs: WITHOUT_LAUNCHES_MS,
  };
}

/** The settings for controllers: those of the configuration, otherwise the defaults. */
export function settingsOf(options: ClusterOptions): ClusterSettings {
  const { batchIdleDuration, batchMaxDuration, featureGates, vmMemoryOverheadPercent: memoryOverhead } = options;
  const { preferencePolicy, preferencePriceFactor, minValuesPolicy, fleetConsolidation, nominatePods } = options;
  const { lowScoreWaits, softTaints, reservedEnis, ignoreAtZero, shadow, decisionSnapshots, usageLabels } = options;
  const initializationTimeoutMs = msOf(options.initializationTimeout);
  const batchIdleMs = msOf(batchIdleDuration);
  const batchMaxMs = msOf(batchMaxDuration);
  return {
    ...DEFAULT_SETTINGS,
    ...optional({
      batchIdleMs,
      batchMaxMs,
      preferencePolicy,
      preferencePriceFactor,
      minValuesPolicy,
      fleetConsolidation,
      lowScoreWaits,
      softTaints,
      nominatePods,
      memoryOverhead,
      reservedEnis,
      ignoreAtZero,
      initializationTimeoutMs,
      shadow,
      decisionSnapshots,
      usageLabels,
    }),
    repairAfterMs: Object.fromEntries(
      Object.entries(options.repairAfter ?? {}).map(([key, after]) => [key, msOf(after) ?? 0]),
    ),
    featureGates: { ...DEFAULT_SETTINGS.featureGates, ...featureGates },
  };
}

function msOf(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
