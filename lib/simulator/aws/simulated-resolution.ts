import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { optional } from '../../apis/optional.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { ResolvedNodeClass } from '../../core/model/resolved-node-class.ts';
import { chooseImages, type FoundImage, type ImageVariant } from '../../core/node-class/images/choose-images.ts';
import { instanceProfileNameOf } from '../../core/node-class/instance-profile-name.ts';

interface Place {
  readonly cluster: string;
  readonly catalogue: Catalogue;
  /** The version that the alias `latest` selects. @default the first one */
  readonly latest?: string | undefined;
}

/** C65: the image variants of Amazon Linux 2023. *Shape:* each version has its own images. */
function awsImages(version: string | undefined): readonly FoundImage[] {
  const suffix = version === undefined ? '' : `-${version}`;
  return [
    image('x86_64', `amd64${suffix}`, ['standard']),
    image('x86_64', `amd64-nvidia${suffix}`, ['nvidia']),
    image('x86_64', `amd64-neuron${suffix}`, ['neuron']),
    image('arm64', `arm64${suffix}`, ['standard']),
    image('arm64', `arm64-nvidia${suffix}`, ['nvidia']),
  ];
}

/** Resolves a NodeClass. Every selector selects something, so that all manifests can be simulated. */
export function simulatedResolution(place: Place, nodeClass: EC2NodeClass): ResolvedNodeClass {
  const { cluster, catalogue } = place;
  const { placementGroupSelector: group } = nodeClass.spec;
  const zones = zonesOf(catalogue);
  return {
    bootstrap: {
      clusterName: cluster,
      endpoint: 'https://simulated',
      certificateAuthority: '',
      serviceCidr: '10.100.0.0/16',
    },
    subnets: [...zones]
      .map(([zone, zoneId]) => ({ id: `subnet-${zone}`, zone, zoneId, freeAddresses: 4_000 }))
      .toSorted((a, b) => compareText(a.id, b.id)),
    securityGroups: [{ id: 'sg-simulated', name: 'simulated' }],
    images: chooseImages(imagesOf(nodeClass, place.latest), 0),
    instanceProfile: simulatedProfile(place, nodeClass),
    ...(group !== undefined && {
      placementGroup: { id: group.id ?? 'pg-simulated', name: group.name ?? 'simulated', strategy: 'cluster' },
    }),
  };
}

const zonesByCatalogue = new WeakMap<Catalogue, ReadonlyMap<string, string>>();

/** The zones with their ids. */
function zonesOf(catalogue: Catalogue): ReadonlyMap<string, string> {
  const known = zonesByCatalogue.get(catalogue);
  if (known !== undefined) return known;
  const zones = new Map(catalogue.offerings.map(({ zone, zoneId }) => [zone, zoneId]));
  zonesByCatalogue.set(catalogue, zones);
  return zones;
}

/** The instance profile of a NodeClass, which always exists. */
export function simulatedProfile({ cluster, catalogue: { region } }: Place, nodeClass: EC2NodeClass): string {
  return instanceProfileNameOf({ cluster, region }, nodeClass) ?? 'simulated';
}

/** Images that are not selected by alias fit every type of their architecture. */
function imagesOf({ spec }: EC2NodeClass, latest: string | undefined): readonly FoundImage[] {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  if (alias !== undefined) {
    const [, version = 'latest'] = alias.split('@');
    return awsImages(version === 'latest' ? latest : version);
  }
  return [image('x86_64', 'amd64'), image('arm64', 'arm64')];
}

function image(architecture: string, kind: string, variants?: readonly ImageVariant[]): FoundImage {
  const name = `simulated-${kind}`;
  return { id: `ami-${name}`, name, architecture, createdAt: '', ...optional({ variants }) };
}
