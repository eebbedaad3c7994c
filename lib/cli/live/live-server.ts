import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BadInputError } from '../../apis/bad-input-error.ts';
import { isRecord } from '../../apis/record.ts';
import { errorMessage } from '../../core/error-message.ts';
import type { Frame } from '../../page/fleet/frame.ts';

/** A button of the page, or another choice of its user. */
export interface LiveCommand {
  readonly kind: string;
  readonly value?: number;
}

export interface LiveServer {
  readonly url: string;
  /** Sends new frames to all pages, and keeps them for later ones. */
  send(frames: readonly Frame[], status: unknown): void;
  /** All frames that were sent. */
  readonly frames: readonly Frame[];
  close(): Promise<void>;
}

interface ServedPage {
  readonly html: string;
  /** @default a free one */
  readonly port: number | undefined;
  /** *Shape:* a sentence for the user. */
  readonly onCommand: (command: LiveCommand) => string;
}

const ADDRESS = '127.0.0.1';
const MAX_BODY_BYTES = 1_000;
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Serves the page on this machine only. *Errors:* BadInputError if the port is not free. */
export async function liveServer({ html, port, onCommand }: ServedPage): Promise<LiveServer> {
  const pages = new Set<ServerResponse>();
  const frames: Frame[] = [];
  let last: unknown;
  const server = createServer((request, response) => {
    const problem = whyRefused(request);
    if (problem !== undefined) return answer(response, { code: 403, text: problem });
    if (request.method === 'POST' && request.url === '/control') return void control(request, response, onCommand);
    if (request.method !== 'GET') return answer(response, { code: 405, text: 'this address takes no such request' });
    if (request.url === '/') return answer(response, { code: 200, text: html, type: 'text/html; charset=utf-8' });
    if (request.url !== '/events') return answer(response, { code: 404, text: 'there is no such page' });
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.write(eventOf('frames', frames) + eventOf('status', last));
    pages.add(response);
    response.on('close', () => pages.delete(response));
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port ?? 0, ADDRESS, resolve);
  try {
    await listening;
  } catch (error) {
    throw new BadInputError(`the page cannot be served: ${errorMessage(error)}: name another --port, or none`);
  }
  return {
    url: `http://${addressOf(server.address())}/`,
    frames,
    send(more, status) {
      frames.push(...more);
      last = status;
      const text = (more.length > 0 ? eventOf('frames', more) : '') + eventOf('status', status);
      for (const page of pages) page.write(text);
    },
    async close() {
      const { promise, resolve: closed } = Promise.withResolvers<void>();
      server.close(() => closed());
      server.closeAllConnections();
      await promise;
    },
  };
}

function addressOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  return typeof address === 'object' && address !== null ? `${ADDRESS}:${address.port}` : ADDRESS;
}

/** A page of another site may send requests to this address. It cannot set these headers. */
function whyRefused({ method, headers, socket }: IncomingMessage): string | undefined {
  const hosts = [`${ADDRESS}:${socket.localPort}`, `localhost:${socket.localPort}`];
  if (!hosts.includes(headers.host ?? '')) return 'the Host of this request is not this address';
  if (method !== 'POST') return undefined;
  if (headers.origin !== `http://${headers.host}`) return 'the Origin of this request is not this page';
  return headers['content-type'] === 'application/json' ? undefined : 'this request is not JSON';
}

async function control(
  request: IncomingMessage,
  response: ServerResponse,
  onCommand: ServedPage['onCommand'],
): Promise<void> {
  try {
    let text = '';
    for await (const part of request) {
      text += String(part);
      if (text.length > MAX_BODY_BYTES) throw new RangeError('the request is too long');
    }
    const body: unknown = JSON.parse(text);
    if (!isRecord(body) || typeof body['kind'] !== 'string') throw new TypeError('the request has no kind');
    const value = body['value'];
    const command = { kind: body['kind'], ...(typeof value === 'number' && { value }) };
    answer(response, { code: 200, text: onCommand(command) });
  } catch (error) {
    answer(response, { code: 400, text: errorMessage(error) });
  }
}

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly type?: string;
}

function answer(response: ServerResponse, { code, text, type = 'text/plain; charset=utf-8' }: Answer): void {
  response.writeHead(code, { ...HEADERS, 'content-type': type });
  response.end(text);
}

/** JSON has no line break, so that it is one field of the event. */
function eventOf(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data ?? null)}\n\n`;
}
