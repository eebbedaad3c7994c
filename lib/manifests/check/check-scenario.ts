import { parseDuration } from '../../apis/formats/duration.ts';
import { quote } from '../../apis/formats/quote.ts';
import type { ScenarioManifest, ScenarioManifestEvent } from '../../apis/generated/scenario-manifest.ts';
import type { Path, Report } from '../explain/problem.ts';
import { checkFault } from './check-fault.ts';
import { checkLoads } from './check-loads.ts';
import { checkOne } from './check-one.ts';

const ACTIONS = [
  ...(['scale', 'deleteNode', 'interruptSpot', 'withoutCapacity', 'zoneOutage'] as const),
  ...(['throttle', 'boots', 'quota', 'fault', 'deletePod', 'releaseImages'] as const),
] as const;
const SCALED = ['deployment', 'workload'] as const;
const NODE_CHOICES = ['name', 'nodePool', 'any'] as const;

/** Checks the rules for a Scenario that involve more than one field. */
export function checkScenario({ spec }: ScenarioManifest, report: Report): void {
  checkLoads(spec, report);
  checkUsage(spec, report);
  const end = spec.duration === undefined ? undefined : parseDuration(spec.duration);
  for (const [index, event] of (spec.events ?? []).entries()) {
    const at = ['spec', 'events', index];
    checkOne(
      ACTIONS.filter((name) => event[name] !== undefined),
      at,
      { names: ACTIONS, report },
    );
    checkScaled(event, [...at, 'scale'], report);
    checkNodeChoice(event, [...at, 'deleteNode'], report);
    checkBoots(event, [...at, 'boots'], report);
    if (event.fault !== undefined) checkFault(event.fault, [...at, 'fault'], report);
    if (end !== undefined && (parseDuration(event.at) ?? 0) > end) {
      report(
        [...at, 'at'],
        `${quote(event.at)} is after the end of the simulation`,
        `at most ${spec.duration ?? ''}, or a longer spec.duration`,
      );
    }
  }
}

function checkUsage({ usage = [] }: ScenarioManifest['spec'], report: Report): void {
  for (const [index, { cpu, repeats }] of usage.entries()) {
    if (repeats === undefined) continue;
    const at = ['spec', 'usage', index];
    const repeatsMs = parseDuration(repeats) ?? 0;
    if (repeatsMs === 0)
      report([...at, 'repeats'], `${quote(repeats)} is not long enough`, 'a duration such as 24h, or no repeats');
    for (const [place, point] of cpu.entries())
      if (repeatsMs > 0 && (parseDuration(point.at) ?? 0) > repeatsMs)
        report([...at, 'cpu', place, 'at'], `${quote(point.at)} is after the curve repeats`, `at most ${repeats}`);
  }
}

function checkScaled({ scale }: ScenarioManifestEvent, at: Path, report: Report): void {
  if (scale === undefined) return;
  const found = SCALED.filter((name) => scale[name] !== undefined);
  checkOne(found, at, { names: SCALED, report });
}

function checkNodeChoice({ deleteNode }: ScenarioManifestEvent, at: Path, report: Report): void {
  if (deleteNode === undefined) return;
  checkOne(
    NODE_CHOICES.filter((name) => deleteNode[name] !== undefined),
    at,
    { names: NODE_CHOICES, report },
  );
  if (deleteNode.any === false) report([...at, 'any'], 'false selects no node', 'any: true, a name or a nodePool');
}

function checkBoots({ boots }: ScenarioManifestEvent, at: Path, report: Report): void {
  if (boots !== undefined && boots.slowBy === undefined && (boots.failPercent ?? 0) === 0)
    report(at, 'changes nothing', 'slowBy, failPercent, or both');
}
