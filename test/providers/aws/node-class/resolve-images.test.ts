import { DescribeImagesCommand } from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import { readAlias } from '../../../../lib/core/node-class/images/ami-alias.ts';
import { HOUR, MINUTE } from '../../../builders/times.ts';
import { image, problemsOf, resolvedOf, scriptedAccount } from '../resolving.ts';

const AT = '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023';

const RELEASE = { amiSelectorTerms: [{ alias: 'al2023@v20260110' }] };
const OF_RELEASE = readAlias('al2023@v20260110', '1.33');
const RELEASE_NAMES = OF_RELEASE.kind === 'parameters' ? OF_RELEASE.parameters.map(({ name }) => name) : [];

let account: ReturnType<typeof scriptedAccount>;

beforeEach(() => {
  account = scriptedAccount();
});

describe('C64: an alias', () => {
  test('is the images whose ids its parameters hold, each for the types that AWS makes it for', async () => {
    account.parameters.set(`${AT}/x86_64/nvidia/recommended/image_id`, 'ami-nvidia');
    account.parameters.set(`${AT}/arm64/standard/recommended/image_id`, 'ami-arm');
    account.ec2.on(DescribeImagesCommand).resolves({
      Images: [image('ami-x'), image('ami-nvidia'), image('ami-arm', { Architecture: 'arm64' })],
    });
    const { images } = resolvedOf(await account.resolve());
    expect(
      images.map(({ id, requirements }) => [id, requirements.map(({ key, operator }) => `${key} ${operator}`)]),
    ).toEqual([
      [
        'ami-arm',
        [
          'kubernetes.io/arch In',
          'karpenter.k8s.aws/instance-gpu-count DoesNotExist',
          'karpenter.k8s.aws/instance-accelerator-count DoesNotExist',
        ],
      ],
      ['ami-nvidia', ['kubernetes.io/arch In', 'karpenter.k8s.aws/instance-gpu-count Exists']],
      [
        'ami-x',
        [
          'kubernetes.io/arch In',
          'karpenter.k8s.aws/instance-gpu-count DoesNotExist',
          'karpenter.k8s.aws/instance-accelerator-count DoesNotExist',
        ],
      ],
    ]);
    expect(account.parametersRead).toEqual([expect.arrayContaining([`${AT}/x86_64/neuron/recommended/image_id`])]);
    const [search] = account.ec2.commandCalls(DescribeImagesCommand).map((call) => call.args[0].input);
    expect(search).toMatchObject({ IncludeDeprecated: true });
    expect(search?.Owners).toBeUndefined();
    expect(search?.Filters?.[0]).toEqual({ Name: 'image-id', Values: ['ami-arm', 'ami-nvidia', 'ami-x'] });
  });

  test('C63: of a release reads that release’s parameters, once a day if all are published', async () => {
    for (const name of RELEASE_NAMES) account.parameters.set(name, 'ami-x');
    expect(resolvedOf(await account.resolve(RELEASE)).images[0]?.id).toBe('ami-x');
    account.clock.nowMs += 23 * HOUR;
    await account.resolve(RELEASE);
    expect(account.parametersRead).toEqual([RELEASE_NAMES]);
    expect(account.ec2.commandCalls(DescribeImagesCommand)).toHaveLength(2);
  });

  test('C63: of a release that is published in parts has all images five minutes later', async () => {
    const [standard = '', other = ''] = RELEASE_NAMES;
    account.parameters.set(standard, 'ami-x');
    account.ec2.on(DescribeImagesCommand).resolvesOnce({ Images: [image('ami-x')] });
    expect(resolvedOf(await account.resolve(RELEASE)).images).toHaveLength(1);
    account.parameters.set(other, 'ami-other');
    account.ec2.on(DescribeImagesCommand).resolves({ Images: [image('ami-x'), image('ami-other')] });
    account.clock.nowMs += 5 * MINUTE - 1;
    expect(resolvedOf(await account.resolve(RELEASE)).images).toHaveLength(1);
    account.clock.nowMs += 1;
    expect(resolvedOf(await account.resolve(RELEASE)).images).toHaveLength(2);
  });

  test('C63: of a release without an image for each kind of type costs a read in five minutes', async () => {
    account.parameters.set(RELEASE_NAMES[0] ?? '', 'ami-x');
    for (let minute = 0; minute < 60; minute += 1) {
      await account.resolve(RELEASE);
      account.clock.nowMs += MINUTE;
    }
    expect(account.parametersRead).toHaveLength(12);
  });

  test('C63: whose images EC2 lists in part has the others a minute later', async () => {
    account.parameters.set(`${AT}/x86_64/nvidia/recommended/image_id`, 'ami-nvidia');
    account.ec2
      .on(DescribeImagesCommand)
      .resolvesOnce({ Images: [image('ami-x')] })
      .resolves({ Images: [image('ami-x'), image('ami-nvidia')] });
    expect(resolvedOf(await account.resolve()).images).toHaveLength(1);
    account.clock.nowMs += MINUTE - 1;
    expect(resolvedOf(await account.resolve()).images).toHaveLength(1);
    account.clock.nowMs += 1;
    expect(resolvedOf(await account.resolve()).images).toHaveLength(2);
  });

  test('C63: whose image is gone is read again', async () => {
    account.ec2
      .on(DescribeImagesCommand)
      .resolvesOnce({ Images: [] })
      .resolves({ Images: [image('ami-x')] });
    expect(problemsOf(await account.resolve())).toEqual(['AMINotFound']);
    expect((await account.resolve()).kind).toBe('resolved');
    expect(account.parametersRead).toHaveLength(2);
  });

  test('that AWS has not published for this version finds no image, and the message has the version', async () => {
    account.parameters.clear();
    const resolution = await account.resolve();
    expect(resolution).toMatchObject({ reason: 'AMINotFound', message: expect.stringMatching(/al2023@latest.*1\.33/) });
  });

  test('C65: that AWS no longer publishes for this version is reported as unsupported', async () => {
    const resolution = await account.resolve({ amiSelectorTerms: [{ alias: 'al2@latest' }] });
    expect(resolution).toMatchObject({
      reason: 'UnsupportedKubernetesVersion',
      message: expect.stringContaining('1.33'),
    });
    expect(account.parametersRead).toEqual([]);
  });
});

