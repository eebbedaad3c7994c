import type { Catalogue } from '../core/instance-type/facts.ts';
import type { UnavailableMark, UnavailableOffering } from '../core/model/decision.ts';
import type { LearnedMemory } from '../core/model/learned-memory.ts';

/**
 * Instance types, prices and missing capacity of one region, shared by all clusters of the account.
 * *Contract* (`test/contract/catalogue-store.ts`): a reader beside any number of writers sees one whole catalogue; marks
 * follow the rule of `marked` in `core/instance-type`, whoever makes them, in any order, at once or again.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface CatalogueStore {
  /** Undefined until the catalogue function ran for the first time. */
  readCatalogue(): Promise<Catalogue | undefined>;
  writeCatalogue(catalogue: Catalogue): Promise<void>;
  /** *Cost:* one write for each that is new, two for one that is remembered. */
  markUnavailable(marks: readonly UnavailableMark[]): Promise<void>;
  /** Those that have not lapsed at `nowMs`. */
  listUnavailable(nowMs: number): Promise<readonly UnavailableOffering[]>;
  /** C4. Of two lessons on a type and image stands what `standsAgainst` of `core/instance-type` says. *Cost:* one write. */
  learnMemory(lesson: LearnedMemory, nowMs: number): Promise<void>;
  /** Those that have not lapsed at `nowMs`. */
  listLearnedMemory(nowMs: number): Promise<readonly LearnedMemory[]>;
}
