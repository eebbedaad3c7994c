/**
 * The source and the detail type of the event that wakes the catalogue function. The source is not that of decisions, so the archive and the
 * rules of others do not get it.
 */
export const CATALOGUE_WAKE = { Source: 'kerf.wakes', DetailType: 'Catalogue' } as const;

/** In a wake of the catalogue function, in place of the name of a cluster: it serves all clusters. */
export const ALL_CLUSTERS = '*';
