import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { SECOND_MS } from '../../apis/formats/time.ts';
import { whyNotRead } from '../../core/observed.ts';
import type { NodeClassResolution } from '../../ports/cloud-provider.ts';
import { RefusedError } from '../../ports/errors.ts';
import type { ResolvesNodeClasses } from '../run/ports.ts';
import { answered } from '../wait/waits.ts';
import type { Readings } from './readings.ts';

/** Promise 7: the calls for one class may hang, and by the limits of the SDK each takes 45 s. */
const RESOLVED_WITHIN_MS = 5 * SECOND_MS;

/**
 * Resolves a NodeClass. If EC2 refuses the calls, the NodeClass is unresolved, and others continue.
 * *Errors:* UnreachableError also if there is no answer within five seconds.
 */
export async function resolveForLaunch(
  ports: ResolvesNodeClasses,
  nodeClass: EC2NodeClass,
): Promise<NodeClassResolution> {
  try {
    const limit = { what: `resolve EC2NodeClass ${nodeClass.metadata.name}`, ms: RESOLVED_WITHIN_MS };
    return await answered(ports, limit, ports.cloud.resolveNodeClass(nodeClass));
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
