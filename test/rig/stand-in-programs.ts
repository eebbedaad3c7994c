/** Programs on the PATH of a test that the test itself answers: `aws` and `npx cdk`, which need an account. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Answers a call with what the program prints. *Errors:* those of a call that the test does not expect. */
export type Program = (args: readonly string[]) => Promise<string>;

export interface StandIns {
  /** A folder for the PATH. */
  readonly folder: string;
  /** Each call: `aws eks create-addon …`. */
  readonly calls: readonly string[];
  readonly close: () => Promise<void>;
}

export async function startStandIns(folder: string, programs: Readonly<Record<string, Program>>): Promise<StandIns> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const [name = '', ...args]: string[] = JSON.parse(await text(request));
      calls.push([name, ...args].join(' '));
      try {
        response.end(await programs[name]?.(args));
      } catch (error) {
        response.writeHead(500).end(String(error));
      }
    })();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(programs)) {
    const file = join(folder, name);
    writeFileSync(file, script(name, address.port));
    chmodSync(file, 0o755);
  }
  return {
    folder,
    calls,
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function script(name: string, port: number): string {
  return `#!${process.execPath}
const answer = await fetch('http://127.0.0.1:${port}', {
  method: 'POST',
  body: JSON.stringify(['${name}', ...process.argv.slice(2)]),
});
const text = await answer.text();
(answer.ok ? process.stdout : process.stderr).write(text);
process.exitCode = answer.ok ? 0 : 1;
`;
}
