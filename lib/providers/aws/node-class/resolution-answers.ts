import type { PlacementGroup, SecurityGroup, Subnet } from '@aws-sdk/client-ec2';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import type { ResolvedCapacityReservation } from '../../../core/model/resolved-node-class.ts';
import type { FoundImage } from '../../../core/node-class/images/choose-images.ts';
import type { Clock } from '../../../ports/clock.ts';
import { AnswerCache } from '../client/kept-answers.ts';

/** C31, C61, C63, C68. The keys are the terms, so a NodeClass with other terms has another key. */
const KEEP_MS = {
  subnets: MINUTE_MS,
  securityGroups: MINUTE_MS,
  reservations: MINUTE_MS,
  images: 5 * MINUTE_MS,
  /**
   * Karpenter caches the latest image for a day. Here several functions have separate caches: while one has an old image, it
   * launches nodes that another replaces.
   */
  latestParameters: 5 * MINUTE_MS,
  /** Without an image that a parameter names, which EC2 lists later. */
  incompleteImages: MINUTE_MS,
  /** A fixed release does not change, once all its parameters are published. Until then, the time of the latest ones holds. */
  pinnedParameters: DAY_MS,
  placementGroups: HOUR_MS,
} as const;

/** Caches the results of EC2 and SSM in one process. */
export interface ResolutionAnswers {
  /** How long a result is cached. */
  readonly keepMs: Readonly<Record<keyof typeof KEEP_MS, number>>;
  readonly subnets: AnswerCache<readonly Subnet[]>;
  readonly securityGroups: AnswerCache<readonly SecurityGroup[]>;
  readonly images: AnswerCache<readonly FoundImage[]>;
  readonly parameters: AnswerCache<ReadonlyMap<string, string>>;
  readonly reservations: AnswerCache<readonly Omit<ResolvedCapacityReservation, 'state'>[]>;
  readonly placementGroups: AnswerCache<readonly PlacementGroup[]>;
}

/** F20: the cache time in the cluster's configuration. */
export interface RefreshIntervals {
  readonly imagesMs?: number | undefined;
  readonly subnetsMs?: number | undefined;
  readonly securityGroupsMs?: number | undefined;
  readonly reservationsMs?: number | undefined;
}

export function resolutionAnswers(clock: Clock, refresh: RefreshIntervals = {}): ResolutionAnswers {
  const { imagesMs, subnetsMs, securityGroupsMs, reservationsMs } = refresh;
  return {
    keepMs: {
      ...KEEP_MS,
      ...(imagesMs !== undefined && { images: imagesMs, latestParameters: imagesMs }),
      ...optional({ subnets: subnetsMs, securityGroups: securityGroupsMs, reservations: reservationsMs }),
    },
    subnets: new AnswerCache(clock, (answer) => answer.length > 0),
    securityGroups: new AnswerCache(clock, (answer) => answer.length > 0),
    images: new AnswerCache(clock, (answer) => answer.length > 0),
    parameters: new AnswerCache(clock, (answer) => answer.size > 0),
    // An empty result is usual here, so it is cached for a minute.
    reservations: new AnswerCache(clock, () => true),
    placementGroups: new AnswerCache(clock, (answer) => answer.length > 0),
  };
}
