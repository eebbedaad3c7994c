import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LiveCommand, type LiveServer, liveServer } from '../../../lib/cli/live/live-server.ts';

let server: LiveServer;
let commands: LiveCommand[];

beforeEach(async () => {
  commands = [];
  const onCommand = (given: LiveCommand): string => {
    if (given.kind === 'wrong') throw new RangeError('"wrong" is not a command');
    commands.push(given);
    return 'done';
  };
  server = await liveServer({ html: '<!doctype html>page', port: undefined, onCommand });
});

afterEach(async () => await server.close());

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function send(path: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | undefined; text: string }>();
  const sent = request(new URL(path, server.url), { method, headers }, (response) => {
    let text = '';
    response.on('data', (part) => {
      text += String(part);
    });
    response.on('end', () => resolve({ code: response.statusCode, text }));
  });
  sent.on('error', reject).end(body);
  return await promise;
}

function command(body: string, headers: Readonly<Record<string, string>> = {}) {
  const own = { origin: server.url.slice(0, -1), 'content-type': 'application/json' };
  return send('control', { method: 'POST', headers: { ...own, ...headers }, body });
}

test('it listens on this machine only, and serves the page', async () => {
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await send('')).toEqual({ code: 200, text: '<!doctype html>page' });
  expect(await send('other')).toEqual({ code: 404, text: 'there is no such page' });
});

test('a page gets all earlier frames and the status, and then the new ones', async () => {
  server.send([{ at: 1 }], { at: 1 });
  const response = await fetch(new URL('events', server.url));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async (end: string): Promise<void> => {
    while (!text.endsWith(end)) text += (await reader?.read())?.value ?? '';
  };
  await read('data: {"at":1}\n\n');
  expect(text).toBe('event: frames\ndata: [{"at":1}]\n\nevent: status\ndata: {"at":1}\n\n');
  server.send([{ at: 2 }], { at: 2 });
  await read('data: {"at":2}\n\n');
  expect(text).toContain('event: frames\ndata: [{"at":2}]\n\n');
  expect(server.frames).toEqual([{ at: 1 }, { at: 2 }]);
});

describe('a command', () => {
  test('of the page is carried out', async () => {
    expect(await command('{"kind":"speed","value":60}')).toEqual({ code: 200, text: 'done' });
    expect(commands).toEqual([{ kind: 'speed', value: 60 }]);
  });

  test.each([
    ['of another site', { origin: 'http://example.com' }, 'the Origin of this request is not this page'],
    ['without an origin', { origin: '' }, 'the Origin of this request is not this page'],
    ['by another name of this machine', { host: 'example.com' }, 'the Host of this request is not this address'],
    ['of a form', { 'content-type': 'text/plain' }, 'this request is not JSON'],
  ])('%s is refused', async (_, headers, text) => {
    expect(await command('{"kind":"pause"}', headers)).toEqual({ code: 403, text });
    expect(commands).toEqual([]);
  });

  test.each([
    ['{', /JSON/],
    ['[]', /the request has no kind/],
    ['{"kind":"wrong"}', /"wrong" is not a command/],
    [JSON.stringify({ kind: 'x'.repeat(2_000) }), /the request is too long/],
  ])('that is wrong gets a sentence: %.20s', async (body, message) => {
    const { code, text } = await command(body);
    expect([code, text]).toEqual([400, expect.stringMatching(message)]);
    expect(commands).toEqual([]);
  });
});

test('also the page is not served by another name, so that no other site can read it', async () => {
  expect(await send('', { headers: { host: 'example.com' } })).toMatchObject({ code: 403 });
});

test('a port that is in use is an error that says what to do', async () => {
  const port = Number(new URL(server.url).port);
  await expect(liveServer({ html: '', port, onCommand: () => '' })).rejects.toThrow(/name another --port, or none/);
});
