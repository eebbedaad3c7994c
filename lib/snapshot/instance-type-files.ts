import { dirname, isAbsolute, join } from 'node:path';
import { BadInputError } from '../apis/bad-input-error.ts';
import type { GivenInstanceType } from './instance-type-schema.ts';
import { readDocument, refuse, type SnapshotDocument } from './read-document.ts';
import type { TextReader } from './read-snapshot-text.ts';
import { readSnapshotText } from './read-snapshot-text.ts';

export interface InstanceTypeSource {
  readonly file: string;
  /** Its index in the list of its file. */
  readonly index: number;
  readonly type: GivenInstanceType;
}

/**
 * The instance types of a snapshot, then those of its instanceTypesFile, and so on.
 * *Errors:* BadInputError if a file cannot be read, if files refer to each other in a loop, or if a type is repeated.
 */
export function readInstanceTypes(context: TextReader, snapshot: SnapshotDocument): readonly InstanceTypeSource[] {
  const sources: InstanceTypeSource[] = [];
  const files: string[] = [];
  let document: SnapshotDocument | undefined = snapshot;
  while (document !== undefined) {
    const { file } = document;
    files.push(file);
    sources.push(...document.list('instanceTypes').map((type, index) => ({ file, index, type })));
    document = following(context, document, files);
  }
  refuseDuplicates(sources);
  return sources;
}

function following(
  context: TextReader,
  { file, head }: SnapshotDocument,
  files: readonly string[],
): SnapshotDocument | undefined {
  const { instanceTypesFile } = head;
  if (instanceTypesFile === undefined) return undefined;
  const next = isAbsolute(instanceTypesFile)
    ? instanceTypesFile
    : join(file === '-' ? '.' : dirname(file), instanceTypesFile);
  if (files.includes(next)) {
    throw new BadInputError(
      `${file}: instanceTypesFile: "${instanceTypesFile}" refers back to ${next}; use a file with instanceTypes and without instanceTypesFile`,
    );
  }
  return readDocument(
    readSnapshotText(context, next, `${file}: instanceTypesFile: "${instanceTypesFile}", relative to this file,`),
    next,
  );
}

function refuseDuplicates(sources: readonly InstanceTypeSource[]): void {
  const known = new Map<string, InstanceTypeSource[]>();
  for (const source of sources) {
    const { name } = source.type;
    const sameName = known.get(name) ?? [];
    const before = sameName.find((one) => isSeenWith(one.type, source.type));
    if (before !== undefined) {
      const where = before.file === source.file ? '' : ` of ${before.file}`;
      refuse(source.file, [
        `instanceTypes[${source.index}].name: "${name}" is a duplicate of instanceTypes[${before.index}]${where}; list each type once`,
      ]);
    }
    sameName.push(source);
    known.set(name, sameName);
  }
}

/** Whether both entries apply to the same NodePool. */
function isSeenWith({ nodePools: one }: GivenInstanceType, { nodePools: other }: GivenInstanceType): boolean {
  return one === undefined || other === undefined || one.some((name) => other.includes(name));
}
