import { quote } from '../../apis/formats/quote.ts';
import type { ScenarioManifest, ScenarioManifestEvent } from '../../apis/generated/scenario-manifest.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { inScenarioNamespace, parseWorkload } from '../../apis/scenario/scenario.ts';
import { chooseRegion } from '../../catalogue/choose-region.ts';
import { shippedFacts, shippedZones } from '../../catalogue/figures.ts';
import { suggest } from '../../core/suggest.ts';
import type { Path, Report } from '../explain/problem.ts';
import { checkReference, type Names } from './check-reference.ts';

interface ScenarioReferences {
  readonly manifest: ScenarioManifest;
  readonly nodePools: readonly NodePool[];
  readonly names: Names;
  readonly report: Report;
}

/** Checks that the objects, zones and instance types that a Scenario names exist. */
export function checkScenarioReferences(references: ScenarioReferences): void {
  const { manifest } = references;
  const { events = [], usage = [], spotInterruptions = [] } = manifest.spec;
  for (const [index, { target }] of usage.entries()) {
    const at = ['spec', 'usage', index, 'target'];
    checkReference({ ...parseWorkload(target), at }, references.names, references.report);
  }
  for (const [index, one] of spotInterruptions.entries()) {
    const at = ['spec', 'spotInterruptions', index];
    checkNodePool(one.nodePool, at, references);
    checkPlaces(one, at, references);
  }
  for (const [index, event] of events.entries()) {
    const at = ['spec', 'events', index];
    checkObjects(event, at, references);
    const { interruptSpot, withoutCapacity, zoneOutage, boots, fault } = event;
    const parts = { interruptSpot, withoutCapacity, zoneOutage, boots, fault };
    for (const [name, value] of Object.entries<Places | undefined>(parts))
      if (value !== undefined) checkPlaces(value, [...at, name], references);
  }
}

function checkObjects(
  { scale, deleteNode, interruptSpot }: ScenarioManifestEvent,
  at: Path,
  references: ScenarioReferences,
): void {
  const { names, report } = references;
  if (scale?.workload !== undefined)
    checkReference({ ...parseWorkload(scale.workload), at: [...at, 'scale', 'workload'] }, names, report);
  if (scale?.deployment !== undefined) {
    const key = inScenarioNamespace(scale.deployment);
    checkReference({ kind: 'Deployment', key, at: [...at, 'scale', 'deployment'] }, names, report);
  }
  for (const [name, field] of Object.entries({ deleteNode, interruptSpot }))
    checkNodePool(field?.nodePool, [...at, name], references);
}

function checkNodePool(key: string | undefined, at: Path, { names, report }: ScenarioReferences): void {
  if (key !== undefined) checkReference({ kind: 'NodePool', key, at: [...at, 'nodePool'] }, names, report);
}

/** The fields of the parts of a Scenario that name zones and instance types. */
interface Places {
  readonly zone?: string;
  readonly zones?: readonly string[];
  readonly instanceTypes?: readonly string[];
}

function checkPlaces({ zone, zones = [], instanceTypes = [] }: Places, at: Path, references: ScenarioReferences): void {
  const { report } = references;
  if (zone !== undefined) checkZone(zone, [...at, 'zone'], references);
  for (const [index, one] of zones.entries()) checkZone(one, [...at, 'zones', index], references);
  if (instanceTypes.length === 0) return;
  const known = shippedFacts().map(({ name }) => name);
  for (const [index, one] of instanceTypes.entries()) {
    if (known.includes(one)) continue;
    const nearest = suggest(one, known);
    report(
      [...at, 'instanceTypes', index],
      `${quote(one)} is not an instance type with figures${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
      nearest ?? 'names of instance types, such as m7g.large',
    );
  }
}

/** A zone must be in the region of the files. If they name none, --region may choose any region. */
function checkZone(zone: string, at: Path, { manifest, nodePools, report }: ScenarioReferences): void {
  const all = shippedZones();
  const requested = manifest.spec.region;
  const choice = requested === undefined ? undefined : { region: requested, because: 'spec.region' };
  const { region, because } = chooseRegion(nodePools, choice);
  const ofRegion = because === 'the default' ? undefined : all.get(region);
  const known = [...(ofRegion === undefined ? [...all.values()].flatMap((one) => [...one.keys()]) : ofRegion.keys())];
  if (known.includes(zone)) return;
  const nearest = suggest(zone, known);
  const where = ofRegion === undefined ? 'any region' : `${region} (${because})`;
  report(
    at,
    `${quote(zone)} is not a zone of ${where}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    ofRegion === undefined ? 'the name of a zone, such as us-east-1a' : `one of ${known.toSorted().join(', ')}`,
  );
}
