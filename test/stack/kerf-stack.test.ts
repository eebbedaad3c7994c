import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../lib/apis/formats/time.ts';
import { compareText } from '../../lib/core/compare-text.ts';
import { EVENT_PLAN, WAKE_PLAN } from '../../lib/core/delivery/deliveries.ts';
import { propertiesOf, synthesize, templateOf } from './assembly.ts';
import { at, listAt, recordAt, textAt } from './json.ts';
import { resolved } from './resolve.ts';

let template: Template;

beforeAll(() => {
  template = templateOf([{ name: 'blue' }, { name: 'green', endpoint: 'https://green.test', zonalShift: true }]);
});

/**
 * Logical ids of resources with state or with outside references: a changed id is a new, empty resource at the next
 * deploy. Change this list only on purpose, with a migration.
 */
const STATEFUL = {
  'AWS::DynamoDB::GlobalTable': ['StateTable962DE04C'],
  'AWS::Events::EventBus': ['Decisions28C7D866'],
  'AWS::Lambda::Url': ['WebhookFunctionFunctionUrlEC8AE923'],
  'AWS::S3::Bucket': ['BodiesBucket7CDFEDE9'],
  'Custom::KerfWebhookSecret': ['WebhookRandomSecretF6788342'],
  'AWS::SQS::Queue': [
    'DisruptionWakesQueue93E08451',
    'InterruptionWakesDeadLetters070773B3',
    'InterruptionWakesQueueC04AF7EB',
    'LifecycleWakesQueueA7610D87',
    'ProvisioningWakesQueue5AF1CAE4',
    'TerminationWakesQueueB5857554',
    'WakeDeadLettersAD1387CF',
  ],
};

test.each(Object.entries(STATEFUL))('logical ids of %s are a contract', (type, ids) => {
  expect(Object.keys(template.findResources(type)).toSorted()).toEqual(ids);
});

test('what no item can hold lies in a private bucket that is retained, and drops only what is history', () => {
  template.hasResource('AWS::S3::Bucket', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: Match.anyValue(),
      LifecycleConfiguration: {
        Rules: [
          Match.objectLike({ ExpirationInDays: 30, Status: 'Enabled', Prefix: Match.absent() }),
          Match.objectLike({ ExpirationInDays: 14, Status: 'Enabled', Prefix: 'snapshots/' }),
        ],
      },
    },
  });
  const [policy] = propertiesOf(template, 'AWS::S3::BucketPolicy');
  expect(listAt(policy, 'PolicyDocument', 'Statement')).toEqual([
    expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
  ]);
});

test('the table keeps its data: retained, restorable, with a time to live', () => {
  template.hasResource('AWS::DynamoDB::GlobalTable', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      Replicas: [Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } })],
    },
  });
});

function targetsOf(rate: string): readonly (readonly unknown[])[] {
  return propertiesOf(template, 'AWS::Events::Rule')
    .filter((rule) => rule['ScheduleExpression'] === rate)
    .map((rule) => listAt(rule, 'Targets'));
}

/** The inputs of ticks for both clusters. */
function ticks(count: number): readonly (readonly string[])[] {
  return ['blue', 'green'].map((cluster) =>
    Array.from({ length: count }, () => `{"cluster":"${cluster}","reason":"tick"}`),
  );
}

describe('ticks', () => {
  test('each cluster has a tick a minute for lifecycle and termination, and slow ticks for the others, in the shape of a wake', () => {
    const inputs = (rate: string) => targetsOf(rate).map((targets) => targets.map((target) => textAt(target, 'Input')));
    expect(inputs('rate(1 minute)')).toEqual(ticks(2));
    expect(inputs('rate(5 minutes)')).toEqual(ticks(2));
    const called = [...targetsOf('rate(1 minute)'), ...targetsOf('rate(5 minutes)')].flat();
    const arns = new Set(called.map((target) => textAt(target, 'Arn', 'Fn::GetAtt', '0')));
    expect([...arns].toSorted(compareText)).toEqual(
      ['Disruption', 'Lifecycle', 'Provisioning', 'Termination'].map((name) => expect.stringContaining(name)),
    );
  });

  test('each of these functions, and that of the catalogue, has one permission for all rules of the account, and dead letters', () => {
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ Principal }) => Principal === 'events.amazonaws.com',
    );
    // A call of EventBridge has no source account, so a condition on it would refuse every tick.
    expect(permissions.filter((permission) => 'SourceAccount' in permission)).toEqual([]);
    const sources = permissions.map(({ SourceArn }) => String(resolved(SourceArn)));
    expect(sources.filter((arn) => arn === 'arn:aws:events:eu-west-3:123456789012:rule/*')).toHaveLength(5);
    const letters = propertiesOf(template, 'AWS::Lambda::Function').flatMap((one) => one['DeadLetterConfig'] ?? []);
    expect(letters).toEqual(
      Array.from({ length: 5 }, () => ({
        TargetArn: { 'Fn::GetAtt': [expect.stringContaining('WakeDeadLetters'), 'Arn'] },
      })),
    );
  });

  test('in shadow, the functions that decide have the tick of each minute', () => {
    const shadow = propertiesOf(synthesize([{ name: 'blue', shadow: true }]), 'AWS::Events::Rule');
    const [minute] = shadow.filter((rule) => rule['ScheduleExpression'] === 'rate(1 minute)');
    const arns = listAt(minute, 'Targets').map((target) => JSON.stringify(at(target, 'Arn')));
    expect(arns).toEqual([expect.stringContaining('Provisioning'), expect.stringContaining('Disruption')]);
  });
});

