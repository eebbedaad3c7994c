import { isMap, isScalar, type Pair, YAMLMap } from 'yaml';
import { moveComments } from '../documents/comments.ts';
import { find, moveAll, newPair, present, put, rename, setText, take } from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

/** Converts ttlSecondsAfterEmpty and consolidation of v1alpha5 to disruption of v1. */
export function convertEmptiness(subject: ConversionSubject, spec: YAMLMap): YAMLMap {
  const ttl = present(spec, 'ttlSecondsAfterEmpty');
  const consolidates = isConsolidating(subject, spec);
  const consolidation = take(spec, 'consolidation');
  const former = take(spec, 'ttlSecondsAfterEmpty');
  const disruption = new YAMLMap();
  if (consolidates) put(disruption, 'consolidationPolicy', 'WhenEmptyOrUnderutilized');
  else if (ttl !== undefined) put(disruption, 'consolidationPolicy', 'WhenEmpty');
  const after =
    ttl === undefined
      ? newPair('consolidateAfter', consolidates ? '0s' : 'Never')
      : durationOf(ttl, 'consolidateAfter');
  if (ttl === undefined) moveComments(former, after);
  disruption.items.push(after);
  moveComments(consolidation, disruption.items[0] ?? after);
  if (ttl !== undefined && consolidates)
    subject.warn(
      ttl,
      'was set together with consolidation, which v1alpha5 rejected; in v1 it is the time to wait before a node is consolidated',
      'write consolidateAfter: 0s to consolidate at once',
    );
  if (ttl === undefined && !consolidates)
    subject.warn(
      { within: spec, field: 'consolidation' },
      'is not enabled and ttlSecondsAfterEmpty is not set, so empty nodes were never removed; consolidateAfter: Never preserves that',
      'write consolidateAfter: 0s to remove empty and underutilized nodes',
    );
  return disruption;
}

function isConsolidating(subject: ConversionSubject, spec: YAMLMap): boolean {
  const consolidation = present(spec, 'consolidation');
  if (consolidation === undefined) return false;
  const enabled = isMap(consolidation.value) ? present(consolidation.value, 'enabled') : undefined;
  const value = isScalar(enabled?.value) ? enabled.value.value : undefined;
  if (enabled === undefined ? !isMap(consolidation.value) : typeof value !== 'boolean')
    subject.warn(
      enabled ?? consolidation,
      'is not true or false, and is read as false',
      'write consolidation: {enabled: true} or leave consolidation out',
    );
  return value === true;
}

/** Converts ttlSecondsUntilExpired of v1alpha5 to expireAfter of v1. */
export function convertExpiry(subject: ConversionSubject, from: YAMLMap, to: YAMLMap): void {
  const ttl = present(from, 'ttlSecondsUntilExpired');
  const former = take(from, 'ttlSecondsUntilExpired');
  if (ttl === undefined) {
    const never = newPair('expireAfter', 'Never');
    moveComments(former, never);
    to.items.push(never);
    subject.warn(
      { within: from, field: 'ttlSecondsUntilExpired' },
      'was not set, so nodes did not expire; expireAfter: Never is written because the default of v1 is 720h',
      'write expireAfter: 720h to replace nodes every 30 days',
    );
    return;
  }
  to.items.push(durationOf(ttl, 'expireAfter'));
  warnOfForce(subject, ttl);
}

/** Moves disruption.expireAfter of v1beta1 to the template. In v1 a node keeps the value it was created with. */
export function moveExpiry(subject: ConversionSubject, disruption: YAMLMap, to: YAMLMap): void {
  const expiry = find(disruption, 'expireAfter');
  if (expiry === undefined) return;
  if (present(to, 'expireAfter') !== undefined) {
    take(disruption, 'expireAfter');
    subject.warn(
      expiry,
      "was removed: the template's spec.expireAfter is set too",
      'write only spec.template.spec.expireAfter',
    );
    return;
  }
  const never = isScalar(expiry.value) && (expiry.value.value === 'Never' || expiry.value.value === null);
  if (!never) warnOfForce(subject, expiry);
  take(to, 'expireAfter');
  moveAll(disruption, to, ['expireAfter']);
}

function warnOfForce(subject: ConversionSubject, expiry: Pair): void {
  subject.warn(
    expiry,
    'became spec.template.spec.expireAfter; in v1 an expired node is drained at once, regardless of disruption budgets',
    'write expireAfter: Never if nodes must not expire',
  );
}

/** Converts seconds to a duration. Any other value is kept, and validation reports it. */
function durationOf(seconds: Pair, name: string): Pair {
  const value: unknown = isScalar(seconds.value) ? seconds.value.value : undefined;
  rename(seconds, name);
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    setText(seconds, `${value}s`);
  return seconds;
}
