import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  answerCustomResource,
  type CloudFormationResource,
  putAnswer,
  UnfinishedError,
} from '../../../lib/operator/lambda/custom-resource.ts';
import { OptionError } from '../../../lib/operator/options/option-values.ts';
import { noMoreInstalled, readInstalledClusters } from '../../../lib/operator/wiring/installed-clusters.ts';

const COMMON = {
  ServiceToken: 'token',
  ResponseURL: 'https://s3.test/answer',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'Access',
  ResourceType: 'AWS::CloudFormation::CustomResource',
};
const CREATE: CloudFormationCustomResourceEvent = {
  ...COMMON,
  RequestType: 'Create',
  ResourceProperties: { ServiceToken: 'token', Access: 'new' },
};
const UPDATE: CloudFormationCustomResourceEvent = {
  ...CREATE,
  RequestType: 'Update',
  PhysicalResourceId: 'physical',
  OldResourceProperties: { ServiceToken: 'token', Access: 'old' },
};
const DELETE: CloudFormationCustomResourceEvent = { ...CREATE, RequestType: 'Delete', PhysicalResourceId: 'physical' };

let done: string[];
let answers: Record<string, unknown>[];

const runtime = {
  telemetry: { error: () => {} },
  put: async (_url: string, body: string) => {
    const answer: Record<string, unknown> = JSON.parse(body);
    answers.push(answer);
  },
};
const resource: CloudFormationResource = {
  install: async ({ Access }) => void done.push(`install ${String(Access)}`),
  remove: async ({ Access }, kept) => {
    done.push(`remove ${String(Access)} but ${String(kept?.['Access'])}`);
    return 'done';
  },
};

beforeEach(() => {
  done = [];
  answers = [];
});

describe('CloudFormation is answered', () => {
  test('when something is created, under a name that stays', async () => {
    await answerCustomResource(runtime, CREATE, resource);
    expect(done).toEqual(['install new']);
    expect(answers).toEqual([
      expect.objectContaining({ Status: 'SUCCESS', PhysicalResourceId: 'Access', RequestId: 'request' }),
    ]);
  });

  test('on an update: installs the new first, then removes the old, under the same name', async () => {
    await answerCustomResource(runtime, UPDATE, resource);
    expect(done).toEqual(['install new', 'remove old but new']);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS', PhysicalResourceId: 'physical' })]);
  });

  test('when it fails, with the reason', async () => {
    const failing = { ...resource, install: async () => Promise.reject(new Error('no way in')) };
    await answerCustomResource(runtime, CREATE, failing);
    expect(answers).toEqual([expect.objectContaining({ Status: 'FAILED', Reason: 'no way in' })]);
  });

  test('with success when the removal fails, because a stack must be deletable without its cluster', async () => {
    const failing = { ...resource, remove: async () => Promise.reject(new Error('no such cluster')) };
    await answerCustomResource(runtime, DELETE, failing);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
  });

  test('when what was there before cannot be taken back, with success: a rollback reads what a newer version wrote', async () => {
    const newer = new OptionError('Clusters[0].cluster.colour is not known');
    const failing = { ...resource, remove: async () => Promise.reject(newer) };
    const told: unknown[] = [];
    const telemetry = { error: (_message: string, error: unknown) => void told.push(error) };
    await answerCustomResource({ ...runtime, telemetry }, UPDATE, failing);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
    expect(told).toEqual([newer]);
  });

  test('not yet, when removing takes longer than one call: Lambda calls again', async () => {
    const slow: CloudFormationResource = { ...resource, remove: async () => 'unfinished' };
    await expect(answerCustomResource(runtime, DELETE, slow)).rejects.toBeInstanceOf(UnfinishedError);
    expect(answers).toEqual([]);
  });
});

test('the answer is put to the address, once more where it was not taken', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      bodies.push(`${request.method} ${body}`);
      response.writeHead(bodies.length === 1 ? 503 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await putAnswer(`http://127.0.0.1:${port}/answer`, '{}');
  server.close();
  expect(bodies).toEqual(['PUT {}', 'PUT {}']);
});

const LIFECYCLE = { principal: 'arn:role/lifecycle', type: 'STANDARD', groups: ['kerf:lifecycle'] } as const;
const NODE = { principal: 'arn:role/node', type: 'EC2_LINUX', groups: [] } as const;

test('properties that no stack of this version wrote are refused', () => {
  const clusters = [{ cluster: { name: 'a', onDelete: 'drain' }, entries: [LIFECYCLE] }];
  expect(readInstalledClusters({ Clusters: JSON.stringify(clusters) })).toEqual(clusters);
  expect(() => readInstalledClusters({ Clusters: '[{"cluster":{"name":"a"}}]' })).toThrow(OptionError);
  expect(() => readInstalledClusters({ Clusters: '[{"cluster":{"name":"a","colour":1},"entries":[]}]' })).toThrow(
    OptionError,
  );
  expect(() => readInstalledClusters({})).toThrow(OptionError);
});

test('a kept cluster loses the entries that it no longer has; a removed cluster is uninstalled and not drained', () => {
  const stays = { cluster: { name: 'stays' }, entries: [LIFECYCLE, NODE] };
  const goes = { cluster: { name: 'goes', onDelete: 'drain' }, entries: [LIFECYCLE] } as const;
  expect(noMoreInstalled([stays, goes], [{ ...stays, entries: [LIFECYCLE] }])).toEqual([
    { cluster: { name: 'stays', install: false }, entries: [NODE] },
    { cluster: { name: 'goes', onDelete: 'keep' }, entries: [LIFECYCLE] },
  ]);
});
