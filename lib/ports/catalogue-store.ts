import type { Catalogue } from '../core/instance-type/facts.ts';
import type { UnavailableMark, UnavailableOffering } from '../core/model/decision.ts';
import type { LearnedMemory } from '../core/model/learned-memory.ts';

/**
 * Instance types, prices and missing capacity of one region, shared by all clusters of the account.
 * *Contract* (`test/contract/catalogue-store.ts`): a reader gets one complete catalogue, even while others write. Marks follow
 * the rule of `marked` in `core/instance-type`, in any order, repeated or concurrent.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface CatalogueStore {
  /** *Shape:* undefined until the catalogue function has run, and if the stored catalogue cannot be read. */
  readCatalogue(): Promise<Catalogue | undefined>;
  writeCatalogue(catalogue: Catalogue): Promise<void>;
  /** *Cost:* one write for each new mark, two for an existing one. */
  markUnavailable(marks: readonly UnavailableMark[]): Promise<void>;
  /** Marks that have not expired at `nowMs`. */
  listUnavailable(nowMs: number): Promise<readonly UnavailableOffering[]>;
  /** C4. Of two lessons for the same type and image, `standsAgainst` of `core/instance-type` decides which one is kept. *Cost:* one write. */
  learnMemory(lesson: LearnedMemory, nowMs: number): Promise<void>;
  /** Lessons that have not expired at `nowMs`. */
  listLearnedMemory(nowMs: number): Promise<readonly LearnedMemory[]>;
}
