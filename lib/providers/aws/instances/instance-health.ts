import { DescribeInstanceStatusCommand, type EC2Client, type Filter, type InstanceStatus } from '@aws-sdk/client-ec2';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { InstanceHealth } from '../../../core/node-claim/instance-health.ts';
import { allPages } from '../client/pages.ts';

/** C82: the events that end an instance or interrupt its work. */
const EVENT_CODES = ['instance-reboot', 'instance-retirement', 'instance-stop', 'system-maintenance', 'system-reboot'];

/**
 * This call supports neither alternatives nor tags, so there are three calls for all instances of the account. Their results
 * are empty while all instances are healthy.
 */
const QUESTIONS: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  { Name: 'event.code', Values: EVENT_CODES },
];

/** *Shape:* the account's running instances with a problem, without duplicates, by id. *Cost:* three calls. */
export async function describeInstanceHealth(client: EC2Client): Promise<readonly InstanceHealth[]> {
  const answers = await Promise.all(QUESTIONS.map(async (filter) => describe(client, filter)));
  const byId = new Map(answers.flat().map((status) => [status.InstanceId, status]));
  return [...byId.values()].flatMap(healthOf).toSorted((a, b) => compareText(a.id, b.id));
}

async function describe(client: EC2Client, filter: Filter): Promise<readonly InstanceStatus[]> {
  return allPages('describe the status of instances', async (token) => {
    const { InstanceStatuses, NextToken } = await client.send(
      new DescribeInstanceStatusCommand({
        Filters: [filter],
        MaxResults: 1_000,
        ...optional({ NextToken: token }),
      }),
    );
    return { items: InstanceStatuses, next: NextToken };
  });
}

/** The status of attached EBS volumes is ignored (C82). */
function healthOf({ InstanceId: id, InstanceStatus, SystemStatus, Events = [] }: InstanceStatus): InstanceHealth[] {
  if (id === undefined) return [];
  const instance = impairedSince(InstanceStatus);
  const system = impairedSince(SystemStatus);
  return [
    {
      id,
      ...optional({ instanceImpairedSinceMs: instance, systemImpairedSinceMs: system }),
      events: Events.map(({ Code = '', Description = '' }) => ({ code: Code, description: Description })),
    },
  ];
}

function impairedSince(status: InstanceStatus['InstanceStatus']): number | undefined {
  if (status?.Status !== 'impaired') return undefined;
  const since = (status.Details ?? []).flatMap(({ ImpairedSince }) => ImpairedSince?.getTime() ?? []);
  return since.length === 0 ? undefined : Math.min(...since);
}
