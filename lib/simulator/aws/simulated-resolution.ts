import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { optional } from '../../apis/optional.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import type {
  ResolvedCapacityReservation,
  ResolvedImage,
  ResolvedNodeClass,
} from '../../core/model/resolved-node-class.ts';
import { type PublishedImage, publishedImages } from '../../core/node-class/images/ami-alias.ts';
import { chooseImages, type FoundImage, type ImageVariant } from '../../core/node-class/images/choose-images.ts';
import { instanceProfileNameOf } from '../../core/node-class/instance-profile-name.ts';

interface Place {
  readonly cluster: string;
  readonly catalogue: Catalogue;
  /** The version that the alias `latest` selects. @default the first one */
  readonly latest?: string | undefined;
  /** The capacity reservations, all of which each NodeClass selects. @default none */
  readonly counted?: () => readonly ResolvedCapacityReservation[];
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
    images: simulatedImages(nodeClass, place.latest),
    instanceProfile: simulatedProfile(place, nodeClass),
    ...optional({ capacityReservations: place.counted?.() }),
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
  const zones = new Map(catalogue.offerings.map(({ zone, zoneId = '' }) => [zone, zoneId]));
  zonesByCatalogue.set(catalogue, zones);
  return zones;
}

/** The instance profile of a NodeClass, which always exists. */
export function simulatedProfile({ cluster, catalogue: { region } }: Place, nodeClass: EC2NodeClass): string {
  return instanceProfileNameOf({ cluster, region }, nodeClass) ?? 'simulated';
}

/**
 * The images of a NodeClass. *Shape:* an alias selects the images that AWS publishes for it, and each version has its own (C65); images that
 * are not selected by alias fit every type of their architecture.
 */
export function simulatedImages({ spec }: EC2NodeClass, latest?: string): readonly ResolvedImage[] {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  if (alias === undefined) return chooseImages([image('x86_64'), image('arm64')], 0);
  const [, version = 'latest'] = alias.split('@');
  const release = version === 'latest' ? latest : version;
  const published = publishedImages(alias).map(({ architecture, variants }) =>
    image(architecture, { variants, release }),
  );
  return chooseImages(published, 0);
}

interface ImageTraits {
  readonly variants?: readonly ImageVariant[];
  readonly release?: string | undefined;
}

function image(architecture: PublishedImage['architecture'], { variants, release }: ImageTraits = {}): FoundImage {
  const kind = variants?.find((variant) => variant === 'nvidia' || variant === 'neuron');
  const parts = ['simulated', architecture === 'x86_64' ? 'amd64' : architecture, kind, release];
  const name = parts.filter((part) => part !== undefined).join('-');
  return { id: `ami-${name}`, name, architecture, createdAt: '', ...optional({ variants }) };
}
