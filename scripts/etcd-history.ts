/** Old versions in etcd, over its JSON gateway. */
import { Buffer } from 'node:buffer';

const EVERYTHING = { key: Buffer.from('\0').toString('base64'), range_end: Buffer.from('\0').toString('base64') };

/** Deletes all revisions before the present one, also on disk. */
export async function compact(etcd: string): Promise<void> {
  const { header } = await call(etcd, '/v3/kv/range', { ...EVERYTHING, count_only: true });
  await call(etcd, '/v3/kv/compaction', { revision: header.revision, physical: true });
}

interface EtcdAnswer {
  readonly header: { readonly revision: string };
}

async function call(etcd: string, path: string, body: unknown): Promise<EtcdAnswer> {
  const response = await fetch(`${etcd}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  const answer: unknown = JSON.parse(text);
  if (response.ok && isAnswer(answer)) return answer;
  throw new Error(`etcd ${path}: ${response.status} ${text}`);
}

function isAnswer(value: unknown): value is EtcdAnswer {
  return typeof value === 'object' && value !== null && 'header' in value;
}
