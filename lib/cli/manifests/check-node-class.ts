import type { BlockDeviceMapping, EC2NodeClass, SelectorTerm } from '../../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../../apis/ec2-node-class.ts';
import { checkKubelet } from './check-kubelet.ts';
import { type Path, quote, type Report } from './problem.ts';
import { isRecord } from './record.ts';

const FORBIDDEN_TAGS: ReadonlySet<string> = new Set([
  'eks:eks-cluster-name',
  'karpenter.sh/nodepool',
  'karpenter.sh/nodeclaim',
  'karpenter.k8s.aws/ec2nodeclass',
]);

/** The rules for an EC2NodeClass that look at more than one field (A3.2 to A3.19). */
export function checkNodeClass(nodeClass: EC2NodeClass, report: Report): void {
  const { spec } = nodeClass;
  checkTerms(
    { terms: spec.subnetSelectorTerms, at: ['spec', 'subnetSelectorTerms'], oneOf: ['tags', 'id'], alone: ['id'] },
    report,
  );
  const groups = {
    terms: spec.securityGroupSelectorTerms,
    at: ['spec', 'securityGroupSelectorTerms'],
    oneOf: ['tags', 'id', 'name'],
    alone: ['id', 'name'],
  };
  checkTerms(groups, report);
  checkAmiTerms(nodeClass, report);
  checkRole(spec, report);
  for (const name of Object.keys(spec.tags ?? {})) {
    if (FORBIDDEN_TAGS.has(name) || name.startsWith('kubernetes.io/cluster'))
      report(['spec', 'tags', name], 'Karpenter sets this tag itself', 'another tag');
  }
  checkBlockDevices(spec.blockDeviceMappings ?? [], report);
  checkKubelet(spec.kubelet ?? {}, report);
  checkUnread(spec, report);
}

interface Terms {
  readonly terms: readonly SelectorTerm[];
  readonly at: Path;
  readonly oneOf: readonly string[];
  readonly alone: readonly string[];
}

/** A3.2, A3.3: the server refuses an id beside tags only where every term does it. */
function checkTerms({ terms, at, oneOf, alone }: Terms, report: Report): void {
  for (const [index, term] of terms.entries()) {
    if (!oneOf.some((name) => Object.hasOwn(term, name)))
      report([...at, index], 'selects nothing', `one of ${oneOf.join(', ')}`);
  }
  const mixed = (term: SelectorTerm): boolean =>
    Object.keys(term).length > 1 && alone.some((name) => Object.hasOwn(term, name));
  if (terms.length > 0 && terms.every(mixed))
    report(
      [...at, 0],
      `${Object.keys(terms[0] ?? {}).join(' and ')} stand in one term`,
      `${alone.join(' or ')} alone in its term`,
    );
}

/** A3.4 to A3.6 */
function checkAmiTerms(nodeClass: EC2NodeClass, report: Report): void {
  const { amiSelectorTerms: terms, amiFamily } = nodeClass.spec;
  const at: Path = ['spec', 'amiSelectorTerms'];
  for (const [index, term] of terms.entries()) {
    const names = Object.keys(term);
    if (!['tags', 'id', 'name', 'alias', 'ssmParameter'].some((name) => names.includes(name)))
      report([...at, index], 'selects nothing', 'one of alias, id, name, tags, ssmParameter');
    for (const alone of ['alias', 'id']) {
      const others = names.filter((name) => name !== alone && name !== 'ssmParameter');
      if (names.includes(alone) && others.length > 0)
        report([...at, index, alone], `stands beside ${others.join(', ')}`, `${alone} alone in its term`);
    }
    if (term.alias !== undefined && terms.length > 1)
      report(
        [...at, index, 'alias'],
        `is one of ${terms.length} terms`,
        'an alias as the only term, or terms without an alias',
      );
  }
  const aliased = terms.some((term) => term.alias !== undefined);
  const { amiFamily: _, ...withoutFamily } = nodeClass.spec;
  const family = amiFamilyOf({ ...nodeClass, spec: withoutFamily });
  if (!aliased && amiFamily === undefined)
    report(
      ['spec', 'amiFamily'],
      'is missing, and no amiSelectorTerm has an alias',
      'amiFamily, or an alias such as al2023@latest',
    );
  if (aliased && amiFamily !== undefined && amiFamily !== family && amiFamily !== 'Custom') {
    report(['spec', 'amiFamily'], `${quote(amiFamily)} is not the family of the alias`, `${family}, Custom or nothing`);
  }
}

