import { DescribeImagesCommand, type EC2Client, type Filter, type Image } from '@aws-sdk/client-ec2';
import type { AmiSelectorTerm, EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { optional } from '../../../apis/optional.ts';
import { type ImageParameter, readAlias } from '../../../core/node-class/images/ami-alias.ts';
import { chooseImages, type FoundImage, type ImageVariant } from '../../../core/node-class/images/choose-images.ts';
import { allPages } from '../client/pages.ts';
import { found, type Part, problem, type ResolveTools } from './resolution.ts';
import { termFilters } from './selector-terms.ts';

/** The parameters of a DescribeImages call. */
interface Search {
  readonly owners?: readonly string[];
  readonly filters: readonly Filter[];
}

/** The images of a term, or why it has none. */
type TermImages =
  | { readonly kind: 'found'; readonly images: readonly FoundImage[] }
  | { readonly kind: 'unsupported'; readonly part: Part };

/** C62: the best image of each kind among all that the terms find. */
export async function resolveImages(tools: ResolveTools, nodeClass: EC2NodeClass): Promise<Part> {
  const { metadata, spec } = nodeClass;
  const terms = await Promise.all(spec.amiSelectorTerms.map((term) => imagesOfTerm(tools, metadata.name, term)));
  const images = chooseImages(
    terms.flatMap((term) => (term.kind === 'found' ? term.images : [])),
    tools.clock.now(),
  );
  if (images.length > 0) return found({ images });
  const unsupported = terms.find((term) => term.kind === 'unsupported');
  if (unsupported !== undefined) return unsupported.part;
  const asked = spec.amiSelectorTerms.map((term) => term.alias ?? JSON.stringify(term)).join(', ');
  return problem(
    'AMINotFound',
    `EC2NodeClass ${metadata.name}: spec.amiSelectorTerms finds no image for x86_64 or arm64 in ${tools.region} by ${asked} (Kubernetes ${tools.cluster.kubernetesVersion}); check versions, ids, names and tags`,
  );
}

async function imagesOfTerm(tools: ResolveTools, nodeClass: string, term: AmiSelectorTerm): Promise<TermImages> {
  const { alias, ssmParameter } = term;
  if (alias !== undefined) return await imagesOfAlias(tools, nodeClass, alias);
  if (ssmParameter !== undefined) {
    const images = await imagesOfParameters(tools, {
      parameters: [{ name: ssmParameter, variants: [] }],
      pinned: false,
    });
    return { kind: 'found', images: images.map(({ variants: _any, ...image }) => image) };
  }
  const search = ownSearch(term);
  return { kind: 'found', images: search === undefined ? [] : await searchImages(tools, search) };
}

async function imagesOfAlias(tools: ResolveTools, nodeClass: string, alias: string): Promise<TermImages> {
  const reading = readAlias(alias, tools.cluster.kubernetesVersion);
  if (reading.kind === 'unsupported') {
    return { kind: 'unsupported', part: problem(reading.reason, `EC2NodeClass ${nodeClass}: ${reading.why}`) };
  }
  return { kind: 'found', images: await imagesOfParameters(tools, reading) };
}

interface ImageParameters {
  readonly parameters: readonly Omit<ImageParameter, 'architecture'>[];
  readonly pinned: boolean;
}

/** The images whose ids the parameters contain. A missing or invalid parameter has none. */
async function imagesOfParameters(
  tools: ResolveTools,
  { parameters, pinned }: ImageParameters,
): Promise<readonly FoundImage[]> {
  const names = parameters.map(({ name }) => name);
  const key = JSON.stringify(names);
  const { keepMs, parameters: known, images: lists } = tools.answers;
  const question = { key, keepMs: pinned ? keepMs.pinnedParameters : keepMs.latestParameters };
  const values = await known.ask(question, () => tools.readParameters(names));
  // C63: a new release is published in parts. Some releases never have an image for each kind of type.
  if (values.size < names.length) known.keepAtMost(key, keepMs.latestParameters);
  const variants = new Map<string, readonly ImageVariant[]>();
  for (const { name, variants: more } of parameters) {
    const id = values.get(name)?.trim() ?? '';
    if (/^ami-[0-9a-z]+$/.test(id)) variants.set(id, [...(variants.get(id) ?? []), ...more]);
  }
  if (variants.size === 0) return [];
  const ids = [...variants.keys()].toSorted();
  const search = { filters: [{ Name: 'image-id', Values: ids }] };
  const images = await searchImages(tools, search);
  if (images.length < ids.length) {
    // C63: the parameter may have changed meanwhile, or EC2 does not list a new image yet.
    known.forget(key);
    lists.keepAtMost(JSON.stringify(search), keepMs.incompleteImages);
  }
  return images.map((image) => ({ ...image, variants: variants.get(image.id) ?? [] }));
}

/** C62: a name without an owner matches only images of this account and of Amazon. */
function ownSearch(term: AmiSelectorTerm): Search | undefined {
  const filters = termFilters(term, { id: 'image-id', name: 'name' });
  if (filters.length === 0) return undefined;
  if (term.owner !== undefined) return { owners: [term.owner], filters };
  return term.name === undefined ? { filters } : { owners: ['self', 'amazon'], filters };
}

function searchImages(tools: ResolveTools, search: Search): Promise<readonly FoundImage[]> {
  const question = { key: JSON.stringify(search), keepMs: tools.answers.keepMs.images };
  return tools.answers.images.ask(question, async () => (await listImages(tools.client, search)).flatMap(foundImage));
}

function listImages(client: EC2Client, { owners, filters }: Search): Promise<readonly Image[]> {
  return allPages('describe images', async (token) => {
    const answer = await client.send(
      new DescribeImagesCommand({
        Filters: [...filters, { Name: 'state', Values: ['available'] }],
        ...(owners === undefined ? {} : { Owners: [...owners] }),
        // A deprecated image is better than none.
        IncludeDeprecated: true,
        ...optional({ NextToken: token }),
      }),
    );
    return { items: answer.Images, next: answer.NextToken };
  });
}

function foundImage(image: Image): readonly FoundImage[] {
  const { ImageId: id, Name: name = '', Architecture: architecture = '', CreationDate: createdAt = '' } = image;
  const deprecatedAt = image.DeprecationTime ?? '';
  if (id === undefined) return [];
  return [{ id, name, architecture, createdAt, ...(deprecatedAt === '' ? {} : { deprecatedAt }) }];
}
