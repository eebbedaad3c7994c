import { expect, test } from 'vitest';
import { remarks } from '../../lib/simulator/remarks.ts';

test('objects with the same remark are in one line, which names the first three', () => {
  const all = remarks();
  for (const name of ['a', 'b', 'a', 'c', 'd', 'e'])
    all.add('its volumes are not simulated', `StatefulSet shop/${name}`);
  expect(all.lines()).toEqual([
    'StatefulSet shop/a, StatefulSet shop/b, StatefulSet shop/c and 2 more: its volumes are not simulated',
  ]);
});

test('a remark about the whole simulation has no subject, and is one line however often it is added', () => {
  const all = remarks();
  all.add('Jobs without the annotation run for 1m');
  all.add('Jobs without the annotation run for 1m');
  all.add('it is not simulated', 'Ingress default/web');
  expect(all.lines()).toEqual(['Jobs without the annotation run for 1m', 'Ingress default/web: it is not simulated']);
});
