/** A read that several claims of one run share. */
export type SharedRead<Value> = () => Promise<Value>;

/** Claims that ask at the same time wait for one read. A read that failed is repeated for the next claim that asks. */
export function sharedRead<Value>(read: () => Promise<Value>): SharedRead<Value> {
  let current: Promise<Value> | undefined;
  return async () => {
    current ??= read();
    const own = current;
    try {
      return await own;
    } catch (error) {
      if (current === own) current = undefined;
      throw error;
    }
  };
}
