/** What a test may do to the rig that it runs on, which another process holds: each action is a POST to its name. */
import { createServer, type ServerResponse } from 'node:http';
import { type Listening, listening } from './server.ts';

/** *Shape:* what an action returns is answered as JSON. */
export async function startRigControl(actions: Readonly<Record<string, () => unknown>>): Promise<Listening> {
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
  return await listening(server);
}
