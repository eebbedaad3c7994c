import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import { imageFor } from '../../lib/core/model/images.ts';
import type { Instance, LaunchRequest } from '../../lib/core/model/node-claim-record.ts';
import type { CloudProvider, DescribedInstance } from '../../lib/ports/cloud-provider.ts';
import { NotOwnedError } from '../../lib/ports/errors.ts';

/** Functions that an emulator does not have. Unit tests with a scripted EC2 cover them. */
export type CloudCapability =
  | 'catalogue'
  | 'clientToken'
  | 'spot'
  | 'missingCapacity'
  | 'selectors'
  | 'instanceProfiles';

export interface CloudHarness {
  readonly cloud: CloudProvider;
  readonly cluster: string;
  /** A NodeClass that resolves. */
  readonly nodeClass: EC2NodeClass;
  /** Another role than that of the NodeClass. */
  readonly otherRole: string;
  /** A request that can be launched: at least two overrides, and a new token and claim for each call. */
  readonly request: (over?: Partial<LaunchRequest>) => LaunchRequest;
  /** The id of an instance of the account that does not belong to the cluster. */
  readonly launchForeign: () => Promise<string>;
  /** Removes the ownership tags of an instance. */
  readonly removeTags: (instanceId: string) => Promise<void>;
  /** From now on, no offering of the request has capacity. */
  readonly exhaust?: (request: LaunchRequest) => Promise<void>;
  readonly close?: () => Promise<void>;
}

