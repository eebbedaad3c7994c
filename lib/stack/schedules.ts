import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { queueTarget } from './queue-target.ts';
import type { WakeQueue } from './wake-queue.ts';

export interface SchedulesProps {
  readonly clusters: readonly string[];
  /** Queues that receive a message for every cluster every minute. A rule has at most five targets. */
  readonly everyMinute: readonly WakeQueue[];
}

/** Wakes the functions every minute, so a lost event delays a reaction by at most a minute. */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    for (const cluster of props.clusters) {
      new Rule(this, `Tick-${cluster}`, {
        description: `Kerf reconciles cluster ${cluster}`,
        schedule: Schedule.rate(Duration.minutes(1)),
        targets: props.everyMinute.map((queue) => queueTarget(queue, { cluster, reason: 'tick' })),
      });
    }
  }
}

export interface CatalogueScheduleProps {
  readonly queue: WakeQueue;
}

/** Updates the catalogue twice a day, for all clusters. */
export class CatalogueSchedule extends Construct {
  constructor(scope: Construct, id: string, { queue }: CatalogueScheduleProps) {
    super(scope, id);
    new Rule(this, 'Catalogue', {
      description: 'Kerf reads instance types, offerings and prices',
      schedule: Schedule.rate(Duration.hours(12)),
      targets: [queueTarget(queue, { cluster: '*', reason: 'tick' })],
    });
  }
}
