import type { Pod } from '../../apis/kubernetes.ts';
import { type Refusal, refusal } from '../scheduling/refusal.ts';

/** What a pod asks for that the scheduling here does not weigh yet: a node for it might be the wrong one. */
export function whyUnsupported({ spec }: Pod): Refusal | undefined {
  const volumes = (spec.volumes ?? []).filter(
    (one) => one.persistentVolumeClaim !== undefined || one.ephemeral !== undefined,
  );
  if (volumes.length > 0) {
    const names = volumes.map(({ name }) => name).join(', ');
    return refusal('Unsupported', `persistent volumes are not supported yet: ${names}`, { volumes: volumes.length });
  }
  const claims = spec.resourceClaims ?? [];
  if (claims.length === 0) return undefined;
  return refusal(
    'Unsupported',
    `resource claims (DRA) are not supported yet: ${claims.map(({ name }) => name).join(', ')}`,
  );
}
