import type { Catalogue, InstanceTypeFacts, RegionalOffering } from '../../lib/core/instance-type/facts.ts';

/** The facts of an m5.large. */
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

/** An m5.large in eu-west-3a with both prices. */
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

/** A catalogue of eu-west-3. By default each type has one offering. */
export function catalogueOf(facts: readonly InstanceTypeFacts[], offerings?: readonly RegionalOffering[]): Catalogue {
  return {
    region: 'eu-west-3',
    asOf: '2026-07-01T00:00:00Z',
    facts,
    offerings: offerings ?? facts.map(({ name }) => regionalOf({ type: name })),
  };
}
