import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { queueTarget } from './queue-target.ts';
import type { WakeQueue } from './wake-queue.ts';

export interface SchedulesProps {
  readonly clusters: readonly string[];
  /** Woken for every cluster, every minute. A rule has at most five targets. */
  readonly everyMinute: readonly WakeQueue[];
}

/** The safety net: whatever a lost event left undone is seen within a minute. */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    for (const cluster of props.clusters) {
      new Rule(this, `Tick-${cluster}`, {
        description: `Kerf looks at cluster ${cluster}`,
        schedule: Schedule.rate(Duration.minutes(1)),
        targets: props.everyMinute.map((queue) => queueTarget(queue, { cluster, reason: 'tick' })),
      });
    }
  }
}

export interface CatalogueScheduleProps {
  readonly queue: WakeQueue;
}

/** Twice a day, once for all clusters. */
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