/** A3.10 */
function checkRole({ role, instanceProfile }: EC2NodeClass['spec'], report: Report): void {
  if (role === undefined && instanceProfile === undefined)
    report(
      ['spec', 'role'],
      'is missing, and so is instanceProfile',
      'the name of the IAM role of the nodes, or an instanceProfile',
    );
  if (role !== undefined && instanceProfile !== undefined)
    report(['spec', 'instanceProfile'], 'stands beside role', 'one of role and instanceProfile');
}

/** A3.19 */
function checkBlockDevices(mappings: readonly BlockDeviceMapping[], report: Report): void {
  const at: Path = ['spec', 'blockDeviceMappings'];
  for (const [index, { ebs }] of mappings.entries()) {
    if (ebs === undefined) continue;
    if (ebs.volumeSize === undefined && ebs['snapshotID'] === undefined)
      report([...at, index, 'ebs'], 'has neither volumeSize nor snapshotID', 'a volumeSize such as 100Gi');
    if (ebs['volumeInitializationRate'] !== undefined && ebs['snapshotID'] === undefined)
      report([...at, index, 'ebs', 'volumeInitializationRate'], 'has no snapshot to read', 'a snapshotID beside it');
  }
  const roots = mappings.flatMap(({ rootVolume }, index) => (rootVolume === true ? [index] : []));
  if (roots[1] !== undefined)
    report([...at, roots[1], 'rootVolume'], 'is a second root volume', 'rootVolume: true once');
}

/** A3.8, A3.9, A3.12: parts of the API that no decision reads yet, so that they have no type of their own. */
function checkUnread(spec: Readonly<Record<string, unknown>>, report: Report): void {
  const { capacityReservationSelectorTerms: reservations, placementGroupSelector: group, networkInterfaces } = spec;
  for (const [index, term] of (Array.isArray(reservations) ? reservations : []).entries()) {
    const useful = isRecord(term) && ['tags', 'id', 'instanceMatchCriteria'].some((name) => Object.hasOwn(term, name));
    if (!useful)
      report(
        ['spec', 'capacityReservationSelectorTerms', index],
        'selects nothing',
        'one of tags, id, instanceMatchCriteria',
      );
  }
  if (isRecord(group) && Object.keys(group).length !== 1)
    report(['spec', 'placementGroupSelector'], `has ${Object.keys(group).length} fields`, 'exactly one of name and id');
  if (Array.isArray(networkInterfaces)) checkNetworkInterfaces(networkInterfaces.filter(isRecord), report);
}

function checkNetworkInterfaces(interfaces: readonly Readonly<Record<string, unknown>>[], report: Report): void {
  const at: Path = ['spec', 'networkInterfaces'];
  const places = interfaces.map((entry) => `${indexOf(entry, 'networkCardIndex')}/${indexOf(entry, 'deviceIndex')}`);
  const primary = interfaces[places.indexOf('0/0')];
  if (primary === undefined || primary['interfaceType'] === 'efa-only')
    report(
      at,
      'has no interface for card 0, device 0',
      '{networkCardIndex: 0, deviceIndex: 0, interfaceType: interface} as one entry',
    );
  for (const [index, place] of places.entries()) {
    if (places.indexOf(place) !== index)
      report([...at, index], `card and device ${place} are here twice`, 'each card and device once');
    const card = place.split('/')[0];
    const efa = interfaces.findIndex(
      (entry, other) => entry['interfaceType'] === 'efa-only' && places[other]?.split('/')[0] === card,
    );
    if (interfaces[index]?.['interfaceType'] === 'efa-only' && efa !== index)
      report([...at, index], `is a second efa-only interface of card ${card ?? ''}`, 'at most one for each card');
  }
}

function indexOf(entry: Readonly<Record<string, unknown>>, field: string): number {
  const index = entry[field];
  return typeof index === 'number' ? index : 0;
}
