import { DescribeInstanceStatusCommand, type EC2Client, type Filter, type InstanceStatus } from '@aws-sdk/client-ec2';
import { compareText } from '../../core/compare-text.ts';
import type { InstanceHealth } from '../../core/node-claim/instance-health.ts';
import { allPages } from './pages.ts';

/** C82: whatever ends an instance, or its work. */
const EVENT_CODES = ['instance-reboot', 'instance-retirement', 'instance-stop', 'system-maintenance', 'system-reboot'];

/**
 * EC2 cannot say "or" nor go by tags here, so these are three questions about all instances of the account; the answer to
 * each is empty while nothing is wrong, whatever the size of the fleet.
 */
const QUESTIONS: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  { Name: 'event.code', Values: EVENT_CODES },
];

/** *Shape:* those of the account's running instances that have something wrong, each once, by id. *Cost:* three calls. */
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
        ...(token === undefined ? {} : { NextToken: token }),
      }),
    );
    return { items: InstanceStatuses, next: NextToken };
  });
}

/** The status of attached EBS volumes is not ours to judge (C82). */
function healthOf({ InstanceId: id, InstanceStatus, SystemStatus, Events = [] }: InstanceStatus): InstanceHealth[] {
  if (id === undefined) return [];
  const instance = impairedSince(InstanceStatus);
  const system = impairedSince(SystemStatus);
  return [
    {
      id,
      ...(instance === undefined ? {} : { instanceImpairedSinceMs: instance }),
      ...(system === undefined ? {} : { systemImpairedSinceMs: system }),
      events: Events.map(({ Code = '', Description = '' }) => ({ code: Code, description: Description })),
    },
  ];
}

function impairedSince(status: InstanceStatus['InstanceStatus']): number | undefined {
  if (status?.Status !== 'impaired') return undefined;
  const since = (status.Details ?? []).flatMap(({ ImpairedSince }) => ImpairedSince?.getTime() ?? []);
  return since.length === 0 ? undefined : Math.min(...since);
}
