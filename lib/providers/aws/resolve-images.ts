import { DescribeImagesCommand, type EC2Client, type Image } from '@aws-sdk/client-ec2';
import { type AmiSelectorTerm, amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { ARCH } from '../../apis/labels.ts';
import { parseTime } from '../../apis/time.ts';
import type { ResolvedImage } from '../../core/node-class/resolved-node-class.ts';
import type { NodeClassResolution } from '../../ports/cloud-provider.ts';
import { allPages } from './pages.ts';
import { type ResolveTools, unresolved } from './resolution.ts';
import { termFilters } from './selector-terms.ts';

export type ImageResolution =
  | { readonly kind: 'resolved'; readonly images: readonly ResolvedImage[] }
  | (NodeClassResolution & { readonly kind: 'unresolved' });

/** What one DescribeImages call is asked. */
interface Search {
  readonly owners?: readonly string[];
  readonly filters: NonNullable<DescribeImagesCommand['input']['Filters']>;
}

const EC2_ARCHITECTURE = { amd64: 'x86_64', arm64: 'arm64' } as const;

/** C62: of all images that the terms find, the best of each architecture. */
export async function resolveImages(tools: ResolveTools, nodeClass: EC2NodeClass): Promise<ImageResolution> {
  const terms = nodeClass.spec.amiSelectorTerms;
  const parameter = terms.find((term) => term.ssmParameter !== undefined)?.ssmParameter;
  if (parameter !== undefined) {
    return unresolved(
      'Unsupported',
      `amiSelectorTerms ssmParameter ${parameter} cannot be read yet: use alias, id, name or tags`,
    );
  }
  const foreign = terms.find(({ alias }) => alias !== undefined && !alias.startsWith('al2023@'))?.alias;
  if (foreign !== undefined) {
    return unresolved(
      'Unsupported',
      `alias ${foreign} of amiFamily ${amiFamilyOf(nodeClass)} cannot be looked up yet: use al2023, or id, name or tags`,
    );
  }
  const searches = terms.flatMap((term) => searchesOf(term, tools.cluster.kubernetesVersion));
  const found = (await Promise.all(searches.map((search) => listImages(tools.client, search)))).flat();
  const best = found.toSorted((a, b) => rank(a, b, tools.nowMs));
  const images = (['amd64', 'arm64'] as const).flatMap((architecture) => {
    const image = best.find((one) => one.Architecture === EC2_ARCHITECTURE[architecture]);
    if (image?.ImageId === undefined) return [];
    const requirements = [{ key: ARCH, operator: 'In' as const, values: [architecture] }];
    const deprecated = isDeprecated(image, tools.nowMs);
    return [{ id: image.ImageId, name: image.Name ?? '', deprecated, requirements }];
  });
  if (images.length > 0) return { kind: 'resolved', images };
  const asked = terms.map((term) => term.alias ?? term.id ?? term.name ?? JSON.stringify(term.tags ?? {})).join(', ');
  return unresolved(
    'AMINotFound',
    `EC2NodeClass ${nodeClass.metadata.name}: no image for x86_64 or arm64 is found by ${asked} (Kubernetes ${tools.cluster.kubernetesVersion})`,
  );
}

/**
 * An alias is searched by the names that EKS gives its images, since that needs no permission on the parameter store that
 * Karpenter reads (C64). Standard images alone: the ones for GPUs have names of their own (C65).
 */
function searchesOf(term: AmiSelectorTerm, kubernetesVersion: string): readonly Search[] {
  if (term.alias === undefined) return [ownSearch(term)];
  const version = term.alias.split('@')[1] ?? 'latest';
  const wanted = version === 'latest' ? 'v*' : version;
  const names = Object.values(EC2_ARCHITECTURE).map(
    (architecture) => `amazon-eks-node-al2023-${architecture}-standard-${kubernetesVersion}-${wanted}`,
  );
  return [{ owners: ['amazon'], filters: [{ Name: 'name', Values: names }] }];
}

/** C62: only names are looked for among our own and Amazon's images unless the term says whose. */
function ownSearch(term: AmiSelectorTerm): Search {
  const owners = term.owner === undefined ? undefined : [term.owner];
  const filters = termFilters(term, 'image-id');
  if (owners !== undefined) return { owners, filters };
  return term.name === undefined ? { filters } : { owners: ['self', 'amazon'], filters };
}

function listImages(client: EC2Client, search: Search): Promise<readonly Image[]> {
  return allPages('describe images', async (token) => {
    const answer = await client.send(
      new DescribeImagesCommand({
        Filters: [...search.filters, { Name: 'state', Values: ['available'] }],
        ...(search.owners === undefined ? {} : { Owners: [...search.owners] }),
        // A deprecated image that is asked for by name is better than none.
        IncludeDeprecated: true,
        ...(token === undefined ? {} : { NextToken: token }),
      }),
    );
    return { items: answer.Images, next: answer.NextToken };
  });
}

/** C62: those in force first, the newest first, then by name. */
function rank(a: Image, b: Image, nowMs: number): number {
  const deprecated = Number(isDeprecated(a, nowMs)) - Number(isDeprecated(b, nowMs));
  if (deprecated !== 0) return deprecated;
  const created = compare(b.CreationDate ?? '', a.CreationDate ?? '');
  return created === 0 ? compare(a.Name ?? '', b.Name ?? '') : created;
}

function isDeprecated({ DeprecationTime: time }: Image, nowMs: number): boolean {
  return time !== undefined && time !== '' && parseTime(time) <= nowMs;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
