import { createServer } from 'node:http';
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { EksAccess } from '../../../../lib/providers/aws/eks/eks-access.ts';
import { eksToken } from '../../../../lib/providers/aws/eks/eks-token.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { awsError } from '../aws-error.ts';

const client = new EKSClient({ region: 'eu-west-3', maxAttempts: 1 });
const eks = mockClient(client);

const CLUSTER = {
  version: '1.33',
  status: 'ACTIVE' as const,
  endpoint: 'https://demo.eks.example',
  certificateAuthority: { data: 'Q0E=' },
  kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' },
};
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/Key+1', sessionToken: "tok'en(/+=)*!" };

function access() {
  let now = NOW_MS;
  const asked: number[] = [];
  const credentials = async () => {
    asked.push(now);
    return CREDENTIALS;
  };
  const clock = { now: () => now };
  const pass = (ms: number) => {
    now += ms;
  };
  return { access: new EksAccess({ client, cluster: 'demo', region: 'eu-west-3', credentials, clock }), pass, asked };
}

beforeEach(() => {
  eks.reset();
  eks.on(DescribeClusterCommand).resolves({ cluster: CLUSTER });
});

const urlOf = (token: string) => new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());

describe('the token', () => {
  test('it is a GetCallerIdentity call for this cluster, presigned by Signature Version 4', async () => {
    const token = await eksToken({ cluster: 'demo', region: 'eu-west-3', credentials: CREDENTIALS, nowMs: NOW_MS });
    expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
    const url = urlOf(token);
    expect(url.host).toBe('sts.eu-west-3.amazonaws.com');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20260131/eu-west-3/sts/aws4_request',
      'X-Amz-Date': '20260131T080000Z',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Security-Token': "tok'en(/+=)*!",
      // By the trial's own signer, whose tokens a verifier of a real API server accepted.
      'X-Amz-Signature': '59e565e7d34516f5dcc7436e19da932fb61ac9ca9105bdf7b2229831fa90e0d2',
    });
  });

  test('China has a domain of its own, and long-lived keys have no session token', async () => {
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const credentials = { accessKeyId, secretAccessKey };
    const url = urlOf(await eksToken({ cluster: 'demo', region: 'cn-north-1', credentials, nowMs: NOW_MS }));
    expect(url.host).toBe('sts.cn-north-1.amazonaws.com.cn');
    expect(url.searchParams.has('X-Amz-Security-Token')).toBe(false);
  });

  test('it is cached for 14 minutes, and then created from the current credentials', async () => {
    const { access: eksAccess, pass, asked } = access();
    const first = await eksAccess.token();
    pass(14 * MINUTE_MS - 1);
    expect(await eksAccess.token()).toBe(first);
    pass(1);
    expect(await eksAccess.token()).not.toBe(first);
    expect(asked).toEqual([NOW_MS, NOW_MS + 14 * MINUTE_MS]);
  });

  test('after the API server rejects it, it is created again from new credentials', async () => {
    let number = 0;
    const asked: boolean[] = [];
    const eksAccess = new EksAccess({
      client,
      cluster: 'demo',
      region: 'eu-west-3',
      credentials: async (fresh) => {
        asked.push(fresh);
        return { ...CREDENTIALS, accessKeyId: `AKID${(number += 1)}` };
      },
      clock: { now: () => NOW_MS },
    });
    const first = await eksAccess.token();
    const second = await eksAccess.token(first);
    expect(second).not.toBe(first);
    // Another call that was refused with the first finds the second there already.
    expect(await eksAccess.token(first)).toBe(second);
    expect(asked).toEqual([false, true]);
  });

  test('missing credentials are a rejected error', async () => {
    const eksAccess = new EksAccess({
      client,
      cluster: 'demo',
      region: 'eu-west-3',
      credentials: () => Promise.reject(awsError('CredentialsProviderError')),
      clock: { now: () => NOW_MS },
    });
    await expect(eksAccess.token()).rejects.toBeInstanceOf(RefusedError);
  });
});