test('every queue but the dead letters delivers by its plan, then has dead letters with an alarm', () => {
  const queues = propertiesOf(template, 'AWS::SQS::Queue').filter((queue) => 'RedrivePolicy' in queue);
  const settings = queues.map((queue) =>
    [at(queue, 'RedrivePolicy', 'maxReceiveCount'), queue['VisibilityTimeout'], queue['MessageRetentionPeriod']].join(),
  );
  const plans = [WAKE_PLAN, WAKE_PLAN, WAKE_PLAN, WAKE_PLAN, EVENT_PLAN];
  const planned = plans.map(({ deliveries, visibilityTimeoutMs, retentionMs }) =>
    [deliveries, visibilityTimeoutMs / SECOND_MS, retentionMs / SECOND_MS].join(),
  );
  expect(settings.toSorted(compareText)).toEqual(planned.toSorted(compareText));
  // Wakes share their dead letters. Those of interruptions are sent again, so they have their own.
  template.resourceCountIs('AWS::SQS::Queue', 7);
  template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { Namespace: 'AWS/SQS' }, 2);
});

test('a function has the time limit of the plan of its queue', () => {
  const timeouts = propertiesOf(template, 'AWS::Lambda::Function')
    .filter((one) => at(one, 'Environment', 'Variables', 'OWN_QUEUE_URL') !== undefined)
    .map((one) => [String(at(one, 'Description')), Number(at(one, 'Timeout')) * SECOND_MS]);
  expect(Object.fromEntries(timeouts)).toMatchObject({
    'Kerf lifecycle': WAKE_PLAN.functionTimeoutMs,
    'Kerf interruption': EVENT_PLAN.functionTimeoutMs,
  });
});

test('a wake queue collects for a second, and no queue has a maximum concurrency, with which it is polled more often', () => {
  const mappings = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  // CloudFormation removes the setting of an earlier version only for an empty value.
  expect(mappings.map(({ ScalingConfig }) => ScalingConfig)).toEqual(
    Array.from({ length: 5 }, () => ({ MaximumConcurrency: { Ref: 'AWS::NoValue' } })),
  );
  const batches = mappings.map((one) => [
    one['BatchSize'],
    one['MaximumBatchingWindowInSeconds'],
    one['FunctionResponseTypes'],
  ]);
  const [wakes, events] = [
    [1_000, 1, ['ReportBatchItemFailures']],
    [10, 0, ['ReportBatchItemFailures']],
  ];
  expect(batches.filter(([size]) => size !== 10)).toEqual(Array.from({ length: 4 }, () => wakes));
  expect(batches.filter(([size]) => size === 10)).toEqual([events]);
});

test('a function may wake itself as often as it has to wait', () => {
  const woken = propertiesOf(template, 'AWS::Lambda::Function').filter(({ Description }) =>
    /^Kerf (provisioning|lifecycle|disruption|termination)$/.test(String(Description)),
  );
  expect(woken.map(({ RecursiveLoop }) => RecursiveLoop)).toEqual(['Allow', 'Allow', 'Allow', 'Allow']);
});

test('the five kinds of news of an instance reach one queue', () => {
  const rules = template.findResources('AWS::Events::Rule', {
    Properties: { EventPattern: Match.anyValue(), EventBusName: Match.absent() },
  });
  expect(Object.keys(rules)).toHaveLength(5);
});

