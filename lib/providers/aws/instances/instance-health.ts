import { DescribeInstanceStatusCommand, type EC2Client, type Filter, type InstanceStatus } from '@aws-sdk/client-ec2';
import { MINUTE_MS } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import { lastFor } from '../../../core/kept-answers.ts';
import { type InstanceHealth, mayRecover } from '../../../core/node-claim/instance-health.ts';
import type { Clock } from '../../../ports/clock.ts';
import { AnswerCache, type Question } from '../client/kept-answers.ts';
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

/** An answer is not kept while a check may recover: the instance would be replaced when the answer is two minutes old. */
const KEPT_MS = 5 * MINUTE_MS;

const HEALTH: Question = { key: 'health', keepMs: KEPT_MS };

/** The question is about the account, so the clusters of a process share the answer. */
const answersOf = lastFor(
  (_client: EC2Client, clock: Clock) =>
    new AnswerCache<readonly InstanceHealth[]>(clock, (found) => !found.some((one) => mayRecover(one, clock.now()))),
);

/** The answer of the last five minutes, or a new one. *Shape:* as `describeInstanceHealth`. */
export function lastInstanceHealth(client: EC2Client, clock: Clock): Promise<readonly InstanceHealth[]> {
  return answersOf(client, clock).ask(HEALTH, async () => describeInstanceHealth(client));
}

/** *Shape:* the account's running instances with a problem, without duplicates, by id. *Cost:* three calls. @internal */
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
