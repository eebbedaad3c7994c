/** What a test may do to the rig that it runs on, which another process holds: each action is a POST to its name. */
import { createServer, type ServerResponse } from 'node:http';

export interface RigControl {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/** *Shape:* what an action returns is answered as JSON. */
export async function startRigControl(actions: Readonly<Record<string, () => unknown>>): Promise<RigControl> {
  const answer = async (name: string, response: ServerResponse): Promise<void> => {
    const action = actions[name];
    if (action === undefined) return void response.writeHead(404).end(`no action ${name}`);
    try {
      response.end(JSON.stringify((await action()) ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  };
  const server = createServer((incoming, response) => void answer((incoming.url ?? '').slice(1), response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('this machine gave no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