/** The doc comment of `lib/ports/cloud-provider.ts`, executed; `lacks` names what the implementation does not support, with the reason. */
export function cloudProviderContract(
  name: string,
  make: () => Promise<CloudHarness>,
  lacks: Readonly<Partial<Record<CloudCapability, string>>> = {},
): void {
  describe(`CloudProvider: ${name}`, () => {
    let harness: CloudHarness;
    let cloud: CloudProvider;
    beforeEach(async () => {
      harness = await make();
      cloud = harness.cloud;
    });
    afterEach(() => harness.close?.());

    /** A skip states its reason. */
    const needs = (capability: CloudCapability, rule: string, body: () => Promise<void>): void => {
      const reason = lacks[capability];
      if (reason === undefined) test(rule, body);
      else test.skip(`${rule} (skipped: ${reason})`, body);
    };

    const launchOne = async (over: Partial<LaunchRequest> = {}): Promise<Instance> => {
      const outcome = await cloud.launch(harness.request(over));
      if (outcome.kind !== 'launched') throw new Error(`expected a launch, got: ${outcome.message}`);
      return outcome.instances[0];
    };

    const describeOne = async (cluster: string, id: string): Promise<DescribedInstance | undefined> =>
      (await cloud.describeInstances(cluster, [id]))[0];

    describe('launch', () => {
      test('an instance is launched as one of the overrides, and listed with its claim', async () => {
        const request = harness.request();
        const instance = await launchOne(request);
        const override = request.overrides.find((each) => each.instanceType === instance.instanceType);
        expect(override).toMatchObject({ zone: instance.zone, imageId: instance.imageId });
        expect(instance.priceUsdPerHour).toBe(override?.priceUsdPerHour);
        const described = await describeOne(harness.cluster, instance.id);
        expect(described).toMatchObject({
          id: instance.id,
          nodeClaim: request.nodeClaim,
          instanceType: instance.instanceType,
          zone: instance.zone,
          capacityType: 'on-demand',
        });
        expect(['pending', 'running']).toContain(described?.state);
        expect(described).toMatchObject({ nodePool: request.nodePool, nodeClass: request.nodeClass });
        expect(described?.launchedAtMs).toBeGreaterThan(0);
      });

      test('two claims get two instances', async () => {
        const first = await launchOne();
        const second = await launchOne();
        expect(second.id).not.toBe(first.id);
      });

      test('a group gets an instance for each of its claims, by id, with the name of the group until it is replaced', async () => {
        const group = `group/${randomUUID()}`;
        const members = ['general-a', 'general-b', 'general-c'];
        const outcome = await cloud.launch(harness.request({ nodeClaim: group, members }));
        if (outcome.kind !== 'launched') throw new Error(outcome.message);
        const ids = outcome.instances.map(({ id }) => id);
        expect(new Set(ids).size).toBe(3);
        expect(ids).toEqual(ids.toSorted());
        const claims = async () => (await cloud.describeInstances(harness.cluster, ids)).map((one) => one.nodeClaim);
        expect(await claims()).toEqual([group, group, group]);
        const [instanceId = ''] = ids;
        const missing = { instanceId: 'i-00000000000000000', nodeClaim: 'general-x' };
        await cloud.nameInstances(harness.cluster, [missing, { instanceId, nodeClaim: 'general-a' }]);
        expect(await claims()).toEqual(['general-a', group, group]);
        const owners = await cloud.instanceOwners(ids);
        expect(owners.map(({ cluster }) => cluster)).toEqual([harness.cluster, harness.cluster, harness.cluster]);
      });

      needs('clientToken', 'a group that is sent again gets the same instances', async () => {
        const request = harness.request({ nodeClaim: `group/${randomUUID()}`, members: ['general-a', 'general-b'] });
        const first = await cloud.launch(request);
        expect(await cloud.launch(request)).toEqual(first);
        const all = await cloud.describeInstances(harness.cluster);
        expect(all.filter(({ nodeClaim }) => nodeClaim === request.nodeClaim)).toHaveLength(2);
      });

      needs('clientToken', 'a token that was used before answers with its instance and launches nothing', async () => {
        const request = harness.request();
        const first = await cloud.launch(request);
        expect(await cloud.launch(request)).toEqual(first);
        const all = await cloud.describeInstances(harness.cluster);
        expect(all.filter(({ nodeClaim }) => nodeClaim === request.nodeClaim)).toHaveLength(1);
      });

      needs(
        'clientToken',
        'a token that was used with another request launches nothing, and is reported as spent',
        async () => {
          const request = harness.request();
          await launchOne(request);
          const other = harness.request({ clientToken: request.clientToken });
          expect((await cloud.launch(other)).kind).toBe('spent');
          const all = await cloud.describeInstances(harness.cluster);
          expect(all.filter(({ nodeClaim }) => nodeClaim === other.nodeClaim)).toEqual([]);
        },
      );

      needs('spot', 'a spot request gets a spot instance', async () => {
        const onDemand = harness.request();
        const overrides = onDemand.overrides.map((each) => ({ ...each, capacityType: 'spot' }) as const);
        const instance = await launchOne({ ...onDemand, capacityType: 'spot', overrides });
        expect(instance.capacityType).toBe('spot');
        expect((await describeOne(harness.cluster, instance.id))?.capacityType).toBe('spot');
      });

      needs('missingCapacity', 'without capacity anywhere the outcome says what was missing', async () => {
        const request = harness.request();
        await harness.exhaust?.(request);
        const outcome = await cloud.launch(request);
        expect(outcome.kind).toBe('refused');
        const missing = outcome.missing.map(({ instanceType, zone }) => `${instanceType} ${zone}`).toSorted();
        expect(missing).toEqual(request.overrides.map((each) => `${each.instanceType} ${each.zone}`).toSorted());
      });
    });

    describe('ownership', () => {
      test('a list has only the instances of the cluster, by id', async () => {
        const foreign = await harness.launchForeign();
        const own = [await launchOne(), await launchOne()].map(({ id }) => id);
        const listed = (await cloud.describeInstances(harness.cluster)).map(({ id }) => id);
        expect(listed).toEqual(expect.arrayContaining(own));
        expect(listed).not.toContain(foreign);
        expect(listed).toEqual(listed.toSorted());
        expect(await cloud.describeInstances(`other-${randomUUID()}`)).toEqual([]);
      });

      test('a list of ids marks those of others; instances that do not exist are left out', async () => {
        const foreign = await harness.launchForeign();
        const own = [await launchOne(), await launchOne()].map(({ id }) => id);
        const asked = ['i-00000000000000000', ...own, foreign, ...own];
        const listed = await cloud.describeInstances(harness.cluster, asked);
        expect(listed.map(({ id }) => id)).toEqual([...own, foreign].toSorted());
        expect(listed.filter(({ untagged }) => untagged === true).map(({ id }) => id)).toEqual([foreign]);
        expect(await cloud.describeInstances(harness.cluster, [])).toEqual([]);
      });

      test('an instance without its tags is found by its id only, and its termination fails and changes nothing', async () => {
        const { id } = await launchOne();
        await harness.removeTags(id);
        expect((await cloud.describeInstances(harness.cluster)).map((one) => one.id)).not.toContain(id);
        await expect(cloud.terminate(harness.cluster, id)).rejects.toBeInstanceOf(NotOwnedError);
        const found = await describeOne(harness.cluster, id);
        expect(found).toMatchObject({ id, untagged: true });
        expect(['pending', 'running']).toContain(found?.state);
      });

      test('the tags of an instance name its owner; a terminated instance has no owner', async () => {
        const foreign = await harness.launchForeign();
        const request = harness.request();
        const { id } = await launchOne(request);
        const gone = await launchOne();
        await cloud.terminate(harness.cluster, gone.id);
        const owners = await cloud.instanceOwners(['i-00000000000000000', foreign, id, gone.id]);
        expect(owners.filter(({ cluster }) => cluster === harness.cluster)).toEqual([
          { instanceId: id, cluster: harness.cluster, nodeClaim: request.nodeClaim },
        ]);
      });

      test('an instance of others is neither listed nor changed', async () => {
        const foreign = await harness.launchForeign();
        const { id } = await launchOne();
        await cloud.tagInstance(harness.cluster, foreign, { 'karpenter.sh/nodeclaim': 'stolen' });
        await cloud.nameInstances(harness.cluster, [{ instanceId: foreign, nodeClaim: 'stolen' }]);
        await cloud.nameInstances(`other-${randomUUID()}`, [{ instanceId: id, nodeClaim: 'stolen' }]);
        await cloud.tagInstance(`other-${randomUUID()}`, id, { 'karpenter.sh/nodeclaim': 'stolen' });
        expect((await describeOne(harness.cluster, id))?.nodeClaim).not.toBe('stolen');
        expect(await describeOne(harness.cluster, foreign)).toMatchObject({ untagged: true });
        expect(await describeOne(`other-${randomUUID()}`, id)).toMatchObject({ untagged: true });
        await expect(cloud.terminate(`other-${randomUUID()}`, id)).rejects.toBeInstanceOf(NotOwnedError);
        expect(['pending', 'running']).toContain((await describeOne(harness.cluster, id))?.state);
      });
    });

    describe('terminate', () => {
      test('an instance is terminated, and terminating it again is success, also for others', async () => {
        const { id } = await launchOne();
        await cloud.terminate(harness.cluster, id);
        const after = await describeOne(harness.cluster, id);
        expect(['shutting-down', 'terminated']).toContain(after?.state);
        await cloud.terminate(harness.cluster, id);
        await cloud.terminate(`other-${randomUUID()}`, id);
        const listed = await cloud.describeInstances(harness.cluster);
        expect(listed.filter((one) => one.id === id && one.state !== 'shutting-down')).toEqual([]);
      });

      test('many instances are terminated at once, including ones that are already terminated', async () => {
        const own = [await launchOne(), await launchOne(), await launchOne()].map(({ id }) => id);
        const ending = [...own, ...own, 'i-00000000000000000'];
        await Promise.all(ending.map(async (id) => cloud.terminate(harness.cluster, id)));
        const left = await cloud.describeInstances(harness.cluster, own);
        expect(left.filter(({ state }) => state !== 'shutting-down' && state !== 'terminated')).toEqual([]);
      });

      test('terminating an instance that never existed is success', async () => {
        const id = 'i-00000000000000000';
        await cloud.terminate(harness.cluster, id);
        await cloud.tagInstance(harness.cluster, id, { Name: 'missing' });
        expect(await describeOne(harness.cluster, id)).toBeUndefined();
      });
    });

    describe('health', () => {
      test('healthy instances are not listed', async () => {
        const { id } = await launchOne();
        expect(await cloud.describeInstanceHealth([])).toEqual([]);
        expect(await cloud.describeInstanceHealth([id])).toEqual([]);
      });
    });

    describe('NodeClass', () => {
      const withSpec = (over: Partial<EC2NodeClass['spec']>): EC2NodeClass => ({
        ...harness.nodeClass,
        spec: { ...harness.nodeClass.spec, ...over },
      });
      const nowhere = [{ tags: { 'kerf.test/nowhere': randomUUID() } }];

      test('it resolves to subnets, security groups, images, a profile and the bootstrap data of nodes', async () => {
        const resolution = await cloud.resolveNodeClass(harness.nodeClass);
        if (resolution.kind !== 'resolved') throw new Error(resolution.message);
        const { subnets, securityGroups, images, instanceProfile, bootstrap } = resolution.nodeClass;
        expect(subnets.length).toBeGreaterThan(0);
        expect(securityGroups.length).toBeGreaterThan(0);
        expect(images.length).toBeGreaterThan(0);
        expect(instanceProfile).not.toBe('');
        expect(bootstrap.clusterName).toBe(harness.cluster);
      });

      test('C65: an alias has an image for each kind of instance type, and none for two', async () => {
        const aliased = withSpec({ amiFamily: 'AL2023', amiSelectorTerms: [{ alias: 'al2023@latest' }] });
        const resolution = await cloud.resolveNodeClass(aliased);
        if (resolution.kind !== 'resolved') throw new Error(resolution.message);
        const { images } = resolution.nodeClass;
        const idFor = (architecture: 'amd64' | 'arm64', device?: string) => {
          const imageLabels = device === undefined ? {} : { [`karpenter.k8s.aws/instance-${device}-count`]: '1' };
          return imageFor({ architecture, imageLabels }, images)?.id;
        };
        const ids = [
          idFor('amd64'),
          idFor('amd64', 'gpu'),
          idFor('amd64', 'accelerator'),
          idFor('arm64'),
          idFor('arm64', 'gpu'),
        ];
        expect(ids).not.toContain(undefined);
        expect(new Set(ids).size).toBe(ids.length);
        expect(idFor('arm64', 'accelerator')).toBeUndefined();
      });

      test('A3.10: a profile of the user is used unchanged', async () => {
        const { role: _role, ...spec } = harness.nodeClass.spec;
        const own = { ...harness.nodeClass, spec: { ...spec, instanceProfile: 'own' } };
        expect(await cloud.resolveNodeClass(own)).toMatchObject({ nodeClass: { instanceProfile: 'own' } });
      });

      needs('instanceProfiles', 'C67: the profile that is made for a role is the one it launches with', async () => {
        const ensured = await cloud.ensureInstanceProfile(harness.nodeClass);
        const resolution = await cloud.resolveNodeClass(harness.nodeClass);
        if (resolution.kind !== 'resolved') throw new Error(resolution.message);
        expect(ensured).toEqual({ kind: 'ready', name: resolution.nodeClass.instanceProfile });
        expect(await cloud.ensureInstanceProfile(harness.nodeClass)).toEqual(ensured);
        await cloud.removeUnusedInstanceProfiles(harness.cluster, [harness.nodeClass]);
        expect(await cloud.ensureInstanceProfile(harness.nodeClass)).toEqual(ensured);
      });

      needs('instanceProfiles', 'C67: another role is another profile', async () => {
        const [first, second] = await Promise.all([
          cloud.ensureInstanceProfile(harness.nodeClass),
          cloud.ensureInstanceProfile(withSpec({ role: harness.otherRole })),
        ]);
        expect(second.kind).toBe('ready');
        expect(second).not.toEqual(first);
      });

      needs('instanceProfiles', 'A3.30: a class can be released, again and again', async () => {
        await cloud.ensureInstanceProfile(harness.nodeClass);
        await cloud.releaseNodeClass(harness.cluster, harness.nodeClass);
        await cloud.releaseNodeClass(harness.cluster, harness.nodeClass);
      });

      test('A3.29: with all permissions, no missing permission is reported, and the check launches nothing', async () => {
        const resolution = await cloud.resolveNodeClass(harness.nodeClass);
        if (resolution.kind !== 'resolved') throw new Error(resolution.message);
        const before = await cloud.describeInstances(harness.cluster);
        expect(await cloud.whyNotAuthorized(harness.nodeClass, resolution.nodeClass)).toBeUndefined();
        expect(await cloud.describeInstances(harness.cluster)).toEqual(before);
      });

      needs('selectors', 'each selector that selects nothing has its own reason', async () => {
        const reasonOf = async (over: Partial<EC2NodeClass['spec']>) => {
          const resolution = await cloud.resolveNodeClass(withSpec(over));
          return resolution.kind === 'resolved' ? 'resolved' : resolution.reason;
        };
        expect(await reasonOf({ subnetSelectorTerms: nowhere })).toBe('SubnetsNotFound');
        expect(await reasonOf({ securityGroupSelectorTerms: nowhere })).toBe('SecurityGroupsNotFound');
        expect(await reasonOf({ amiFamily: 'AL2023', amiSelectorTerms: nowhere })).toBe('AMINotFound');
      });

      needs('selectors', 'user data that ours cannot be joined with is unsupported, and says why', async () => {
        const over = { amiFamily: 'Bottlerocket', userData: '[settings]\nmotd = hello\n' } as const;
        const resolution = await cloud.resolveNodeClass(withSpec(over));
        expect(resolution).toMatchObject({ kind: 'unresolved', reason: 'Unsupported' });
        expect(resolution.kind === 'unresolved' && resolution.message).toContain('line 2');
      });
    });

    needs('catalogue', 'the catalogue names types with their zones, in order', async () => {
      const { facts, offerings } = await cloud.describeCatalogue();
      expect(facts.length).toBeGreaterThan(0);
      expect(offerings.length).toBeGreaterThan(0);
      const known = new Set(facts.map((each) => each.name));
      expect(offerings.filter(({ type }) => !known.has(type))).toEqual([]);
      const order = offerings.map(({ type, zone }) => `${type} ${zone}`);
      expect(order).toEqual(order.toSorted());
    });
  });
}
