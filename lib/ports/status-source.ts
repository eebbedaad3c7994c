import type { ClusterFacts, DeploymentFacts } from '../core/status/deployment-status.ts';

/** What `kerf status` reads. It changes nothing. *Errors:* UnreachableError, RefusedError. */
export interface StatusSource {
  /** The clusters in which a function has run, by name. */
  clusters(): Promise<readonly string[]>;
  cluster(name: string): Promise<ClusterFacts>;
  /** What cannot be read is left out, with the reason. */
  deployment(): Promise<DeploymentFacts>;
}
