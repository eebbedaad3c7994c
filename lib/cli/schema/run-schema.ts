import { readFileSync } from 'node:fs';
import { BadInputError } from '../../apis/bad-input-error.ts';
import { quote } from '../../apis/formats/quote.ts';
import { isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import { DATA } from '../../catalogue/figures.ts';
import { suggest } from '../../core/suggest.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

/** Runs `kerf schema`. *Errors:* BadInputError for a kind that has no schema. */
export function runSchema(context: CliContext, kind: string | undefined): void {
  const all = readSchema('all.json');
  const kinds = kindsOf(all);
  const schema = kind === undefined ? { ...all, allOf: kinds.map(inline) } : schemaOf(kind, kinds);
  context.process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  context.process.exitCode = EXIT.fine;
}

interface KindFile {
  readonly kind: string;
  readonly file: string;
  /** The condition for the kind. */
  readonly condition: unknown;
}

/** The kinds of the schema of all kinds, which names a file for each. */
function kindsOf(all: UnknownRecord): readonly KindFile[] {
  const parts = all['allOf'];
  return (Array.isArray(parts) ? parts : []).flatMap((part: unknown) => {
    const file = textField(ownField(part, 'else'), '$ref');
    const properties = ownField(ownField(ownField(part, 'if'), 'not'), 'properties');
    const kind = textField(ownField(properties, 'kind'), 'const');
    return file === undefined || kind === undefined ? [] : [{ kind, file, condition: ownField(part, 'if') }];
  });
}

function inline({ file, condition }: KindFile): object {
  const { $schema: _, ...schema } = readSchema(file);
  return { if: condition, else: schema };
}

function schemaOf(kind: string, kinds: readonly KindFile[]): UnknownRecord {
  const found = kinds.find((one) => one.kind.toLowerCase() === kind.toLowerCase());
  if (found !== undefined) return readSchema(found.file);
  const names = kinds.map((one) => one.kind);
  const meant = suggest(kind, names);
  const hint = meant === undefined ? '' : `did you mean ${meant}? `;
  throw new BadInputError(`there is no schema of ${quote(kind)}: ${hint}write one of ${names.join(', ')}`);
}

function readSchema(file: string): UnknownRecord {
  const schema: unknown = JSON.parse(readFileSync(`${DATA}schemas/${file}`, 'utf8'));
  return isRecord(schema) ? schema : {};
}
