import { Duration } from 'aws-cdk-lib';
import { CustomWidget, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { ClusterOptions } from '../../operator/options/cluster-options.ts';
import { VARIABLES } from '../../operator/options/options.ts';
import type { BodyBucketConstruct } from '../body-bucket.ts';
import { LambdaFunction } from '../lambda-function.ts';
import type { StateTable } from '../state-table.ts';

export interface WidgetsProps {
  readonly clusters: readonly ClusterOptions[];
  readonly state: StateTable;
  readonly bodies: BodyBucketConstruct;
}

interface Shown {
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

/** The function that draws custom widgets. It runs only while the dashboard is open, and only reads. */
export class Widgets extends LambdaFunction {
  constructor(scope: Construct, id: string, { clusters, state, bodies }: WidgetsProps) {
    super(scope, id, {
      name: 'widgets',
      environment: { [VARIABLES.table]: state.name, [VARIABLES.bodies]: bodies.name },
      timeout: Duration.seconds(20),
      memoryMib: 512,
    });
    state.grant(this.role, 'widgets', clusters);
    bodies.grantRecordReads(this.role);
  }

  /** @param cluster what stands for the chosen cluster in the body of the dashboard */
  rows(cluster: string): IWidget[][] {
    const draw = (widget: string, { title, ...size }: Shown): CustomWidget =>
      new CustomWidget({ functionArn: this.function.functionArn, title, params: { widget, cluster }, ...size });
    return [
      [draw('fleet', { title: 'Fleet', width: 24, height: 9 })],
      [
        draw('decisions', { title: 'Decisions with their reasons', width: 14, height: 10 }),
        draw('pending-pod', { title: 'Why is this pod pending?', width: 10, height: 10 }),
      ],
    ];
  }
}
