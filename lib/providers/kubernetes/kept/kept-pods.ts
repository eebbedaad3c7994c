import type { Pod } from '../../../apis/kubernetes.ts';
import type { Clock } from '../../../ports/clock.ts';
import { UNBOUND_PODS } from '../client/kinds.ts';
import { type Listing, listWithVersion } from '../client/lists.ts';
import { KeptList, type KeptListOptions } from './kept-list.ts';
import type { ListHead } from './list-head.ts';
import { type ListView, versionOf } from './list-view.ts';

/** The maximum age of the list of unbound pods. An older one belongs to an earlier run. */
const SAME_RUN_MS = 5_000;

/** Reads all pods, and pods without a node. The list of the latter is the head that a read of all pods in the same run reaches. */
export class KeptPods {
  readonly #options: KeptListOptions<Pod> & { readonly clock: Clock };
  readonly #pods: KeptList<Pod>;
  #unbound: { readonly listing: Listing<Pod>; readonly readAtMs: number } | undefined;

  constructor(options: KeptListOptions<Pod> & { readonly clock: Clock }) {
    this.#options = options;
    this.#pods = new KeptList(options);
  }

  async listUnbound(): Promise<readonly Pod[]> {
    const { client, clock, runEnd } = this.#options;
    const readAtMs = clock.now();
    const listing = await listWithVersion(client, { ...UNBOUND_PODS, signal: runEnd.signal });
    this.#unbound = { listing, readAtMs };
    return listing.items;
  }

  async list(): Promise<readonly Pod[]> {
    const unbound = this.#unbound;
    this.#unbound = undefined;
    const isOfThisRun = unbound !== undefined && this.#options.clock.now() - unbound.readAtMs < SAME_RUN_MS;
    return await this.#pods.read(isOfThisRun ? headOf(unbound.listing) : undefined);
  }

  async changing<Result>(write: Promise<Result>): Promise<Result> {
    this.#unbound = undefined;
    return await this.#pods.changing(write);
  }
}

function headOf({ items, resourceVersion }: Listing<Pod>): ListHead<Pod> {
  return { resourceVersion, agrees: (view) => hasUnbound(view, items) };
}

/** True if the view has exactly these pods without a node, in the same versions. */
function hasUnbound(view: ListView<Pod>, unbound: readonly Pod[]): boolean {
  const seen = view.list().filter(({ spec }) => spec.nodeName === undefined).length;
  return (
    seen === unbound.length &&
    unbound.every((pod) => {
      const known = view.get(pod.metadata);
      return known !== undefined && known.spec.nodeName === undefined && versionOf(known) === versionOf(pod);
    })
  );
}
