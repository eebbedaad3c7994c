import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { NodeClassResolution } from '../../ports/cloud-provider.ts';
import { RefusedError } from '../../ports/errors.ts';
import type { ResolvesNodeClasses } from '../run/ports.ts';

/** Resolves a NodeClass. If EC2 refuses the calls, the NodeClass is unresolved, and others continue. */
export async function resolveForLaunch(
  ports: ResolvesNodeClasses,
  nodeClass: EC2NodeClass,
): Promise<NodeClassResolution> {
  try {
    return await ports.cloud.resolveNodeClass(nodeClass);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const problem = { reason: 'Refused', message: error.message } as const;
    return { kind: 'unresolved', ...problem, problems: [problem], found: {} };
  }
}
