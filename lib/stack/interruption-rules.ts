import { type EventPattern, Rule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { queueTarget } from './queue-target.ts';
import type { WakeQueue } from './wake-queue.ts';

/** C79: the five kinds of news of an instance's end, cut to those that the function reads. */
const PATTERNS: Readonly<Record<string, EventPattern>> = {
  SpotInterruption: { source: ['aws.ec2'], detailType: ['EC2 Spot Instance Interruption Warning'] },
  Rebalance: { source: ['aws.ec2'], detailType: ['EC2 Instance Rebalance Recommendation'] },
  StateChange: {
    source: ['aws.ec2'],
    detailType: ['EC2 Instance State-change Notification'],
    detail: { state: ['stopping', 'stopped', 'shutting-down', 'terminated'] },
  },
  Health: {
    source: ['aws.health'],
    detailType: ['AWS Health Event'],
    detail: { service: ['EC2'], eventTypeCategory: ['scheduledChange'] },
  },
  CapacityReservation: {
    source: ['aws.ec2'],
    // The second is what EC2's guide has called it, too.
    detailType: [
      'EC2 Capacity Reservation Instance Interruption Warning',
      'EC2 Interruptible Capacity Reservation Instance Interruption Warning',
    ],
  },
};

export interface InterruptionRulesProps {
  /** Receives the events as they are. */
  readonly queue: WakeQueue;
}

/** News from EC2 and AWS Health, for all instances of the account: the function knows which are ours. */
export class InterruptionRules extends Construct {
  constructor(scope: Construct, id: string, props: InterruptionRulesProps) {
    super(scope, id);
    for (const [name, eventPattern] of Object.entries(PATTERNS)) {
      new Rule(this, name, { eventPattern, targets: [queueTarget(props.queue)] });
    }
  }
}