test('a queue admits exactly the rules that send to it, in one statement', () => {
  const rules = Object.entries(template.findResources('AWS::Events::Rule'));
  const policies = propertiesOf(template, 'AWS::SQS::QueuePolicy');
  expect(policies).toHaveLength(7);
  const admitted = policies.flatMap((policy) => {
    const allowing = listAt(policy, 'PolicyDocument', 'Statement').filter((each) => at(each, 'Effect') === 'Allow');
    expect(allowing.length).toBeLessThanOrEqual(1);
    return allowing;
  });
  // A statement needs at least one rule: the grammar of policies has no empty list of values.
  expect(admitted).toHaveLength(1);
  for (const statement of admitted) {
    const queue = JSON.stringify(at(statement, 'Resource'));
    const sending = rules.filter(([, rule]) =>
      listAt(rule, 'Properties', 'Targets').some((target) => JSON.stringify(at(target, 'Arn')) === queue),
    );
    const arns = sending.map(([id]) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const sources = at(statement, 'Condition', 'ArnEquals', 'aws:SourceArn');
    expect(new Set([sources].flat().map((arn) => JSON.stringify(arn)))).toEqual(
      new Set(arns.map((arn) => JSON.stringify(arn))),
    );
  }
});

test('the webhook secret is a reference, never a value, and no output holds it', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Kerf webhook',
    Environment: {
      Variables: {
        WEBHOOK_SECRET: { 'Fn::GetAtt': [Match.stringLikeRegexp('^WebhookRandomSecret'), 'Secret'] },
      },
    },
  });
  expect(JSON.stringify(template.findOutputs('*'))).not.toContain('RandomSecret');
});

/** The reference to the secret, by function. */
function secretsOf(from: Template): Readonly<Record<string, string>> {
  return Object.fromEntries(
    propertiesOf(from, 'AWS::Lambda::Function')
      .map((each) => [textAt(each, 'Description'), at(each, 'Environment', 'Variables', 'WEBHOOK_SECRET')] as const)
      .filter(([, secret]) => secret !== undefined)
      .map(([name, secret]) => [name, JSON.stringify(secret)]),
  );
}

test('lifecycle, which restores the webhook in clusters, has the same URL and secret', () => {
  const secrets = secretsOf(template);
  expect(secrets).toHaveProperty(['Kerf lifecycle']);
  expect(new Set(Object.values(secrets)).size).toBe(1);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Kerf lifecycle',
    Environment: {
      Variables: { WEBHOOK_URL: { 'Fn::GetAtt': ['WebhookFunctionFunctionUrlEC8AE923', 'FunctionUrl'] } },
    },
  });
});

test('a new rotation creates a new secret for all its users; the same rotation keeps it', () => {
  const secretAfter = (webhookSecretRotation: string): Readonly<Record<string, string>> => {
    const rotated = synthesize([{ name: 'blue' }], { webhookSecretRotation });
    rotated.resourceCountIs('Custom::KerfWebhookSecret', 1);
    return secretsOf(rotated);
  };
  const first = secretAfter('2026-11-21');
  expect(secretAfter('2026-11-21')).toEqual(first);
  const all = [secretsOf(template), first, secretAfter('2026-11-22')];
  for (const name of Object.keys(first)) expect(new Set(all.map((each) => each[name])).size).toBe(3);
});

test('the functions get every cluster with its settings', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Kerf lifecycle',
    Environment: { Variables: { CLUSTERS: '{"blue":{},"green":{"endpoint":"https://green.test","zonalShift":true}}' } },
  });
});

function statements(): readonly unknown[] {
  // CDK moves statements into managed policies where they do not fit into the policy of a role.
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']
    .flatMap((type) => propertiesOf(template, type))
    .flatMap((policy) => listAt(policy, 'PolicyDocument', 'Statement'));
}

function actionsOf(statement: unknown): readonly string[] {
  const action = at(statement, 'Action');
  return typeof action === 'string' ? [action] : listAt(statement, 'Action').map(String);
}

