/**
 * In the package, this file replaces undici, which needs Node.js 22. `@kubernetes/client-node` makes agents of undici for its own
 * requests. Kerf takes only the token of a kubeconfig from it, and sends its requests itself.
 */
export const [Agent, ProxyAgent] = [Object, Object];

/** *Errors:* always; no request of the package goes through undici. */
export function fetch(): never {
  throw new Error('the package does not contain undici');
}
