import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { BUS_TIMEOUTS, SDK_CONNECTIONS, SDK_TIMEOUTS } from '../../../lib/operator/wiring/sdk-timeouts.ts';
import { RETRIES } from '../../../lib/providers/aws/client/call-budget.ts';
import { forgetfulServer } from '../../fakes/forgetful-server.ts';
import { TEST_CERTIFICATE } from '../../fakes/tls.ts';

const ANSWER = '<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>';

test.each(Object.entries({ SDK_CONNECTIONS, SDK_TIMEOUTS, BUS_TIMEOUTS }))(
  'a call of EC2 with %s succeeds although all kept connections have ended',
  async (_, requestHandler) => {
    const server = await forgetfulServer('https', ANSWER);
    SDK_CONNECTIONS.httpsAgent.options.ca = TEST_CERTIFICATE;
    const { endpoint } = server;
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = new EC2Client({ region: 'us-east-1', credentials, endpoint, requestHandler, ...RETRIES });
    const call = async () => await client.send(new DescribeInstancesCommand({}));
    await Promise.all(Array.from({ length: 10 }, call));
    server.forget('reset');
    await call();
    expect(server.connections()).toBe(11);
    client.destroy();
    await server.close();
  },
);
