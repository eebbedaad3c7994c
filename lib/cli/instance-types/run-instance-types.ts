import { BadInputError } from '../../apis/bad-input-error.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { DEFAULT_REGION } from '../../catalogue/choose-region.ts';
import { DATA, shippedCatalogue } from '../../catalogue/figures.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { instanceTypesFor } from '../../core/instance-type/resolve.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import type { ResolvedImage } from '../../core/model/resolved-node-class.ts';
import { suggest } from '../../core/suggest.ts';
import { simulatedImages } from '../../simulator/aws/simulated-resolution.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';
import { chooseNodeClass } from './choose-node-class.ts';
import { instanceTypesOutput } from './instance-type-output.ts';
import type { InstanceTypesFlags } from './instance-types-command.ts';
import { renderInstanceTypes } from './render-instance-types.ts';

/** Runs `kerf instance-types`. */
export async function runInstanceTypes(
  context: CliContext,
  flags: InstanceTypesFlags,
  more: readonly string[],
): Promise<void> {
  const { stdout } = context.process;
  const nodeClass = chooseNodeClass(context, [...(flags.file ?? []), ...more], flags['node-class']);
  if (nodeClass === undefined) {
    context.process.exitCode = EXIT.badInput;
    return;
  }
  const catalogue = await read(context, flags);
  const images = knownImages(nodeClass);
  const types = named(instanceTypesFor(catalogue, nodeClass, { images }), catalogue, flags.name);
  const withoutImage = matching(instanceTypesFor(catalogue, nodeClass), flags.name).length - types.length;
  const { name } = nodeClass.metadata;
  stdout.write(
    flags.output === 'json'
      ? `${JSON.stringify(instanceTypesOutput(catalogue, name, types), null, 2)}\n`
      : renderInstanceTypes({ catalogue, nodeClass, types, images, withoutImage }, context),
  );
  context.process.exitCode = EXIT.fine;
}

/** The images that AWS publishes for the alias. *Shape:* empty for other selectors, whose images only EC2 has. */
function knownImages(nodeClass: EC2NodeClass): readonly ResolvedImage[] {
  const hasAlias = nodeClass.spec.amiSelectorTerms.some(({ alias }) => alias !== undefined);
  return hasAlias ? simulatedImages(nodeClass) : [];
}

async function read(context: CliContext, { from, region }: InstanceTypesFlags): Promise<Catalogue> {
  if (from === 'shipped') {
    const because = region === undefined ? 'the default' : '--region';
    const catalogue = shippedCatalogue({ region: region ?? DEFAULT_REGION, because });
    if (catalogue.standIn !== undefined) context.process.stderr.write(`warning: ${catalogue.standIn}\n`);
    return catalogue;
  }
  // Loading the EC2 client takes a third of a second, and most calls do not need it.
  const { catalogueFromAccount } = await import('../../operator/wiring/account-catalogue.ts');
  const tell = (note: string): void => context.process.stderr.write(`${printable(note)}\n`);
  return await checkingOptions(async () => await catalogueFromAccount({ region, figures: DATA, tell }));
}

/** The types that match the names; all types without names. *Errors:* BadInputError for a name that matches no type. */
function named(
  types: readonly InstanceType[],
  { region, facts }: Catalogue,
  names: readonly string[] = [],
): readonly InstanceType[] {
  for (const name of names) {
    if (types.some((type) => isMeant(type.name, name))) continue;
    const isKnown = facts.some((one) => isMeant(one.name, name));
    if (isKnown)
      throw new BadInputError(
        `"${name}" is not available in ${region} with this EC2NodeClass: use another region or another EC2NodeClass`,
      );
    const suggestion = suggest(
      name,
      types.map((type) => type.name),
    );
    const instead =
      suggestion === undefined
        ? 'write a name such as m7g.large, or m7g.* for a family'
        : `did you mean ${suggestion}?`;
    throw new BadInputError(`"${name}" is not an instance type: ${instead}`);
  }
  return matching(types, names);
}

function matching(types: readonly InstanceType[], names: readonly string[] = []): readonly InstanceType[] {
  return names.length === 0 ? types : types.filter((type) => names.some((name) => isMeant(type.name, name)));
}

/** Whether the pattern matches. It does not use a regular expression, because a pattern with many stars could take long. */
function isMeant(type: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return type === pattern;
  if (!type.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = type.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return type.length - last.length >= from && type.endsWith(last);
}
