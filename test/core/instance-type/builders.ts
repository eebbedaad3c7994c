import type { Catalogue, InstanceTypeFacts, RegionalOffering } from '../../../lib/core/instance-type/facts.ts';

/** An m5.large unless told otherwise. */
export function factsOf(partial: Partial<InstanceTypeFacts> = {}): InstanceTypeFacts {
  return {
    name: 'm5.large',
    architecture: 'amd64',
    vcpus: 2,
    memoryMib: 8192,
    hypervisor: 'nitro',
    bareMetal: false,
    usageClasses: ['on-demand', 'spot'],
    cpuManufacturer: 'intel',
    sustainedClockMhz: 3100,
    encryptionInTransit: false,
    nitroEnclaves: false,
    maxNetworkInterfaces: 3,
    ipv4PerInterface: 10,
    efaInterfaces: 0,
    gpus: [],
    neuron: [],
    accelerators: [],
    ...partial,
  };
}

/** Sold in eu-west-3a at both prices unless told otherwise. */
export function regionalOf(partial: Partial<RegionalOffering> = {}): RegionalOffering {
  return {
    type: 'm5.large',
    zone: 'eu-west-3a',
    zoneId: 'euw3-az1',
    onDemandUsdPerHour: 0.1,
    spotUsdPerHour: 0.04,
    ...partial,
  };
}

/** Every type is sold once unless offerings are given. */
export function catalogueOf(facts: readonly InstanceTypeFacts[], offerings?: readonly RegionalOffering[]): Catalogue {
  return {
    region: 'eu-west-3',
    asOf: '2026-07-01T00:00:00Z',
    facts,
    offerings: offerings ?? facts.map(({ name }) => regionalOf({ type: name })),
  };
}
