import { type TomlValue as ParsedValue, parse, stringify, TomlDate, TomlError } from 'smol-toml';

export interface TomlTable {
  readonly [key: string]: TomlValue;
}

/** An integer is a bigint, so it is neither rounded nor written as a float. A number is a float. */
export type TomlValue = string | number | bigint | boolean | TomlDate | readonly TomlValue[] | TomlTable;

export type ReadToml =
  | { readonly kind: 'table'; readonly table: TomlTable }
  | { readonly kind: 'unreadable'; readonly line: number; readonly column: number; readonly message: string };

/** Settings are not nested deeper. Deeper tables can be neither read nor written. */
const DEEPEST_TABLE = 64;

/**
 * Reads the tables of a TOML document. Comments and layout are lost.
 * *Errors:* unreadable, with the position, where it is not TOML. *Units:* line and column from 1; times in milliseconds.
 */
export function readToml(text: string): ReadToml {
  try {
    const table = readable(parse(text.toWellFormed(), { integersAsBigInt: true }), DEEPEST_TABLE);
    if (table !== undefined && isTomlTable(table)) return { kind: 'table', table };
    return { kind: 'unreadable', line: 1, column: 1, message: `tables are nested more than ${DEEPEST_TABLE} deep` };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { kind: 'unreadable', line: error.line, column: error.column, message: shortOf(error.message) };
  }
}

/** Writes a TOML 1.0 document. *Shape:* `readToml` reads the same table from it. */
export function writeToml(table: TomlTable): string {
  return stringify(table, { numbersAsFloat: true });
}

export function isTomlTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);
}

/** Undefined where the value is nested deeper than `levels`. */
function readable(value: ParsedValue, levels: number): TomlValue | undefined {
  if (typeof value !== 'object' || value instanceof TomlDate) return value;
  if (levels === 0) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => readable(item, levels - 1));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, readable(item, levels - 1)] as const);
  const kept = entries.flatMap(([key, item]) => (item === undefined ? [] : [[key, item] as const]));
  return kept.length === entries.length ? Object.fromEntries(kept) : undefined;
}

/** Removes the prefix of the parser's message and the excerpt of the text at its end. */
function shortOf(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/^Invalid TOML document: /, '');
}
