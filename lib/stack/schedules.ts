import { Duration } from 'aws-cdk-lib';
import { type EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { ClusterOptions } from '../operator/options/cluster-options.ts';
import {
  ALL_CLUSTERS,
  CATALOGUE_WAKE,
  type CLUSTER_FUNCTIONS,
  SLOW_TICK_MINUTES,
  tickedEachMinute,
  tickedSlowly,
} from '../operator/options/options.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { functionTarget } from './rule-targets.ts';

export interface SchedulesProps {
  readonly clusters: readonly ClusterOptions[];
  readonly functions: Readonly<Record<(typeof CLUSTER_FUNCTIONS)[number], LambdaFunction>>;
}

/**
 * Ticks, so that a lost event delays a reaction by at most a minute (`ticks.ts`). They call the functions themselves, because messages of
 * queues are paid for.
 */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    for (const { name: cluster, shadow = false } of props.clusters) {
      const rates = [
        { rule: `Tick-${cluster}`, minutes: 1, targets: tickedEachMinute({ shadow }) },
        { rule: `SlowTick-${cluster}`, minutes: SLOW_TICK_MINUTES, targets: tickedSlowly({ shadow }) },
      ];
      for (const { rule, minutes, targets } of rates)
        new Rule(this, rule, {
          description: `Kerf reconciles cluster ${cluster}`,
          schedule: Schedule.rate(Duration.minutes(minutes)),
          targets: targets.map((name) => functionTarget(props.functions[name], { cluster, reason: 'tick' })),
        });
    }
  }
}

export interface CatalogueRulesProps {
  readonly function: LambdaFunction;
  /** The bus on which other functions report that there is no catalogue. */
  readonly bus: EventBus;
}

/** Updates the catalogue twice a day, for all clusters, and when there is none. */
export class CatalogueRules extends Construct {
  constructor(scope: Construct, id: string, { function: catalogue, bus }: CatalogueRulesProps) {
    super(scope, id);
    new Rule(this, 'Catalogue', {
      description: 'Kerf reads instance types, offerings and prices',
      schedule: Schedule.rate(Duration.hours(12)),
      targets: [functionTarget(catalogue, { cluster: ALL_CLUSTERS, reason: 'tick' })],
    });
    const { Source, DetailType } = CATALOGUE_WAKE;
    new Rule(this, 'Missing', {
      description: 'Kerf has no instance types, offerings and prices',
      eventBus: bus,
      eventPattern: { source: [Source], detailType: [DetailType] },
      targets: [functionTarget(catalogue, { cluster: ALL_CLUSTERS, reason: 'missing' })],
    });
  }
}
