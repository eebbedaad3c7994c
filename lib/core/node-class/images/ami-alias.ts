import type { ImageVariant } from './choose-images.ts';

/** The instance types that an image is for. */
export interface PublishedImage {
  /** EC2's name of the architecture. */
  readonly architecture: 'x86_64' | 'arm64';
  readonly variants: readonly ImageVariant[];
}

/** An SSM parameter with the id of an image. */
export interface ImageParameter extends PublishedImage {
  readonly name: string;
}

export type AliasReading =
  | {
      readonly kind: 'parameters';
      readonly parameters: readonly ImageParameter[];
      /** True for a fixed release, false for the latest. */
      readonly pinned: boolean;
    }
  | {
      readonly kind: 'unsupported';
      readonly reason: 'UnsupportedKubernetesVersion' | 'AMINotFound';
      readonly why: string;
    };

interface Wanted {
  /** `1.33`. */
  readonly kubernetes: string;
  /** The version of the alias without a leading `v`; undefined for the latest. */
  readonly release: string | undefined;
}

interface Family {
  readonly parameters: (wanted: Wanted) => readonly ImageParameter[];
  /** The minor versions of Kubernetes for which AWS publishes images. @default all */
  readonly kubernetes?: { readonly first: number } | { readonly last: number };
  /** A3.5: AWS publishes only the latest. */
  readonly latestOnly?: true;
}

const EKS = '/aws/service/eks/optimized-ami';

const FAMILIES: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['al2', { parameters: al2, kubernetes: { last: 32 } }],
  ['al2023', { parameters: al2023 }],
  ['bottlerocket', { parameters: bottlerocket }],
  ['windows2019', { parameters: windows('2019'), latestOnly: true }],
  ['windows2022', { parameters: windows('2022'), latestOnly: true }],
  ['windows2025', { parameters: windows('2025'), kubernetes: { first: 35 }, latestOnly: true }],
]);

/** Returns the SSM parameters of an alias such as `al2023@latest` for a Kubernetes version. *Source:* A3.5, C64, C65. */
export function readAlias(alias: string, kubernetes: string): AliasReading {
  const [name = '', version = ''] = alias.split('@');
  const family = FAMILIES.get(name);
  if (family === undefined) {
    return notFound(`alias ${alias} has an unknown family; use one of ${[...FAMILIES.keys()].join(', ')}`);
  }
  const unsupported = whyNoImages(family, kubernetes);
  if (unsupported !== undefined) {
    return { kind: 'unsupported', reason: 'UnsupportedKubernetesVersion', why: `alias ${alias}: ${unsupported}` };
  }
  const pinned = version !== 'latest';
  if (pinned && family.latestOnly === true) {
    return notFound(`alias ${alias}: AWS publishes only the latest image of this family; use ${name}@latest`);
  }
  // The version becomes part of a parameter path.
  if (!/^[0-9A-Za-z][0-9A-Za-z._-]*$/.test(version)) {
    return notFound(`alias ${alias}: "${version}" is not a version; use ${name}@latest or a release`);
  }
  const release = pinned ? version.replace(/^v(?=\d)/, '') : undefined;
  return { kind: 'parameters', parameters: family.parameters({ kubernetes, release }), pinned };
}

/** The images that AWS publishes for the family of an alias (C65). *Shape:* empty for an unknown family. */
export function publishedImages(alias: string): readonly PublishedImage[] {
  const family = FAMILIES.get(alias.split('@')[0] ?? '');
  return family?.parameters({ kubernetes: '', release: undefined }) ?? [];
}

function notFound(why: string): AliasReading {
  return { kind: 'unsupported', reason: 'AMINotFound', why };
}

/** C65. */
function whyNoImages({ kubernetes: range }: Family, version: string): string | undefined {
  const minor = Number(/^1\.(\d+)/.exec(version)?.[1]);
  if (range === undefined || Number.isNaN(minor)) return undefined;
  if ('last' in range) {
    const why = `AWS publishes these images only up to Kubernetes 1.${range.last}, not for ${version}; use al2023 or bottlerocket`;
    return minor > range.last ? why : undefined;
  }
  const why = `AWS publishes these images only from Kubernetes 1.${range.first} on, not for ${version}; use windows2022`;
  return minor < range.first ? why : undefined;
}

/** One image supports both GPUs and Neuron devices. */
function al2({ kubernetes, release }: Wanted): readonly ImageParameter[] {
  const parameter = (kind: string, node: string, image: PublishedImage): ImageParameter => ({
    name: `${EKS}/${kubernetes}/amazon-linux-2${kind}/${release === undefined ? 'recommended' : `amazon-eks-${node}-${kubernetes}-v${release}`}/image_id`,
    ...image,
  });
  return [
    parameter('', 'node', { architecture: 'x86_64', variants: ['standard'] }),
    parameter('-arm64', 'arm64-node', { architecture: 'arm64', variants: ['standard'] }),
    parameter('-gpu', 'gpu-node', { architecture: 'x86_64', variants: ['nvidia', 'neuron'] }),
  ];
}

/** There are no Neuron devices on arm64. */
function al2023({ kubernetes, release }: Wanted): readonly ImageParameter[] {
  const made = [
    ['x86_64', 'standard'],
    ['x86_64', 'nvidia'],
    ['x86_64', 'neuron'],
    ['arm64', 'standard'],
    ['arm64', 'nvidia'],
  ] as const;
  return made.map(([architecture, variant]) => {
    const node = `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetes}-v${release}`;
    const folder = release === undefined ? 'recommended' : node;
    const name = `${EKS}/${kubernetes}/amazon-linux-2023/${architecture}/${variant}/${folder}/image_id`;
    return { name, architecture, variants: [variant] };
  });
}

/** The standard image supports Neuron devices. */
function bottlerocket({ kubernetes, release = 'latest' }: Wanted): readonly ImageParameter[] {
  const made = [
    ['', 'x86_64', ['standard', 'neuron']],
    ['-nvidia', 'x86_64', ['nvidia']],
    ['', 'arm64', ['standard']],
    ['-nvidia', 'arm64', ['nvidia']],
  ] as const;
  return made.map(([flavour, architecture, variants]) => ({
    name: `/aws/service/bottlerocket/aws-k8s-${kubernetes}${flavour}/${architecture}/${release}/image_id`,
    architecture,
    variants,
  }));
}

/** AWS makes one image, on which drivers of GPUs are installed afterwards. */
function windows(year: string): Family['parameters'] {
  return ({ kubernetes }) => [
    {
      name: `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}/image_id`,
      architecture: 'x86_64',
      variants: ['any'],
    },
  ];
}
