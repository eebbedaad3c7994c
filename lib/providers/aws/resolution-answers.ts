import type { PlacementGroup, SecurityGroup, Subnet } from '@aws-sdk/client-ec2';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../apis/time.ts';
import type { FoundImage } from '../../core/node-class/choose-images.ts';
import type { ResolvedCapacityReservation } from '../../core/node-class/resolved-node-class.ts';
import type { Clock } from '../../ports/clock.ts';
import { KeptAnswers } from './kept-answers.ts';

/** C31, C61, C63, C68. Questions are the terms themselves: a NodeClass with other terms asks another question. */
const KEEP_MS = {
  subnets: MINUTE_MS,
  securityGroups: MINUTE_MS,
  reservations: MINUTE_MS,
  images: 5 * MINUTE_MS,
  /**
   * Karpenter keeps what is the latest image for a day. Here several functions ask, each for itself: the longer one of them
   * keeps an old answer, the longer it launches what another replaces.
   */
  latestParameters: 5 * MINUTE_MS,
  /** A release stays what it is. */
  pinnedParameters: DAY_MS,
  placementGroups: HOUR_MS,
} as const;

/** What EC2 and SSM said lately, for as long as it is good; of one process. */
export interface ResolutionAnswers {
  /** For how long an answer is good. */
  readonly keepMs: Readonly<Record<keyof typeof KEEP_MS, number>>;
  readonly subnets: KeptAnswers<readonly Subnet[]>;
  readonly securityGroups: KeptAnswers<readonly SecurityGroup[]>;
  readonly images: KeptAnswers<readonly FoundImage[]>;
  readonly parameters: KeptAnswers<ReadonlyMap<string, string>>;
  readonly reservations: KeptAnswers<readonly Omit<ResolvedCapacityReservation, 'state'>[]>;
  readonly placementGroups: KeptAnswers<readonly PlacementGroup[]>;
}

/** F20: how long what was found is believed, where the cluster's configuration says so. */
export interface RefreshIntervals {
  readonly imagesMs?: number | undefined;
  readonly subnetsMs?: number | undefined;
}

export function resolutionAnswers(clock: Clock, { imagesMs, subnetsMs }: RefreshIntervals = {}): ResolutionAnswers {
  return {
    keepMs: {
      ...KEEP_MS,
      ...(imagesMs !== undefined && { images: imagesMs, latestParameters: imagesMs }),
      ...(subnetsMs !== undefined && { subnets: subnetsMs }),
    },
    subnets: new KeptAnswers(clock, (answer) => answer.length > 0),
    securityGroups: new KeptAnswers(clock, (answer) => answer.length > 0),
    images: new KeptAnswers(clock, (answer) => answer.length > 0),
    parameters: new KeptAnswers(clock, (answer) => answer.size > 0),
    // To have none is usual: a minute without asking again does no harm.
    reservations: new KeptAnswers(clock, () => true),
    placementGroups: new KeptAnswers(clock, (answer) => answer.length > 0),
  };
}
