import { parseTime } from '../../../apis/formats/time.ts';
import type { NodeSelectorRequirement } from '../../../apis/kubernetes.ts';
import { ARCH } from '../../../apis/labels.ts';
import { compareText } from '../../compare-text.ts';
import type { ResolvedImage } from '../../model/resolved-node-class.ts';

/** The instance types that an image is for: without accelerators, with GPUs, with Inferentia or Trainium, or all of them (C65). */
export type ImageVariant = 'standard' | 'nvidia' | 'neuron' | 'any';

/** An image as returned by EC2. */
export interface FoundImage {
  readonly id: string;
  readonly name: string;
  /** EC2's name of the architecture: `x86_64`, `arm64` or one that nodes do not support. */
  readonly architecture: string;
  readonly createdAt: string;
  readonly deprecatedAt?: string;
  /** @default not found by an alias: only its architecture is known */
  readonly variants?: readonly ImageVariant[];
}

const GPUS = 'karpenter.k8s.aws/instance-gpu-count';
const ACCELERATORS = 'karpenter.k8s.aws/instance-accelerator-count';

/** The same requirements as in the status of Karpenter's EC2NodeClasses. */
const VARIANT_REQUIREMENTS: Readonly<Record<ImageVariant, readonly NodeSelectorRequirement[]>> = {
  standard: [
    { key: GPUS, operator: 'DoesNotExist' },
    { key: ACCELERATORS, operator: 'DoesNotExist' },
  ],
  nvidia: [{ key: GPUS, operator: 'Exists' }],
  neuron: [{ key: ACCELERATORS, operator: 'Exists' }],
  any: [],
};

const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
]);

/**
 * Selects the best image for each kind of instance type.
 *
 * *Shape:* images that are not deprecated first, newest first, then by name. *Source:* C62, C65.
 */
export function chooseImages(found: readonly FoundImage[], nowMs: number): readonly ResolvedImage[] {
  const best = new Map<string, ResolvedImage>();
  for (const image of found.toSorted((a, b) => rank(a, b, nowMs))) {
    for (const requirements of requirementsOf(image)) {
      const kind = JSON.stringify(requirements);
      const { id, name } = image;
      if (!best.has(kind)) best.set(kind, { id, name, deprecated: isDeprecated(image, nowMs), requirements });
    }
  }
  return [...best.values()];
}

/** One list of requirements for each kind of instance type that the image is for; empty if no node can run it. */
function requirementsOf({ architecture, variants }: FoundImage): readonly (readonly NodeSelectorRequirement[])[] {
  const value = ARCHITECTURES.get(architecture);
  if (value === undefined) return [];
  const runs: NodeSelectorRequirement = { key: ARCH, operator: 'In', values: [value] };
  return variants === undefined ? [[runs]] : variants.map((variant) => [runs, ...VARIANT_REQUIREMENTS[variant]]);
}

function rank(a: FoundImage, b: FoundImage, nowMs: number): number {
  const deprecated = Number(isDeprecated(a, nowMs)) - Number(isDeprecated(b, nowMs));
  return deprecated || compareText(b.createdAt, a.createdAt) || compareText(a.name, b.name) || compareText(a.id, b.id);
}

function isDeprecated({ deprecatedAt }: Pick<FoundImage, 'deprecatedAt'>, nowMs: number): boolean {
  return deprecatedAt !== undefined && parseTime(deprecatedAt) <= nowMs;
}
