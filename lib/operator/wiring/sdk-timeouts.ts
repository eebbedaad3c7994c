/** A service that does not answer must not use the whole time of the function; the next tick calls it again. */
export const SDK_TIMEOUTS = { connectionTimeout: 3_000, requestTimeout: 15_000, throwOnRequestTimeout: true };