describe('permissions', () => {
  test('no action is a wildcard', () => {
    expect(
      statements()
        .flatMap(actionsOf)
        .filter((action) => action.includes('*')),
    ).toEqual([]);
  });

  test('on every resource there is nothing but reading', () => {
    const everywhere = statements().filter((statement) => at(statement, 'Resource') === '*');
    const reads = everywhere.flatMap(actionsOf).filter((action) => !action.startsWith('ec2:Describe'));
    expect(new Set(reads)).toEqual(
      new Set(['pricing:GetProducts', 'arc-zonal-shift:GetManagedResource', 'eks:ListClusters']),
    );
  });

  test.each(['ec2:TerminateInstances', 'ec2:DeleteLaunchTemplate', 'ec2:CreateTags'])(
    'A3.30: %s changes only what has the tags of a cluster of ours and of a NodePool (promise 4)',
    (action) => {
      const changing = statements().filter((statement) => actionsOf(statement).includes(action));
      const existing = changing.filter((one) => at(one, 'Condition', 'StringEquals', 'ec2:CreateAction') === undefined);
      const conditions = existing.map((statement) => recordAt(statement, 'Condition'));
      expect(new Set(conditions.map(({ StringEquals }) => JSON.stringify(StringEquals)))).toEqual(
        new Set(
          ['blue', 'green'].map((name) =>
            JSON.stringify({
              [`aws:ResourceTag/kubernetes.io/cluster/${name}`]: 'owned',
              'aws:ResourceTag/eks:eks-cluster-name': name,
            }),
          ),
        ),
      );
      for (const { StringLike } of conditions)
        expect(StringLike).toEqual({ 'aws:ResourceTag/karpenter.sh/nodepool': '*' });
    },
  );

  test('an instance that runs is given its names and no other tag (C84, C86)', () => {
    const tagging = statements().filter((statement) => actionsOf(statement).includes('ec2:CreateTags'));
    const naming = tagging.filter(
      (statement) => at(statement, 'Condition', 'StringEquals', 'ec2:CreateAction') === undefined,
    );
    expect(naming.map((statement) => at(statement, 'Condition', 'ForAllValues:StringEquals'))).toEqual(
      Array.from({ length: 2 }, () => ({ 'aws:TagKeys': ['Name', 'karpenter.sh/nodeclaim'] })),
    );
  });

  test('C67: an instance profile is touched only at the path and with the tag of a cluster of ours (promise 4)', () => {
    const touching = statements().filter((statement) =>
      actionsOf(statement).some((action) => /^iam:(Create|Tag|Untag|Add|Remove|Delete).*InstanceProfile$/.test(action)),
    );
    expect(touching.map((statement) => at(statement, 'Condition'))).toEqual(
      ['RequestTag', 'ResourceTag'].map((tag) => ({
        StringEquals: { [`aws:${tag}/eks:eks-cluster-name`]: ['blue', 'green'] },
      })),
    );
    for (const statement of touching) {
      const resources = listAt(statement, 'Resource').map((resource) => JSON.stringify(resource));
      expect(resources.map((resource) => /instance-profile.karpenter.*(blue|green).\*/.exec(resource)?.[1])).toEqual([
        'blue',
        'green',
      ]);
    }
  });

  test('C64: of the parameters that AWS has not published, only those that are tagged for a cluster are read', () => {
    const reading = statements().filter((statement) => actionsOf(statement).includes('ssm:GetParameters'));
    const own = reading.filter((statement) => !JSON.stringify(statement).includes('::parameter/aws/service/*'));
    expect(own.length).toBeGreaterThan(0);
    for (const statement of own) {
      expect(at(statement, 'Condition')).toEqual({
        StringEquals: { 'aws:ResourceTag/karpenter.sh/discovery': ['blue', 'green'] },
      });
    }
  });

  test('zonal shifts are read for any resource, because ARC has no resource type for EKS clusters (C36)', () => {
    const reading = statements().filter((statement) =>
      actionsOf(statement).includes('arc-zonal-shift:GetManagedResource'),
    );
    expect(reading.length).toBeGreaterThan(0);
    for (const statement of reading) expect(at(statement, 'Resource')).toBe('*');
  });

  test('only the role of its own nodes is handed to an instance', () => {
    const passing = statements().filter((statement) => actionsOf(statement).includes('iam:PassRole'));
    expect(JSON.stringify(passing)).toContain('KarpenterNodeRole-blue');
    expect(passing).toHaveLength(1);
  });

  test('the roles of EC2 itself for spot and fleets are made on the first launch, and no other', () => {
    const making = statements().filter((statement) => actionsOf(statement).includes('iam:CreateServiceLinkedRole'));
    expect(making).toHaveLength(1);
    for (const statement of making) {
      expect(at(statement, 'Condition')).toEqual({
        StringEquals: { 'iam:AWSServiceName': ['ec2fleet.amazonaws.com', 'spot.amazonaws.com'] },
      });
      expect(JSON.stringify(at(statement, 'Resource'))).toMatch(
        /role\/aws-service-role\/ec2fleet\.amazonaws\.com\/AWSServiceRoleForEC2Fleet.*AWSServiceRoleForEC2Spot"/,
      );
    }
  });
});

function alarmActionsOf(from: Template): readonly unknown[] {
  return propertiesOf(from, 'AWS::CloudWatch::Alarm').map((alarm) => alarm['AlarmActions']);
}

test('every alarm notifies the topic of the configuration, and has no action without one', () => {
  const alarmTopicArn = 'arn:aws:sns:eu-west-3:123456789012:on-call';
  const notifying = alarmActionsOf(synthesize([{ name: 'blue' }], { alarmTopicArn }));
  expect(notifying.length).toBeGreaterThan(0);
  expect(new Set(notifying.map((actions) => JSON.stringify(actions)))).toEqual(
    new Set([JSON.stringify([alarmTopicArn])]),
  );
  expect(new Set(alarmActionsOf(template))).toEqual(new Set([undefined]));
});

test('the table cannot be deleted by mistake', () => {
  template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    Replicas: [Match.objectLike({ DeletionProtectionEnabled: true })],
  });
});
