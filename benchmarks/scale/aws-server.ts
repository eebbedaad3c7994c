/** AWS for the measured functions, on one port of 127.0.0.1: the table, EC2, queues, and the event bus. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../../scripts/server.ts';
import type { InProcessTable } from '../../test/fakes/dynamodb/in-process-table.ts';
import { type AccountFacts, answerEc2 } from './ec2-protocol.ts';
import type { HttpAnswer } from './http-answer.ts';
import { answerTable } from './table-protocol.ts';

export interface AwsServer {
  readonly endpoint: string;
  /** The calls since the last `take`, by name: `DynamoDB.Query`, `EC2.DescribeInstances`. */
  readonly take: () => Readonly<Record<string, number>>;
  readonly close: () => Promise<void>;
}

export interface AwsFacts extends AccountFacts {
  readonly table: InProcessTable;
}

/** A call that the benchmark does not answer is an error on stderr and status 500. */
export async function startAwsServer(facts: AwsFacts): Promise<AwsServer> {
  let calls: Record<string, number> = {};
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request).catch(() => '');
      const name = callOf(request, body);
      calls[name] = (calls[name] ?? 0) + 1;
      const { status, body: answer } = await answered(facts, name, body);
      response.writeHead(status, {
        'content-type': name.startsWith('EC2') ? 'text/xml' : 'application/x-amz-json-1.0',
      });
      response.end(answer);
    })();
  });
  const { endpoint, close } = await listening(server);
  return {
    endpoint,
    take() {
      const taken = calls;
      calls = {};
      return taken;
    },
    close,
  };
}

/** `DynamoDB_20120810.Query` becomes `DynamoDB.Query`. */
function callOf({ headers, method, url }: IncomingMessage, body: string): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.replace(/^(AWS)?([A-Za-z]+)[^.]*\./, '$2.');
  const action = new URLSearchParams(body).get('Action');
  return action === null ? `${method} ${url?.split('?')[0]}` : `EC2.${action}`;
}

async function answered(facts: AwsFacts, name: string, body: string): Promise<HttpAnswer> {
  const [service, operation = ''] = name.split('.');
  try {
    if (service === 'DynamoDB') return await answerTable(facts.table, operation, body);
    if (service === 'EC2') return answerEc2(facts, new URLSearchParams(body));
    if (name === 'AmazonSQS.SendMessage') return sent(body);
    if (name === 'AmazonSQS.ChangeMessageVisibilityBatch') return json({ Successful: [], Failed: [] });
    if (name === 'Events.PutEvents') return json({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
    // A payload or a snapshot that is stored in the bucket.
    if (name.startsWith('PUT /')) return json({});
    throw new TypeError(`AWS does not answer ${name} in this benchmark`);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
    return { status: 500, body: '{}' };
  }
}

function sent(body: string): HttpAnswer {
  const { MessageBody } = JSON.parse(body);
  return json({ MessageId: '1', MD5OfMessageBody: createHash('md5').update(String(MessageBody)).digest('hex') });
}

function json(answer: object): HttpAnswer {
  return { status: 200, body: JSON.stringify(answer) };
}
