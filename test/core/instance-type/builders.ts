import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { Catalogue, InstanceTypeFacts, RegionalOffering } from '../../../lib/core/instance-type/facts.ts';
import { METADATA_DEFAULTS } from '../../builders/metadata-options.ts';

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

export function nodeClassOf(spec: Partial<EC2NodeClass['spec']> = {}): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [],
      securityGroupSelectorTerms: [],
      metadataOptions: METADATA_DEFAULTS,
      ...spec,
    },
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
