import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { whyNotRead } from '../../core/observed.ts';
import type { NodeClassResolution } from '../../ports/cloud-provider.ts';
import { RefusedError } from '../../ports/errors.ts';
import type { ResolvesNodeClasses } from '../run/ports.ts';
import type { Readings } from './readings.ts';

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

/** What a NodeClass selects, or the message of the refusal NotRead. */
export type ObservedResolution = NodeClassResolution | { readonly kind: 'unread'; readonly message: string };

/** Resolves a NodeClass in a run that continues if a call fails. */
export async function observeResolution(
  ports: ResolvesNodeClasses,
  nodeClass: EC2NodeClass,
  log: Readings,
): Promise<ObservedResolution> {
  const what = `what EC2NodeClass ${nodeClass.metadata.name} selects`;
  const observed = await log.observe(what, async () => resolveForLaunch(ports, nodeClass));
  return observed.kind === 'read' ? observed.value : { kind: 'unread', message: whyNotRead(what, observed) };
}
