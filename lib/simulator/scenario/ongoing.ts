/** What events of a Scenario cause over a time. Several events may cause the same at the same time. */
export interface Ongoing {
  /** An event begins to cause this. *Shape:* a function that ends it, and returns whether no other event causes the same. */
  begin(what: string): () => boolean;
}

export function ongoing(): Ongoing {
  const causes = new Map<string, number>();
  return {
    begin(what) {
      causes.set(what, (causes.get(what) ?? 0) + 1);
      return () => {
        const left = (causes.get(what) ?? 0) - 1;
        causes.set(what, left);
        return left === 0;
      };
    },
  };
}
