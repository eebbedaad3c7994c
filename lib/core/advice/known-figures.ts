import type { TypeIndex } from './type-index.ts';

/** What is known of EC2, as of the shipped figures. */
export interface KnownFigures {
  readonly types: TypeIndex;
  /** The zones of each region that there are figures for, with their ids. Other regions exist. */
  readonly zones: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The known name that was meant, where a slip explains what is written. */
  readonly suggest: (written: string, known: readonly string[]) => string | undefined;
}
