import type { UnavailableOffering } from '../core/action.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';

/**
 * Instance types, prices and missing capacity of one region, shared by all clusters of the account.
 * *Contract* (`test/contract/catalogue-store.ts`): a reader beside any number of writers sees one whole catalogue.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface CatalogueStore {
  /** Undefined until the catalogue function ran for the first time. */
  readCatalogue(): Promise<Catalogue | undefined>;
  writeCatalogue(catalogue: Catalogue): Promise<void>;
  /** Of two marks of one offering the later end stands. */
  markUnavailable(offering: UnavailableOffering): Promise<void>;
  /** Those that have not lapsed at `nowMs`. */
  listUnavailable(nowMs: number): Promise<readonly UnavailableOffering[]>;
}
