import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/server.ts';

describe('the ports of servers that tests start', () => {
  test('a port in use and a port that was given are not given', async () => {
    const used = createServer();
    await new Promise<void>((resolve) => used.listen(0, '127.0.0.1', resolve));
    const address = used.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const first = await freePort();
    const draws = [address.port, first];
    try {
      const port = await freePort(() => draws.shift() ?? randomInt(20_000, 32_000));
      expect(draws).toEqual([]);
      expect([address.port, first]).not.toContain(port);
    } finally {
      used.close();
    }
  });

  test('no connection that this machine opens can take one', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, async () => freePort()));
    expect(new Set(ports).size).toBe(20);
    expect(Math.max(...ports)).toBeLessThan(32_768);
  });
});