describe('the cluster', () => {
  test('it has the parameters for nodes and clients, and is read once in ten minutes', async () => {
    const { access: eksAccess, pass } = access();
    expect(await eksAccess.describe()).toEqual({
      bootstrap: {
        clusterName: 'demo',
        endpoint: 'https://demo.eks.example',
        certificateAuthority: 'Q0E=',
        serviceCidr: '10.100.0.0/16',
      },
      kubernetesVersion: '1.33',
      autoMode: false,
    });
    await eksAccess.describe();
    expect(eks.calls()).toHaveLength(1);
    pass(10 * MINUTE_MS);
    await eksAccess.describe();
    expect(eks.calls()).toHaveLength(2);
  });

  test('the last answer of EKS is used while it does not respond, but not where it rejects the call', async () => {
    const { access: eksAccess, pass } = access();
    const said = await eksAccess.describe();
    pass(10 * MINUTE_MS);
    eks.on(DescribeClusterCommand).rejects(awsError('ServerException', 500));
    expect(await eksAccess.describe()).toBe(said);
    pass(30 * SECOND_MS - 1);
    expect(await eksAccess.describe()).toBe(said);
    expect(eks.calls()).toHaveLength(2);
    pass(1);
    eks.on(DescribeClusterCommand).rejects(awsError('ResourceNotFoundException', 404));
    await expect(eksAccess.describe()).rejects.toBeInstanceOf(RefusedError);
  });

  test('promise 7: a run waits for EKS for a short time only, if there is an earlier answer', async () => {
    let isSilent = false;
    const server = createServer((_, response) => {
      if (!isSilent) response.end(JSON.stringify({ cluster: CLUSTER }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const slow = new EKSClient({ region: 'eu-west-3', endpoint, credentials: CREDENTIALS });
    let now = NOW_MS;
    const clock = { now: () => now };
    const credentials = async () => CREDENTIALS;
    const within = { answerWithinMs: 20, clock, credentials };
    const eksAccess = new EksAccess({ client: slow, cluster: 'demo', region: 'eu-west-3', ...within });
    try {
      const said = await eksAccess.describe();
      isSilent = true;
      now += 5 * MINUTE_MS;
      expect(await eksAccess.autoMode()).toBe(false);
      expect(await eksAccess.describe()).toBe(said);
    } finally {
      slow.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    }
  });

  test('whether Auto Mode runs is asked again after five minutes: it may be turned on at any time', async () => {
    const { access: eksAccess, pass } = access();
    await eksAccess.describe();
    expect(await eksAccess.autoMode()).toBe(false);
    expect(eks.calls()).toHaveLength(1);
    eks.on(DescribeClusterCommand).resolves({ cluster: { ...CLUSTER, computeConfig: { enabled: true } } });
    pass(5 * MINUTE_MS - 1);
    expect(await eksAccess.autoMode()).toBe(false);
    pass(1);
    expect(await eksAccess.autoMode()).toBe(true);
    expect(eks.calls()).toHaveLength(2);
  });

  test('an IPv6 cluster gives its IPv6 network', async () => {
    const cluster = { ...CLUSTER, kubernetesNetworkConfig: { serviceIpv6Cidr: 'fd00::/108' } };
    eks.on(DescribeClusterCommand).resolves({ cluster });
    expect((await access().access.describe()).bootstrap.serviceCidr).toBe('fd00::/108');
  });

  test('a cluster that is being created or does not exist is rejected; a failure is retryable', async () => {
    eks.on(DescribeClusterCommand).resolves({ cluster: { status: 'CREATING' } });
    await expect(access().access.describe()).rejects.toThrow(/CREATING.*ACTIVE/);
    eks.on(DescribeClusterCommand).rejects(awsError('ResourceNotFoundException', 404));
    await expect(access().access.describe()).rejects.toBeInstanceOf(RefusedError);
    eks.on(DescribeClusterCommand).rejects(awsError('ServerException', 500));
    await expect(access().access.describe()).rejects.toBeInstanceOf(UnreachableError);
  });
});
