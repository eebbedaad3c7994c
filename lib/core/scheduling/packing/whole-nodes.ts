/** A type at its price, with an upper limit of the worth of the pods of one such node. */
export interface NodeOffer {
  readonly worth: number;
  readonly priceUsdPerHour: number;
}

/** Rounding to the cells makes the bound lower by at most one cell for each node. */
const CELLS = 2_048;

/**
 * The least price of two or more whole nodes whose worths are together at least that of the pods.
 *
 * It is a lower bound for every fleet of two or more nodes that holds the pods: each node has pods of at most the worth of its offer, and
 * all pods are on nodes, so the offers of the nodes are one of the combinations. Rounding the worths of offers up to cells only adds
 * combinations. Unlike the worth of the pods, which is a bound with fractions of nodes, the price includes the unused rest of nodes.
 * *Expects:* an offer for every node that may hold some of the pods, with a price that is not higher. *Units:* USD per hour. *Cost:*
 * O(offers). *Shape:* Infinity without offers.
 */
export function priceOfSeveralNodes(worthOfPods: number, offers: readonly NodeOffer[]): number {
  const cell = worthOfPods / CELLS;
  const sizes = offers.map(({ worth, priceUsdPerHour }) => ({
    cells: Math.ceil(worth / cell),
    price: priceUsdPerHour,
  }));
  const useful = sizes.filter(({ cells }) => cells > 0);
  // The least price of nodes for so many cells.
  const least = new Float64Array(CELLS + 1).fill(Number.POSITIVE_INFINITY);
  least[0] = 0;
  for (let wanted = 1; wanted <= CELLS; wanted += 1) {
    let price = Number.POSITIVE_INFINITY;
    for (const size of useful) price = Math.min(price, size.price + (least[Math.max(wanted - size.cells, 0)] ?? price));
    least[wanted] = price;
  }
  // After the first node, the second may have only pods without worth.
  const cheapest = Math.min(...sizes.map(({ price }) => price));
  return Math.min(
    ...sizes.map(({ cells, price }) => price + (cells < CELLS ? (least[CELLS - cells] ?? cheapest) : cheapest)),
  );
}
