import { parseDuration } from '../../apis/formats/duration.ts';
import type { ScenarioManifest, ScenarioManifestLoad } from '../../apis/generated/scenario-manifest.ts';
import type { PodTemplate } from '../../apis/kubernetes.ts';
import type { Path, Report } from '../explain/problem.ts';
import { checkOne } from './check-one.ts';
import { checkPodSpec } from './check-pod-spec.ts';

const ARRIVALS = ['poisson', 'diurnal', 'batch'] as const;
const LIFETIMES = ['fixed', 'exponential'] as const;
const RATES = ['ratePercentPerHour', 'perHour'] as const;
/** Shorter times between batches take too long in one process. */
const MIN_EVERY_MS = 1_000;

/** Checks the loads, the trace and the spot interruptions of a Scenario. */
export function checkLoads(
  { loads = [], trace, spotInterruptions = [] }: ScenarioManifest['spec'],
  report: Report,
): void {
  const names = new Set<string>();
  for (const [index, load] of loads.entries()) {
    const at = ['spec', 'loads', index];
    const name = `${load.namespace ?? 'default'}/${load.name}`;
    if (names.has(name)) report([...at, 'name'], `${name} is a load already`, 'another name');
    names.add(name);
    checkLoad(load, at, report);
  }
  if (trace?.template !== undefined) checkTemplate(trace.template, ['spec', 'trace', 'template'], report);
  for (const [index, one] of spotInterruptions.entries()) {
    const at = ['spec', 'spotInterruptions', index];
    checkOne(
      RATES.filter((name) => one[name] !== undefined),
      at,
      { names: RATES, report },
    );
    checkPeriod(one, at, report);
  }
}

function checkLoad(load: ScenarioManifestLoad, at: Path, report: Report): void {
  const { arrivals, lifetime, template, cpu, memory } = load;
  checkOne(
    ARRIVALS.filter((name) => arrivals[name] !== undefined),
    [...at, 'arrivals'],
    { names: ARRIVALS, report },
  );
  checkOne(
    LIFETIMES.filter((name) => lifetime[name] !== undefined),
    [...at, 'lifetime'],
    { names: LIFETIMES, report },
  );
  checkPeriod(load, at, report);
  const every = arrivals.batch?.every;
  if (every !== undefined && (parseDuration(every) ?? 0) < MIN_EVERY_MS)
    report([...at, 'arrivals', 'batch', 'every'], `${every} is too short`, '1s or more');
  if (template !== undefined) {
    const field = cpu === undefined ? 'memory' : 'cpu';
    if (cpu !== undefined || memory !== undefined)
      report([...at, field], 'cannot be set together with template', 'the requests in the template');
    checkTemplate(template, [...at, 'template'], report);
  } else if (cpu === undefined && memory === undefined) report(at, 'has no requests', 'cpu, memory, or a template');
}

function checkTemplate({ spec }: PodTemplate, at: Path, report: Report): void {
  if (spec.restartPolicy === 'Always')
    report([...at, 'spec', 'restartPolicy'], 'Always is not allowed for a pod that ends', 'OnFailure or Never');
  checkPodSpec(spec, [...at, 'spec'], report);
}

function checkPeriod({ from, to }: { readonly from?: string; readonly to?: string }, at: Path, report: Report): void {
  if (to !== undefined && (parseDuration(to) ?? 0) <= (from === undefined ? 0 : (parseDuration(from) ?? 0)))
    report([...at, 'to'], `${to} is not after ${from ?? 'the start'}`, 'a later time');
}
