import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type ClusterOptions, networkName } from '../operator/options/cluster-options.ts';
import { METRICS, PRICE_FOLDER, VARIABLES } from '../operator/options/options.ts';
import { BodyBucketConstruct } from './body-bucket.ts';
import { FunctionSet } from './function-set.ts';
import { LambdaFunction } from './lambda-function.ts';
import { Dashboard } from './monitoring/dashboard.ts';
import { DeploymentAlarm } from './monitoring/deployment-alarm.ts';
import { describeOutput } from './monitoring/describe-output.ts';
import { Widgets } from './monitoring/widgets.ts';
import * as permissions from './permissions.ts';
import { CatalogueRules } from './schedules.ts';
import { StateTable } from './state-table.ts';
import { DeadLetters } from './wake-queue.ts';
import { SecretSource } from './webhook-secret.ts';

export interface KerfStackProps extends StackProps {
  readonly clusters: readonly ClusterOptions[];
  /** A text that differs from the last deployment creates a new secret for the webhook. @default - the secret is kept */
  readonly webhookSecretRotation?: string;
  /** The SNS topic that every alarm notifies. @default - the alarms have no action */
  readonly alarmTopicArn?: string;
}

/** A deployment of Kerf: one account, one region, any number of clusters, and a set of functions for each network. */
export class KerfStack extends Stack {
  constructor(scope: Construct, id: string, props: KerfStackProps) {
    super(scope, id, {
      description: 'Kerf: node autoscaling for Amazon EKS, without pods in the cluster',
      // CloudFormation takes a template of 1 MB at most: with spaces, that of 100 clusters has more.
      suppressTemplateIndentation: true,
      ...props,
    });
    const { clusters, webhookSecretRotation } = props;
    const state = new StateTable(this, 'State');
    const bodies = new BodyBucketConstruct(this, 'Bodies');
    const decisions = new EventBus(this, 'Decisions', { description: 'Every decision of Kerf' });
    decisions.applyRemovalPolicy(RemovalPolicy.DESTROY);
    decisions.archive('Archive', {
      description: 'The decisions of Kerf, to be replayed to a new consumer',
      eventPattern: { source: ['kerf'] },
      retention: Duration.days(14),
    });
    const wakeDeadLetters = new DeadLetters(this, 'WakeDeadLetters', { alarm: 'WakeDeadLetters' });
    const catalogue = this.#catalogue({ state, decisions, deadLetters: wakeDeadLetters });
    const shared = {
      secrets: new SecretSource(this, 'WebhookSecrets'),
      state,
      bodies,
      decisions,
      wakeDeadLetters,
      ...(webhookSecretRotation !== undefined && { webhookSecretRotation }),
    };
    const sets = [...Map.groupBy(clusters, networkName)].map(([network, members]) => {
      // Functions without a network have no prefix, as in a deployment without networks.
      const place = network === undefined ? this : new Construct(this, `Network-${network}`);
      const elsewhere = clusters.filter((one) => !members.includes(one)).map(({ name }) => name);
      const { functions: own, webhook } = new FunctionSet(place, { ...shared, clusters: members, elsewhere });
      return { network, functions: own, webhook };
    });
    const functions = sets.flatMap(({ network, functions: each }) =>
      Object.entries(each).map(([name, one]) => [network === undefined ? name : `${network} ${name}`, one] as const),
    );
    const names = clusters.map(({ name }) => name);
    this.#watch(state.name);
    new Dashboard(this, 'Dashboard', {
      clusters: names,
      functions: { ...Object.fromEntries(functions), catalogue },
      webhooks: sets.map(({ webhook }) => webhook.function),
      custom: new Widgets(this, 'Widgets', { clusters, state, bodies }),
    });
    const values = {
      TableName: state.name,
      BodiesBucketName: bodies.name,
      EventBusName: decisions.eventBusName,
      CatalogueFunctionName: catalogue.function.functionName,
      CatalogueLogGroup: catalogue.logGroup.logGroupName,
    };
    for (const [name, value] of Object.entries(values))
      new CfnOutput(this, name, { value, description: describeOutput(name) });
    if (props.alarmTopicArn !== undefined) this.#notify(props.alarmTopicArn);
  }

  /** Alarms for what the functions find. A problem may end by itself, so it must last for some minutes. */
  #watch(table: string): void {
    new DeploymentAlarm(this, 'StandbyAlarm', { alarm: 'Standby', metricName: METRICS.onStandby, table });
    const pods = { alarm: 'WaitingPods', metricName: METRICS.waitingPods, table, minutes: 2 } as const;
    new DeploymentAlarm(this, 'WaitingPodsAlarm', pods);
    const problems = { alarm: 'Problems', metricName: METRICS.problems, table, minutes: 3 } as const;
    new DeploymentAlarm(this, 'ProblemsAlarm', problems);
  }

  #notify(topicArn: string): void {
    const action = new SnsAction(Topic.fromTopicArn(this, 'AlarmTopic', topicArn));
    for (const construct of this.node.findAll()) if (construct instanceof Alarm) construct.addAlarmAction(action);
  }

  /** The function that reads instance types and prices, which are regional and shared by all clusters. */
  #catalogue({ state, decisions: bus, deadLetters }: CatalogueParts): LambdaFunction {
    const catalogue = new LambdaFunction(this, 'Catalogue', {
      name: 'catalogue',
      environment: { [VARIABLES.table]: state.name },
      timeout: Duration.minutes(5),
      memoryMib: 1_024,
      folder: PRICE_FOLDER,
      // One after the other: each run of another function that finds no catalogue calls it.
      reservedConcurrency: 1,
    });
    state.grant(catalogue.role, 'catalogue', []);
    permissions.grantCatalogueReads(catalogue.role);
    catalogue.admitRules(deadLetters);
    new CatalogueRules(this, 'CatalogueSchedule', { function: catalogue, bus });
    return catalogue;
  }
}

interface CatalogueParts {
  readonly state: StateTable;
  readonly decisions: EventBus;
  readonly deadLetters: DeadLetters;
}
