import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { whyNotBootable } from '../../../lib/core/instance-type/compatibility.ts';
import type { InstanceTypeFacts } from '../../../lib/core/instance-type/facts.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import { catalogueOf, factsOf } from '../../builders/catalogue-facts.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

type Spec = Partial<EC2NodeClass['spec']>;
type Facts = Partial<InstanceTypeFacts>;

const GROUP = { id: 'pg-1', name: 'tight', strategy: 'cluster' } as const;

function on(networkCardIndex: number, deviceIndex: number, interfaceType: 'interface' | 'efa-only' = 'interface') {
  return { networkCardIndex, deviceIndex, interfaceType };
}

const twoCards: Facts = {
  efaInterfaces: 1,
  networkCards: [
    { interfaces: 2, efa: false },
    { interfaces: 1, efa: true },
  ],
};
const bothEfa: Facts = {
  efaInterfaces: 1,
  networkCards: [
    { interfaces: 8, efa: true },
    { interfaces: 7, efa: true },
  ],
};

describe('C27: a type cannot be launched as its NodeClass says', () => {
  test.each<{ rule: string; facts: Facts; spec: Spec; why: object }>([
    {
      rule: 'where the image is AL2023 and the type a first Graviton',
      facts: { name: 'a1.large', architecture: 'arm64' },
      spec: {},
      why: { reason: 'AmiFamily' },
    },
    {
      rule: 'where the image is Windows and the type Arm',
      facts: { architecture: 'arm64' },
      spec: { amiFamily: 'Windows2022' },
      why: { reason: 'AmiFamily', message: 'Windows2022 requires amd64, and the instance type is arm64' },
    },
    {
      rule: 'where an interface is declared on a card that it lacks (A3.12)',
      facts: {},
      spec: { networkInterfaces: [on(0, 0), on(1, 1)] },
      why: { reason: 'NetworkInterfaces', numbers: { card: 1, cards: 1 } },
    },
    {
      rule: 'where a card is to hold more than it takes (A3.12)',
      facts: twoCards,
      spec: { networkInterfaces: [on(0, 0), on(1, 0), on(1, 1, 'efa-only')] },
      why: { reason: 'NetworkInterfaces', numbers: { declared: 2, most: 1 } },
    },
    {
      rule: 'where EFA is declared on a card without it (A3.12)',
      facts: twoCards,
      spec: { networkInterfaces: [on(0, 0), on(0, 1, 'efa-only')] },
      why: { reason: 'Efa', numbers: { card: 0 } },
    },
    {
      rule: 'where EFA is declared more often than the type has it (A3.12)',
      facts: bothEfa,
      spec: { networkInterfaces: [on(0, 0), on(0, 1, 'efa-only'), on(1, 1, 'efa-only')] },
      why: { reason: 'Efa', numbers: { declared: 2, most: 1 } },
    },
    {
      rule: 'where virtual machines are to run on it and cannot (A3.25)',
      facts: {},
      spec: { cpuOptions: { nestedVirtualization: 'enabled' } },
      why: { reason: 'NestedVirtualization' },
    },
    {
      rule: 'where enclaves are to be made and cannot',
      facts: {},
      spec: { enclaveOptions: { enabled: true } },
      why: { reason: 'NitroEnclaves' },
    },
    {
      rule: 'where connections are to be tracked in another way and it is not Nitro (A3.24)',
      facts: { hypervisor: 'xen' },
      spec: { connectionTracking: { udpTimeout: 30 } },
      why: {
        reason: 'ConnectionTracking',
        message: 'connectionTracking requires the Nitro hypervisor, and the instance type uses xen',
      },
    },
  ])('$rule', ({ facts, spec, why }) => {
    expect(whyNotBootable(factsOf(facts), aNodeClass(spec))).toMatchObject(why);
    expect(instanceTypesFor(catalogueOf([factsOf(facts)]), aNodeClass(spec))).toEqual([]);
  });
  test('where its placement group is of a strategy that it does not support (C68)', () => {
    const facts = factsOf({ placementStrategies: ['partition', 'spread'] });
    expect(whyNotBootable(facts, aNodeClass(), GROUP)).toMatchObject({
      reason: 'PlacementGroup',
      message: 'placement group pg-1 has the strategy cluster, and the instance type supports partition and spread',
    });
    expect(instanceTypesFor(catalogueOf([facts]), aNodeClass(), { placementGroup: GROUP })).toEqual([]);
  });
});

describe('C27: a type can be launched', () => {
  test.each<{ rule: string; facts?: Facts; spec?: Spec }>([
    { rule: 'where nothing special is asked for' },
    { rule: 'as a first Graviton with AL2', facts: { name: 'a1.large' }, spec: { amiFamily: 'AL2' } },
    {
      rule: 'with declared interfaces that its cards take',
      facts: twoCards,
      spec: { networkInterfaces: [on(0, 0), on(0, 1), on(1, 1, 'efa-only')] },
    },
    {
      rule: 'with EFA on its one card, where it has any',
      facts: { efaInterfaces: 1 },
      spec: { networkInterfaces: [on(0, 0), on(0, 1, 'efa-only')] },
    },
    {
      rule: 'with virtual machines, where it can run them',
      facts: { nestedVirtualization: true },
      spec: { cpuOptions: { nestedVirtualization: 'enabled' } },
    },
    { rule: 'where virtual machines are declined', spec: { cpuOptions: { nestedVirtualization: 'disabled' } } },
    {
      rule: 'with enclaves, where it can make them',
      facts: { nitroEnclaves: true },
      spec: { enclaveOptions: { enabled: true } },
    },
    { rule: 'where enclaves are declined', spec: { enclaveOptions: { enabled: false } } },
    {
      rule: 'with connections tracked in another way on bare metal, which is Nitro',
      facts: { hypervisor: '', bareMetal: true },
      spec: { connectionTracking: { udpTimeout: 30 } },
    },
  ])('$rule', ({ facts, spec }) => {
    expect(whyNotBootable(factsOf(facts), aNodeClass(spec), GROUP)).toBeUndefined();
  });
});
