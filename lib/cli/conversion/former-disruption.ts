import { isMap, isScalar, type Pair, YAMLMap } from 'yaml';
import { moveComments } from './comments.ts';
import type { Subject } from './subject.ts';
import { find, moveAll, newPair, present, put, rename, setText, take } from './yaml-map.ts';

/** v1alpha5's ttlSecondsAfterEmpty and consolidation as v1's disruption. */
export function convertEmptiness(subject: Subject, spec: YAMLMap): YAMLMap {
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
      'stood beside consolidation, which v1alpha5 refused; in v1 it is the time that a node is left alone before it is consolidated',
      'write consolidateAfter: 0s to consolidate at once',
    );
  if (ttl === undefined && !consolidates)
    subject.warn(
      { within: spec, field: 'consolidation' },
      'is not enabled and ttlSecondsAfterEmpty not given, so no node was ever removed for being empty; consolidateAfter: Never keeps that',
      'write consolidateAfter: 0s to let empty and underused nodes go',
    );
  return disruption;
}

function isConsolidating(subject: Subject, spec: YAMLMap): boolean {
  const consolidation = present(spec, 'consolidation');
  if (consolidation === undefined) return false;
  const enabled = isMap(consolidation.value) ? present(consolidation.value, 'enabled') : undefined;
  const value = isScalar(enabled?.value) ? enabled.value.value : undefined;
  if (enabled === undefined ? !isMap(consolidation.value) : typeof value !== 'boolean')
    subject.warn(
      enabled ?? consolidation,
      'is not true or false, and was taken as false',
      'write consolidation: {enabled: true} or leave consolidation out',
    );
  return value === true;
}

/** v1alpha5's ttlSecondsUntilExpired as v1's expireAfter. */
export function convertExpiry(subject: Subject, from: YAMLMap, to: YAMLMap): void {
  const ttl = present(from, 'ttlSecondsUntilExpired');
  const former = take(from, 'ttlSecondsUntilExpired');
  if (ttl === undefined) {
    const never = newPair('expireAfter', 'Never');
    moveComments(former, never);
    to.items.push(never);
    subject.warn(
      { within: from, field: 'ttlSecondsUntilExpired' },
      'was not given, so no node expired; expireAfter: Never is written out because v1 would replace every node after 720h',
      'write expireAfter: 720h to renew the nodes monthly',
    );
    return;
  }
  to.items.push(durationOf(ttl, 'expireAfter'));
  warnOfForce(subject, ttl);
}

/** v1beta1's disruption.expireAfter went to the template, so that each node keeps the one it was made with. */
export function moveExpiry(subject: Subject, disruption: YAMLMap, to: YAMLMap): void {
  const expiry = find(disruption, 'expireAfter');
  if (expiry === undefined) return;
  if (present(to, 'expireAfter') !== undefined) {
    take(disruption, 'expireAfter');
    subject.warn(
      expiry,
      "was left out: the template's spec.expireAfter is there too",
      'write spec.template.spec.expireAfter only',
    );
    return;
  }
  const never = isScalar(expiry.value) && (expiry.value.value === 'Never' || expiry.value.value === null);
  if (!never) warnOfForce(subject, expiry);
  take(to, 'expireAfter');
  moveAll(disruption, to, ['expireAfter']);
}

function warnOfForce(subject: Subject, expiry: Pair): void {
  subject.warn(
    expiry,
    'became spec.template.spec.expireAfter; in v1 an expired node is drained at once, whatever the disruption budgets say',
    'write expireAfter: Never if nodes must not be drained for their age',
  );
}

/** Seconds as a duration; what is no number of seconds stays as it is, for validation to show. */
function durationOf(seconds: Pair, name: string): Pair {
  const value: unknown = isScalar(seconds.value) ? seconds.value.value : undefined;
  rename(seconds, name);
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    setText(seconds, `${value}s`);
  return seconds;
}
