import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { PLAIN_NODE_CLASS } from '../../core/node-class/plain-node-class.ts';
import { suggest } from '../../core/suggest.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { readManifests } from '../../manifests/read/read-manifests.ts';
import type { CliContext } from '../context.ts';
import { readAllSources } from '../read-sources.ts';

/**
 * The EC2NodeClass of the files; a default one without files. *Shape:* undefined if the files have problems, which are written
 * to stderr. *Errors:* BadInputError if the files have no EC2NodeClass, or several and `name` is undefined.
 */
export function chooseNodeClass(
  context: CliContext,
  paths: readonly string[],
  name: string | undefined,
): EC2NodeClass | undefined {
  if (paths.length === 0 && name === undefined) return PLAIN_NODE_CLASS;
  const { manifests, problems, warnings } = readManifests(readAllSources(context, paths));
  const { stderr } = context.process;
  stderr.write([...warnings, ...problems].map((problem) => `${formatProblem(problem)}\n`).join(''));
  if (problems.length === 0) return chosen(manifests.nodeClasses, name);
  stderr.write(`\n${counted(problems.length, 'problem')}: nothing was listed.\n`);
  return undefined;
}

function chosen(nodeClasses: readonly EC2NodeClass[], name: string | undefined): EC2NodeClass {
  const names = nodeClasses.map(({ metadata }) => metadata.name);
  const [only, another] = name === undefined ? nodeClasses : nodeClasses.filter((one) => one.metadata.name === name);
  if (only !== undefined && another === undefined) return only;
  if (names.length === 0) throw new BadInputError('the files have no EC2NodeClass: add one, or omit -f');
  if (name === undefined)
    throw new BadInputError(`the files have ${names.length} EC2NodeClasses: add --node-class ${names.join(' or ')}`);
  const suggestion = suggest(name, names);
  const instead = suggestion === undefined ? `write ${names.join(' or ')}` : `did you mean ${suggestion}?`;
  throw new BadInputError(`the files have no EC2NodeClass "${name}": ${instead}`);
}
