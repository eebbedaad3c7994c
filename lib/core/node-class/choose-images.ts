import type { NodeSelectorRequirement } from '../../apis/kubernetes.ts';
import { ARCH } from '../../apis/labels.ts';
import { parseTime } from '../../apis/time.ts';
import { compareText } from '../compare-text.ts';
import type { ResolvedImage } from './resolved-node-class.ts';

/** Which instance types AWS makes an image for: those without accelerators, with GPUs, with Inferentia or Trainium (C65). */
export type ImageVariant = 'standard' | 'nvidia' | 'neuron';

/** An image as EC2 describes it. */
export interface FoundImage {
  readonly id: string;
  readonly name: string;
  /** In EC2's words: `x86_64`, `arm64` or something that no node runs. */
  readonly architecture: string;
  readonly createdAt: string;
  readonly deprecatedAt?: string;
  /** @default it was not found by an alias: its architecture is all that is known of it */
  readonly variants?: readonly ImageVariant[];
}

const GPUS = 'karpenter.k8s.aws/instance-gpu-count';
const ACCELERATORS = 'karpenter.k8s.aws/instance-accelerator-count';

/** In Karpenter's words, which people know from a NodeClass's status. */
const ASKED: Readonly<Record<ImageVariant, readonly NodeSelectorRequirement[]>> = {
  standard: [
    { key: GPUS, operator: 'DoesNotExist' },
    { key: ACCELERATORS, operator: 'DoesNotExist' },
  ],
  nvidia: [{ key: GPUS, operator: 'Exists' }],
  neuron: [{ key: ACCELERATORS, operator: 'Exists' }],
};

const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
]);

/**
 * Of all images that were found, the best for each kind of instance type.
 *
 * *Shape:* those in force first, the newest first, then by name. *Source:* C62, C65.
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

/** One list for each kind of instance type that the image is for; none where no node can run it. */
function requirementsOf({ architecture, variants }: FoundImage): readonly (readonly NodeSelectorRequirement[])[] {
  const value = ARCHITECTURES.get(architecture);
  if (value === undefined) return [];
  const runs: NodeSelectorRequirement = { key: ARCH, operator: 'In', values: [value] };
  return variants === undefined ? [[runs]] : variants.map((variant) => [runs, ...ASKED[variant]]);
}

function rank(a: FoundImage, b: FoundImage, nowMs: number): number {
  const deprecated = Number(isDeprecated(a, nowMs)) - Number(isDeprecated(b, nowMs));
  return deprecated || compareText(b.createdAt, a.createdAt) || compareText(a.name, b.name) || compareText(a.id, b.id);
}

function isDeprecated({ deprecatedAt }: Pick<FoundImage, 'deprecatedAt'>, nowMs: number): boolean {
  return deprecatedAt !== undefined && parseTime(deprecatedAt) <= nowMs;
}
