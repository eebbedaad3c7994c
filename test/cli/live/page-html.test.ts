import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pageAssets } from '../../../lib/cli/live/page-assets.ts';
import { pageHtml } from '../../../lib/cli/live/page-html.ts';
import { CLASS, join, POOL } from '../manifest-texts.ts';
import { runKerf } from '../run-kerf.ts';

const ASSETS = { script: 'let a = 1;', style: 'b { c: d }' };
const DATA = { title: 'A title', durationSeconds: 60, live: false, frames: [] };
const MAX_GZIPPED_BYTES = 150_000;

test('the page without its data is small', async () => {
  const bytes = gzipSync(pageHtml(await pageAssets(), DATA)).length;
  console.log(`page: ${bytes} of ${MAX_GZIPPED_BYTES} bytes, gzipped`);
  expect(bytes).toBeLessThanOrEqual(MAX_GZIPPED_BYTES);
});

test('text of a manifest cannot end the data, or begin another element', () => {
  const title = 'web</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u2028';
  const html = pageHtml(ASSETS, { ...DATA, title });
  expect(html.match(/<\/script>/g)).toHaveLength(2);
  expect(html).not.toContain('alert(1)</');
  expect(html).not.toContain('<!--');
  expect(html).not.toContain('<img');
  const json = /<script type="application\/json" id="data">(.*)<\/script>/.exec(html)?.[1] ?? '';
  expect(JSON.parse(json)).toEqual({ ...DATA, title });
});

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

test('only the script and the style of the page run, and a report connects to nothing', () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/;
  const report = policy.exec(pageHtml(ASSETS, DATA))?.[1];
  expect(report).toContain("default-src 'none'");
  expect(report).toContain(`script-src ${hash(ASSETS.script)};`);
  expect(report).toContain(`style-src ${hash(ASSETS.style)};`);
  expect(report).toContain("connect-src 'none'");
  expect(policy.exec(pageHtml(ASSETS, { ...DATA, live: true }))?.[1]).toContain("connect-src 'self'");
});

test('kerf simulate --report writes the page, and prints the same as without it', async () => {
  const files = { 'a.yaml': join(POOL, CLASS) };
  const plain = await runKerf(['simulate', 'a.yaml'], files);
  const { stdout, stderr, code, writtenFiles } = await runKerf(['simulate', 'a.yaml', '--report', 'out.html'], files);
  expect([stdout, code]).toEqual([plain.stdout, 0]);
  expect(stderr).toContain('wrote out.html: open it in a browser');
  expect(writtenFiles?.get('out.html')).toMatch(/^<!doctype html>[^]*Simulated EKS cluster in us-east-1: 1 NodePool/);
});
