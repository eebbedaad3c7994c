import type { DescribedCluster } from '../../../lib/ports/doctor.ts';

/** A cluster in which Kerf can be installed. */
export function aDescribedCluster(over: Partial<DescribedCluster> = {}): DescribedCluster {
  return {
    name: 'demo',
    status: 'ACTIVE',
    kubernetesVersion: '1.35',
    authenticationMode: 'API',
    endpoint: { isPublic: true, isPrivate: false, publicCidrs: ['0.0.0.0/0'] },
    autoMode: false,
    ...over,
  };
}
