import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { deletePod } from '../../../lib/providers/kubernetes/evictions.ts';
import { at, textAt } from '../../stack/json.ts';
import { adminClient, callApi, succeed } from '../support/api-client.ts';

const PODS = '/api/v1/namespaces/default/pods';

test('D24: the API server counts a shorter grace period from the first deletion, and leaves one second if it has passed', async () => {
  const client = adminClient();
  onTestFinished(() => client.close());
  const name = 'ends-slowly';
  await succeed({ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: 'without-kubelet' } } });
  const made = await succeed({
    method: 'POST',
    path: PODS,
    body: {
      metadata: { name, finalizers: ['example.com/held'] },
      spec: {
        nodeName: 'without-kubelet',
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'none' }],
      },
    },
  });
  const uid = textAt(made.body, 'metadata', 'uid');
  const deleted = async (graceSeconds: number) => {
    await deletePod(client, { namespace: 'default', name, uid }, graceSeconds);
    const { body } = await callApi({ method: 'GET', path: `${PODS}/${name}` });
    const endMs = Date.parse(textAt(body, 'metadata', 'deletionTimestamp'));
    return { endMs, seconds: at(body, 'metadata', 'deletionGracePeriodSeconds') };
  };
  const first = await deleted(600);
  expect(await deleted(300)).toEqual({ endMs: first.endMs - 300_000, seconds: 300 });
  expect(await deleted(400)).toEqual({ endMs: first.endMs - 300_000, seconds: 300 });
  await setTimeout(3_000);
  expect((await deleted(2)).seconds).toBe(1);
});
