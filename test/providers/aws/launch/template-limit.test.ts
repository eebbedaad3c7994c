import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { launch } from '../../../../lib/providers/aws/launch/launch.ts';
import { LaunchTemplates } from '../../../../lib/providers/aws/launch/launch-template.ts';
import { OldLaunchTemplates } from '../../../../lib/providers/aws/launch/our-launch-templates.ts';
import { aTemplate } from '../../../builders/launch-templates.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { aLaunchOfTwoTypes } from '../../../contract/records.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const clock = { now: () => nowMs };
let nowMs: number;
/** The launch templates of the region, by name, with their times of creation. */
let region: Map<string, number>;

/** The templates of EC2, of which it accepts this many. */
function limitTo(most: number): void {
  ec2.on(CreateLaunchTemplateCommand).callsFake(({ LaunchTemplateName: name }: { LaunchTemplateName: string }) => {
    if (region.has(name)) throw awsError('InvalidLaunchTemplateName.AlreadyExistsException', 400);
    if (region.size >= most) throw awsError('MaxTemplateLimitExceeded', 400);
    region.set(name, nowMs);
    return {};
  });
}

beforeEach(() => {
  nowMs = NOW_MS;
  region = new Map();
  ec2.reset();
  limitTo(5_000);
  ec2.on(DescribeLaunchTemplatesCommand).callsFake(() => ({
    LaunchTemplates: [...region].map(([name, atMs]) => ({
      LaunchTemplateName: name,
      LaunchTemplateId: name,
      CreateTime: new Date(atMs),
      Tags: [{ Key: 'eks:eks-cluster-name', Value: 'demo' }],
    })),
  }));
  ec2.on(DeleteLaunchTemplateCommand).callsFake(({ LaunchTemplateId: id }: { LaunchTemplateId: string }) => {
    region.delete(id);
    return {};
  });
  ec2.on(CreateFleetCommand).callsFake(({ LaunchTemplateConfigs: [config] = [] }: CreateFleetCommandInput) => {
    if (!region.has(config?.LaunchTemplateSpecification?.LaunchTemplateName ?? ''))
      throw awsError('InvalidLaunchTemplateName.NotFoundException', 400);
    return { Instances: [{ InstanceIds: ['i-1'], InstanceType: 'm6g.large', AvailabilityZone: 'us-east-1b' }] };
  });
});

/** A process of lifecycle, which launches with a template for each user data. */
function aProcess() {
  const tools = { client, templates: new LaunchTemplates(client, clock) };
  const old = new OldLaunchTemplates(tools, clock);
  const makeRoom = async (cluster: string) => old.makeRoom(cluster);
  return {
    old,
    launchWith: async (userData: string) =>
      launch({ ...tools, makeRoom }, aLaunchOfTwoTypes({ templates: [{ ...aTemplate(), userData }] })),
  };
}

const deleted = () => ec2.commandCalls(DeleteLaunchTemplateCommand).map(({ args }) => args[0].input.LaunchTemplateId);

describe('a region that accepts no more launch templates (C57)', () => {
  beforeEach(() => {
    limitTo(30);
  });

  /** Templates that were created this long ago, the oldest first. */
  function createAged(count: number, ageMs: number): readonly string[] {
    const names = Array.from({ length: count }, (_, index) => `kerf-old-${region.size + index}`);
    for (const [index, name] of names.entries()) region.set(name, nowMs - ageMs + index);
    return names;
  }

  test('the oldest twenty are deleted at once, and the launch succeeds', async () => {
    const names = createAged(30, 2 * HOUR_MS);
    expect(await aProcess().launchWith('a')).toMatchObject({ kind: 'launched' });
    expect(deleted()).toEqual(names.slice(0, 20));
  });

  test('templates that launches of the last hour use or have created are kept', async () => {
    const { launchWith } = aProcess();
    await launchWith('a');
    const [used = ''] = region.keys();
    region.set(used, nowMs - DAY_MS);
    const names = createAged(28, 2 * HOUR_MS);
    region.set('kerf-new', nowMs - MINUTE_MS);
    await launchWith('b');
    expect(deleted()).toEqual(names.slice(0, 20));
    limitTo(region.size);
    nowMs += MINUTE_MS;
    await launchWith('c');
    expect(deleted()).toEqual(names);
  });

  test('launches at the same time share one list, and others wait for a minute', async () => {
    createAged(30, 2 * HOUR_MS);
    const { launchWith } = aProcess();
    const some = ['a', 'b', 'c'];
    for (const one of await Promise.all(some.map(launchWith))) expect(one).toMatchObject({ kind: 'launched' });
    limitTo(region.size);
    expect(await launchWith('d')).toMatchObject({ kind: 'rejected' });
    expect(ec2.commandCalls(DescribeLaunchTemplatesCommand)).toHaveLength(1);
    nowMs += MINUTE_MS;
    expect(await launchWith('d')).toMatchObject({ kind: 'launched' });
  });

  test('if none can be deleted, the launch is rejected with the limit', async () => {
    createAged(30, 2 * HOUR_MS);
    ec2.on(DeleteLaunchTemplateCommand).rejects(awsError('UnauthorizedOperation', 403));
    const outcome = await aProcess().launchWith('a');
    expect(outcome).toMatchObject({ kind: 'rejected', message: expect.stringContaining('MaxTemplateLimitExceeded') });
  });
});

describe('requests for launch templates (C57)', () => {
  /**
   * Runs each minute, and launches each hour. Another process makes the launches, so the one that deletes templates does not know which
   * are used.
   */
  async function play(hours: number, launchesOf: (hour: number) => readonly string[]): Promise<void> {
    for (let hour = 0; hour < hours; hour += 1) {
      for (const userData of launchesOf(hour)) await launcher.launchWith(userData);
      for (let minute = 0; minute < 60; minute += 1) {
        nowMs += MINUTE_MS;
        await sweeper.old.remove('demo');
      }
    }
  }

  let sweeper: ReturnType<typeof aProcess>;
  let launcher: ReturnType<typeof aProcess>;
  beforeEach(() => {
    sweeper = aProcess();
    launcher = aProcess();
  });

  test.each([5, 200])(
    'a day with %i templates in use needs a list each hour, and creates each template once',
    async (count) => {
      const inUse = Array.from({ length: count }, (_, index) => `${index}`);
      await play(24, () => inUse);
      ec2.resetHistory();
      await play(24, () => inUse);
      expect({
        lists: ec2.commandCalls(DescribeLaunchTemplatesCommand).length,
        deletions: deleted().length,
        creations: ec2.commandCalls(CreateLaunchTemplateCommand).length,
        sentTwice: ec2.commandCalls(CreateFleetCommand).length - 24 * count,
      }).toEqual({ lists: 24, deletions: count, creations: count, sentTwice: count });
    },
  );

  test('eight launches an hour, each with its own template, never leave more than the templates of 25 hours', async () => {
    let most = 0;
    await play(7 * 24, (hour) => {
      most = Math.max(most, region.size);
      return Array.from({ length: 8 }, (_, index) => `${hour}/${index}`);
    });
    expect(most).toBeLessThanOrEqual(25 * 8);
  });
});
