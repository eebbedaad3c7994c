import { type EventPattern, Rule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { queueTarget } from './rule-targets.ts';
import type { WakeQueue } from './wake-queue.ts';

/** C79: the five kinds of events about the end of an instance, limited to those that the function handles. */
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
    // The second name also appears in EC2's documentation.
    detailType: [
      'EC2 Capacity Reservation Instance Interruption Warning',
      'EC2 Interruptible Capacity Reservation Instance Interruption Warning',
    ],
  },
};

export interface InterruptionRulesProps {
  /** Receives the events unchanged. */
  readonly queue: WakeQueue;
}

/** Rules for events of EC2 and AWS Health about all instances of the account. The function ignores instances of others. */
export class InterruptionRules extends Construct {
  constructor(scope: Construct, id: string, props: InterruptionRulesProps) {
    super(scope, id);
    for (const [name, eventPattern] of Object.entries(PATTERNS)) {
      new Rule(this, name, { eventPattern, targets: [queueTarget(props.queue)] });
    }
  }
}
