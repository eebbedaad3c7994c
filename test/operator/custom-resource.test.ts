import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { answerCustomResource, type CustomResource, putAnswer } from '../../lib/operator/custom-resource.ts';
import { readAccess } from '../../lib/operator/installer.ts';
import { OptionError } from '../../lib/operator/option-values.ts';

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
const resource: CustomResource = {
  install: async ({ Access }) => void done.push(`install ${String(Access)}`),
  remove: async ({ Access }, kept) => void done.push(`remove ${String(Access)} but ${String(kept?.['Access'])}`),
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

  test('when it is changed: the new first, then what is no more, under the name it has', async () => {
    await answerCustomResource(runtime, UPDATE, resource);
    expect(done).toEqual(['install new', 'remove old but new']);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS', PhysicalResourceId: 'physical' })]);
  });

  test('when it fails, with the reason', async () => {
    const failing = { ...resource, install: async () => Promise.reject(new Error('no way in')) };
    await answerCustomResource(runtime, CREATE, failing);
    expect(answers).toEqual([expect.objectContaining({ Status: 'FAILED', Reason: 'no way in' })]);
  });

  test('when removing fails, all the same with success: a stack must go though its cluster is gone', async () => {
    const failing = { ...resource, remove: async () => Promise.reject(new Error('no such cluster')) };
    await answerCustomResource(runtime, DELETE, failing);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
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

test('properties that no stack of this version wrote are refused', () => {
  expect(readAccess({ Access: '[{"cluster":"a","entries":[]}]' })).toEqual([{ cluster: 'a', entries: [] }]);
  expect(() => readAccess({ Access: '[{"cluster":"a"}]' })).toThrow(OptionError);
  expect(() => readAccess({})).toThrow(OptionError);
});
