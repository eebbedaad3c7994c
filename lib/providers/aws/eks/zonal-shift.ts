import { SECOND_MS } from '../../../apis/formats/time.ts';
import { ownField } from '../../../apis/record.ts';
import type { Clock } from '../../../ports/clock.ts';
import { RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { AnswerCache } from '../client/kept-answers.ts';
import { type AwsCredentials, awsDomain, requestSigner } from '../client/request-signer.ts';

export interface ZonalShiftOptions {
  readonly region: string;
  /** The ARN of the EKS cluster, which is the resource that ARC shifts. */
  readonly clusterArn: () => Promise<string>;
  readonly credentials: () => Promise<AwsCredentials>;
  /** Maps zone ids, which ARC uses, to zone names: `use1-az1` → `us-east-1c` in this account. */
  readonly zoneNames: () => Promise<ReadonlyMap<string, string>>;
  readonly clock: Clock;
  /** @default the runtime's own */
  readonly fetch?: typeof fetch;
}

/** C36. */
const KEPT_MS = 30 * SECOND_MS;
const PATIENCE_MS = 3 * SECOND_MS;
const SERVICE = 'arc-zonal-shift';

/**
 * The names of the zones that the cluster is shifted away from, by an operator, a practice run or AWS. A single signed request
 * replaces the ARC client. *Errors:* RefusedError, UnreachableError. *Source:* ARC's GetManagedResource.
 */
export function zonalShifts(options: ZonalShiftOptions): () => Promise<readonly string[]> {
  const kept = new AnswerCache<readonly string[]>(options.clock, () => true);
  return () => kept.ask({ key: 'shifts', keepMs: KEPT_MS }, () => readShifts(options));
}

async function readShifts(options: ZonalShiftOptions): Promise<readonly string[]> {
  const arn = await options.clusterArn();
  const answer = await get(options, arn);
  // A cluster that is not enabled for zonal shift cannot be shifted.
  if (answer === undefined) return [];
  const ids = shiftedIds(answer, options.clock.now());
  if (ids.length === 0) return [];
  const names = await options.zoneNames();
  return ids.flatMap((id) => names.get(id) ?? []).toSorted();
}

/** *Shape:* undefined for a resource that ARC does not have. */
async function get(
  { region, credentials, clock, fetch: call = fetch }: ZonalShiftOptions,
  arn: string,
): Promise<unknown> {
  const host = `${SERVICE}.${region}.${awsDomain(region)}`;
  const path = `/managedresources/${encodeURIComponent(arn)}`;
  const unsigned = { method: 'GET', protocol: 'https:', hostname: host, path, headers: { host } };
  const signer = requestSigner({ service: SERVICE, region, credentials: await credentials() });
  const { headers } = await signer.sign(unsigned, { signingDate: new Date(clock.now()) });
  const doing = `read the zonal shifts of ${arn}`;
  let answer: Response;
  try {
    answer = await call(`https://${host}${path}`, {
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status === 404) return undefined;
    if (answer.ok) return await answer.json();
  } catch (cause) {
    throw new UnreachableError(`${doing}: ARC did not answer within ${PATIENCE_MS} ms; try again later`, { cause });
  }
  const text = `${doing}: ARC answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`;
  if (answer.status === 429 || answer.status >= 500) throw new UnreachableError(text);
  throw new RefusedError(
    `${text}; allow arc-zonal-shift:GetManagedResource, or remove zonalShift from the cluster's options`,
  );
}

/** Only one of several shifts is in effect. A zonal shift has an expiry time in epoch seconds. */
function shiftedIds(answer: unknown, nowMs: number): readonly string[] {
  const ids = ['zonalShifts', 'autoshifts'].flatMap((key) => {
    const shifts = ownField(answer, key);
    if (!Array.isArray(shifts)) return [];
    return shifts.flatMap((shift: unknown) => {
      const expiry = ownField(shift, 'expiryTime');
      const over = typeof expiry === 'number' && expiry * SECOND_MS <= nowMs;
      const awayFrom = ownField(shift, 'awayFrom');
      return ownField(shift, 'appliedStatus') === 'APPLIED' && !over && typeof awayFrom === 'string' ? [awayFrom] : [];
    });
  });
  return [...new Set(ids)];
}
