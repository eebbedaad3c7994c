/** The version of Kerf, that of package.json: a bundle would have all of package.json for it. */
export const KERF_VERSION = '0.1.0';
