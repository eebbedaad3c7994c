/** An address of the API server without TLS, and with the rights of an administrator: a function's own token is for EKS. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { listening } from '../../scripts/server.ts';

export interface ApiProxy {
  readonly endpoint: string;
  /** The requests since the last `take`, by what they do: `GET pods`. */
  readonly take: () => Readonly<Record<string, number>>;
  readonly close: () => Promise<void>;
}

export async function startApiProxy(to: ControlPlane): Promise<ApiProxy> {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(to.certificateAuthority) });
  let requests: Record<string, number> = {};
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const name = `${method} ${kindOf(url)}`;
    requests[name] = (requests[name] ?? 0) + 1;
    const authorization = `Bearer ${to.token}`;
    const sent = request(
      new URL(url, to.endpoint),
      { method, agent, headers: { ...headers, authorization } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      },
    );
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  const { endpoint, close } = await listening(server);
  return {
    endpoint,
    take() {
      const taken = requests;
      requests = {};
      return taken;
    },
    close: async () => {
      agent.destroy();
      await close();
    },
  };
}

/** `/apis/karpenter.sh/v1/nodeclaims/general-a/status?x=y` becomes `nodeclaims/status`. */
function kindOf(url: string): string {
  const [path = ''] = url.split('?');
  const parts = path
    .replace(/^\/(api|apis\/[^/]+)\/v[^/]+\//, '')
    .replace(/^namespaces\/[^/]+\/(?=.)/, '')
    .split('/');
  return parts.filter((_, at) => at !== 1).join('/');
}
