/** What the API server fills in, by the definitions that Kerf installs. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { at } from '../stack/json.ts';
import { read } from './support/api-client.ts';
import { create, installDefinitions, pathOf, removeAll, type Sample } from './support/resources.ts';
import { aCapacityBuffer, aNodeClaim, aNodeClass, aNodeOverlay, aNodePool, aTemplate } from './support/samples.ts';

beforeAll(installDefinitions);
afterEach(removeAll);

interface Defaulted {
  readonly what: string;
  readonly row: string;
  readonly object: Sample;
  /** The complete spec in the response. */
  readonly spec: Readonly<Record<string, unknown>>;
}

const DISRUPTION = {
  consolidateAfter: '0s',
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  budgets: [{ nodes: '10%' }],
};
const METADATA_OPTIONS = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
};
const template = aTemplate({ expireAfter: '720h' });
const withDisruption = (disruption: Readonly<Record<string, unknown>>) => aNodePool({ disruption }).spec;

const DEFAULTED: readonly Defaulted[] = [
  {
    what: 'a NodePool without disruption gets all of it, and an expiry',
    row: 'A1.9, A1.11, A1.13, A1.14',
    object: aNodePool(),
    spec: aNodePool({ template, disruption: DISRUPTION }).spec,
  },
  {
    what: 'a NodePool with a part of disruption gets the rest',
    row: 'A1.11–A1.14',
    object: aNodePool({ disruption: { consolidateAfter: '5m' } }),
    spec: { ...withDisruption({ ...DISRUPTION, consolidateAfter: '5m' }), template },
  },
  {
    what: 'a budget without nodes allows 10 %',
    row: 'A1.15',
    object: aNodePool({ disruption: { consolidateAfter: '0s', budgets: [{ reasons: ['Drifted'] }] } }),
    spec: { ...withDisruption({ ...DISRUPTION, budgets: [{ nodes: '10%', reasons: ['Drifted'] }] }), template },
  },
  {
    what: 'a NodePool keeps what it says',
    row: 'A1.9, A1.12, A1.13',
    object: aNodePool(
      { disruption: { consolidateAfter: 'Never', consolidationPolicy: 'Balanced', budgets: [{ nodes: '0' }] } },
      { expireAfter: 'Never', terminationGracePeriod: '1h30m' },
    ),
    spec: aNodePool(
      { disruption: { consolidateAfter: 'Never', consolidationPolicy: 'Balanced', budgets: [{ nodes: '0' }] } },
      { expireAfter: 'Never', terminationGracePeriod: '1h30m' },
    ).spec,
  },
  {
    what: 'a NodeClaim gets an expiry',
    row: 'A2.1',
    object: aNodeClaim(),
    spec: aNodeClaim({ expireAfter: '720h' }).spec,
  },
  {
    what: 'an EC2NodeClass without metadata options gets the careful ones',
    row: 'A3.23',
    object: aNodeClass(),
    spec: aNodeClass({ metadataOptions: METADATA_OPTIONS }).spec,
  },
  {
    what: 'an EC2NodeClass with some metadata options gets the others',
    row: 'A3.23',
    object: aNodeClass({ metadataOptions: { httpPutResponseHopLimit: 2 } }),
    spec: aNodeClass({ metadataOptions: { ...METADATA_OPTIONS, httpPutResponseHopLimit: 2 } }).spec,
  },
  {
    what: 'the kubelet settings of an EC2NodeClass come back as they are, unknown settings too',
    row: 'A3.15',
    object: aNodeClass({ kubelet: { maxPods: 58, clusterDNS: ['10.100.0.10'], somethingNew: { deep: [1] } } }),
    spec: aNodeClass({
      kubelet: { maxPods: 58, clusterDNS: ['10.100.0.10'], somethingNew: { deep: [1] } },
      metadataOptions: METADATA_OPTIONS,
    }).spec,
  },
  { what: 'a NodeOverlay gets nothing', row: 'A4', object: aNodeOverlay(), spec: aNodeOverlay().spec },
  {
    what: 'a CapacityBuffer gets its strategy',
    row: 'A5.2',
    object: aCapacityBuffer(),
    spec: { ...aCapacityBuffer().spec, provisioningStrategy: 'buffer.x-k8s.io/active-capacity' },
  },
];

test.each(DEFAULTED)('$what ($row)', async ({ object, spec }) => {
  const { status, body } = await create(object);
  expect(at(body, 'message')).toBeUndefined();
  expect(status).toBe(201);
  expect(at(await read(pathOf(object)), 'spec')).toEqual(spec);
});
