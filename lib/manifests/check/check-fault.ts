import { quote } from '../../apis/formats/quote.ts';
import type { ScenarioManifestEvent } from '../../apis/generated/scenario-manifest.ts';
import { FAULT_FIELDS } from '../../apis/scenario/fault-fields.ts';
import { PORT_CALLS } from '../../apis/scenario/port-calls.ts';
import { suggest } from '../../core/suggest.ts';
import type { Path, Report } from '../explain/problem.ts';

type Fault = NonNullable<ScenarioManifestEvent['fault']>;

/** Checks that the fault has the fields of its kind and no others, and that the calls that it names exist. */
export function checkFault(fault: Fault, at: Path, report: Report): void {
  const { kind, calls = [], call, how } = fault;
  const { required, optional, lasts, how: words = [] } = FAULT_FIELDS[kind];
  const allowed = [...required, ...optional, ...(lasts ? ['for'] : [])];
  const known = allowed.length === 0 ? 'no other field' : allowed.join(', ');
  for (const field of Object.keys(fault))
    if (field !== 'kind' && !allowed.includes(field))
      report([...at, field], `is not a field of the fault ${kind}`, `only its fields: ${known}`);
  for (const field of required)
    if (!Object.hasOwn(fault, field)) report([...at, field], 'is missing', `one for ${kind}`);
  if (how !== undefined && words.length > 0 && !words.includes(how))
    report([...at, 'how'], `${quote(how)} is not a way of the fault ${kind}`, `one of ${words.join(', ')}`);
  for (const [index, one] of calls.entries()) checkCall(one, [...at, 'calls', index], { known: PORT_CALLS, report });
  const methods = PORT_CALLS.filter((one) => !one.endsWith('*'));
  if (call !== undefined) checkCall(call, [...at, 'call'], { known: methods, report });
}

function checkCall(
  call: string,
  at: Path,
  { known, report }: { readonly known: readonly string[]; readonly report: Report },
): void {
  if (known.includes(call)) return;
  const nearest = suggest(call, known);
  const ofPort = known.filter((one) => one.startsWith(`${call.split('.')[0]}.`));
  const ports = 'a method of cluster, cloud, store, leases, catalogue or messages, such as cluster.listPods';
  report(
    at,
    `${quote(call)} is not a call of Kerf${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    nearest ?? (ofPort.length === 0 ? ports : `one of ${ofPort.join(', ')}`),
  );
}
