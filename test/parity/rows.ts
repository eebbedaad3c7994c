/** Further contents of docs/parity, for rows that no test cites by name. The rows are in docs/behaviour. */

export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** Tests that cover a row and do not cite it, because they cover more than the row. */
export const HELD_BY: Readonly<Record<string, readonly NamedTest[]>> = {
  B1: [
    { file: 'test/controllers/webhook.test.ts', title: 'a review wakes' },
    { file: 'test/controllers/run/twice.test.ts', title: 'if every wake is lost, ticks alone complete the work' },
  ],
  B2: [
    {
      file: 'test/stack/kerf-stack.test.ts',
      title:
        'a wake queue collects for a second, and no queue has a maximum concurrency, with which it is polled more often',
    },
    { file: 'test/operator/wake-batch.test.ts', title: 'a storm of wakes is one run for each cluster' },
  ],
  B3: [{ file: 'test/core/cluster/state-node.test.ts', title: 'a claim without a node is included by its record' }],
  B4: [
    {
      file: 'test/operator/wake-batch.test.ts',
      title: 'a cluster that hangs is given up before the function runs out of time; the others are done',
    },
  ],
  B60: [{ file: 'test/core/provisioning/provision.test.ts', title: '$what are refused with a reason' }],
};

/** The reasons why some rows cannot have a test. */
export const NOT_HELD: Readonly<Record<string, string>> = {
  B22: 'Kerf adds no constraints, so there is no behaviour to test',
  B64: 'Karpenter decides nothing by its predictions, so there is no behaviour to test',
};
