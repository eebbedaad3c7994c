/**
 * The source and the detail type of the event that wakes the catalogue function. The source is not that of decisions, so the archive and the
 * rules of others do not get it.
 */
export const CATALOGUE_WAKE = { Source: 'kerf.wakes', DetailType: 'Catalogue' } as const;
