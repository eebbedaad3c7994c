import type { KnownTypeIndex } from './type-index.ts';

/** The bundled data on EC2. */
export interface KnownFigures {
  readonly types: KnownTypeIndex;
  /** The day of the types, as a time of RFC 3339. */
  readonly typesAsOf: string;
  /** The zones of each region in the bundled data, with their ids. Other regions exist. */
  readonly zones: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Returns the most similar known name, if a typing mistake explains the difference. */
  readonly suggest: (written: string, known: readonly string[]) => string | undefined;
}
