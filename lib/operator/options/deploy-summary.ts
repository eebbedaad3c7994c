import { counted } from '../../apis/counted.ts';
import type { ClusterOptions } from './cluster-options.ts';

/** What one cluster with a public endpoint costs, as measured. *Units:* USD a month. */
export interface MeasuredCosts {
  readonly noNodes: number;
  readonly tenNodes: number;
  readonly busy: number;
  readonly furtherCluster: number;
  readonly polledQueue: number;
  readonly alarm: number;
}

interface Deployment {
  readonly clusters: readonly ClusterOptions[];
  /** The type of each resource of the stack. */
  readonly resourceTypes: readonly string[];
  readonly measured: MeasuredCosts;
  readonly alarmTopicArn?: string | undefined;
}

const NAME_WIDTH = 11;

/** What a deploy makes, and what it costs a month, in ten lines. */
export function deploySummary({ clusters, resourceTypes, measured, alarmTopicArn }: Deployment): readonly string[] {
  const count = (type: string): number => resourceTypes.filter((each) => each === type).length;
  const alarms = count('AWS::CloudWatch::Alarm');
  const queries = count('AWS::Logs::QueryDefinition');
  const rows = [
    ['compute', `${counted(count('AWS::Lambda::Function'), 'Lambda function')}, none of which runs in a cluster`],
    [
      'messages',
      `${counted(count('AWS::SQS::Queue'), 'SQS queue')}, ${counted(count('AWS::Events::Rule'), 'EventBridge rule')}, an event bus`,
    ],
    ['state', 'a DynamoDB table and an S3 bucket; cdk destroy keeps both'],
    ['rights', `${counted(count('AWS::IAM::Role'), 'IAM role')}; docs/security.md lists every permission`],
    [
      'alarms',
      `${counted(alarms, 'alarm')} ${alarmTopicArn === undefined ? 'without an action: set alarmTopicArn' : `that notify ${alarmTopicArn}`}`,
    ],
    ['views', `a CloudWatch dashboard, ${counted(queries, 'saved query', 'saved queries')} of the logs`],
    ['in cluster', inClusters(clusters)],
    ['on delete', onDelete(clusters)],
    [
      'cost',
      costOf(measured, { clusters: clusters.length, polledQueues: count('AWS::Lambda::EventSourceMapping'), alarms }),
    ],
  ];
  return [
    `Kerf for ${counted(clusters.length, 'cluster')}: ${clusters.map(nameOf).join(', ')}`,
    ...rows.map(([name = '', text = '']) => `  ${name.padEnd(NAME_WIDTH)} ${text}`),
  ];
}

function nameOf({ name, shadow }: ClusterOptions): string {
  return shadow === true ? `${name} (shadow: it decides, and changes nothing)` : name;
}

function inClusters(clusters: readonly ClusterOptions[]): string {
  const installed = clusters.filter(({ install }) => install !== false).length;
  const what = 'access entries, CRDs, RBAC, an admission policy and a webhook configuration';
  if (installed === 0) return `nothing: "install" is false`;
  return installed === clusters.length ? what : `${what}, in ${installed} of ${clusters.length}`;
}

function onDelete(clusters: readonly ClusterOptions[]): string {
  const drained = clusters.flatMap(({ name, onDelete: choice }) => (choice === 'drain' ? [name] : []));
  if (drained.length === 0) return 'instances keep running; "onDelete": "drain" drains and terminates them';
  return `drains and terminates the nodes of ${drained.join(', ')}`;
}

interface Counts {
  readonly clusters: number;
  readonly polledQueues: number;
  readonly alarms: number;
}

/** What each network and each cluster adds to the measured cost of one cluster with a public endpoint. */
function costOf(measured: MeasuredCosts, { clusters, polledQueues, alarms }: Counts): string {
  const { noNodes, tenNodes, busy, furtherCluster } = measured;
  const base =
    noNodes +
    (clusters - 1) * furtherCluster +
    Math.max(0, polledQueues - ONE_NETWORK.polledQueues) * measured.polledQueue +
    Math.max(0, alarms - ONE_NETWORK.alarms) * measured.alarm;
  return (
    `about $${base.toFixed(2)} a month without nodes; for a cluster of 10 idle nodes $${(tenNodes - noNodes).toFixed(2)} more, ` +
    `of 200 busy nodes $${(busy - noNodes).toFixed(2)} more (simulated; docs/operations.md)`
  );
}

/** What the deployment of one cluster with a public endpoint has, for which the costs were measured. */
const ONE_NETWORK = { polledQueues: 5, alarms: 7 };
