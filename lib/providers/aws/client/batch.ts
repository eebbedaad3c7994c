/** Long enough to collect the claims of a run, and short compared with the call. */
const WINDOW_MS = 20;

export interface BatchOptions {
  /** *Shape:* the errors by id; the other ids succeeded. A thrown error applies to all ids. */
  readonly call: (ids: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;
  /** The maximum number of ids per call. */
  readonly most: number;
  /** How long to collect ids. @default 20 ms */
  readonly wait?: () => Promise<void>;
}

/**
 * Runs an operation for one id. Ids that arrive at about the same time share a call (C51), without duplicates.
 * *Errors:* those of the id, or of the whole call.
 */
export function batched({ call, most, wait = window }: BatchOptions): (id: string) => Promise<void> {
  let open: Batch | undefined;
  const flush = async (batch: Batch): Promise<void> => {
    await wait();
    if (open === batch) open = undefined;
    await settle(batch, call);
  };
  return async (id) => {
    const batch: Batch = open ?? new Map();
    const answer = batch.get(id) ?? Promise.withResolvers<void>();
    batch.set(id, answer);
    if (open === undefined) {
      void flush(batch);
    }
    open = batch.size < most ? batch : undefined;
    return answer.promise;
  };
}

type Batch = Map<string, PromiseWithResolvers<void>>;

async function window(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
}

async function settle(batch: Batch, call: BatchOptions['call']): Promise<void> {
  try {
    const failed = await call([...batch.keys()]);
    for (const [id, { resolve, reject }] of batch) {
      if (failed.has(id)) reject(failed.get(id));
      else resolve();
    }
  } catch (error) {
    for (const { reject } of batch.values()) reject(error);
  }
}