describe('C62: an SSM parameter', () => {
  const spec = { amiFamily: 'AL2023' as const, amiSelectorTerms: [{ ssmParameter: '/golden/ami' }] };

  test('holds the id of an image, which serves every type of its architecture', async () => {
    account.parameters.set('/golden/ami', 'ami-x');
    expect(resolvedOf(await account.resolve(spec)).images).toEqual([
      {
        id: 'ami-x',
        name: 'ami-x',
        deprecated: false,
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      },
    ]);
  });

  test('with another content finds nothing, and the content is not in the message', async () => {
    account.parameters.set('/golden/ami', 'hunter2');
    const resolution = await account.resolve(spec);
    expect(problemsOf(resolution)).toEqual(['AMINotFound']);
    expect(JSON.stringify(resolution)).toContain('/golden/ami');
    expect(JSON.stringify(resolution)).not.toContain('hunter2');
  });
});

describe('C62: names, ids, tags and owners', () => {
  test('a name is looked for among our own and Amazon’s, an id or tag anywhere, an owner decides', async () => {
    const terms = [{ name: 'own-*' }, { id: 'ami-1' }, { tags: { env: 'prod' }, owner: '123456789012' }];
    await account.resolve({ amiFamily: 'Custom', amiSelectorTerms: terms });
    const owners = account.ec2.commandCalls(DescribeImagesCommand).map((call) => call.args[0].input.Owners);
    expect(owners).toEqual([['self', 'amazon'], undefined, ['123456789012']]);
  });

  test('an owner alone finds nothing, rather than all that he has', async () => {
    const resolution = await account.resolve({ amiFamily: 'Custom', amiSelectorTerms: [{ owner: 'amazon' }] });
    expect(problemsOf(resolution)).toEqual(['AMINotFound']);
    expect(account.ec2.commandCalls(DescribeImagesCommand)).toHaveLength(0);
  });

  test('the newest in force is taken for each architecture, whichever term found it', async () => {
    account.ec2.on(DescribeImagesCommand).resolves({
      Images: [
        image('ami-old'),
        image('ami-new', { CreationDate: '2026-01-20T00:00:00.000Z' }),
        image('ami-gone', { CreationDate: '2026-01-25T00:00:00.000Z', DeprecationTime: '2026-01-30T00:00:00.000Z' }),
        image('ami-arm', { Architecture: 'arm64' }),
      ],
    });
    const { images } = resolvedOf(
      await account.resolve({ amiFamily: 'AL2023', amiSelectorTerms: [{ name: 'own-*' }, { id: 'ami-1' }] }),
    );
    expect(images.map(({ id }) => id)).toEqual(['ami-new', 'ami-arm']);
  });

  test('an image becomes deprecated when its time comes, also one that is kept', async () => {
    account.ec2
      .on(DescribeImagesCommand)
      .resolves({ Images: [image('ami-x', { DeprecationTime: '2026-01-31T08:01:00.000Z' })] });
    const spec = { amiFamily: 'AL2023' as const, amiSelectorTerms: [{ id: 'ami-x' }] };
    expect(resolvedOf(await account.resolve(spec)).images[0]?.deprecated).toBe(false);
    account.clock.nowMs += 60_000;
    expect(resolvedOf(await account.resolve(spec)).images[0]?.deprecated).toBe(true);
  });
});
