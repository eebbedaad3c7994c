import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BELOW, PARTS } from '../../docs/.vitepress/pages.ts';
import { brokenRules, openBrowser, openPage } from './open-page.ts';

/** The manual, as `npm run manual` builds it, in headless Chromium. The build fails for dead links and missing pictures. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kerf-manual-'));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

let browser: Browser;
let server: Server;
let origin: string;

beforeAll(async () => {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'manual', '--', '--outDir', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
  server = createServer(({ url = '/' }, response) => {
    const path = decodeURIComponent(url.replace(/[?#].*/, '').replace(/\/$/, '/index.html'));
    try {
      const content = readFileSync(join(folder, path));
      response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

const LISTED = PARTS.flatMap(({ items }) => items.map(({ link }) => link));

test('each page has a title, its pictures, and no request to another host', async () => {
  for (const link of [...LISTED, ...BELOW]) {
    const { page, requests, errors, close } = await openPage(
      browser,
      `${origin}${link === '/' ? '/' : `${link}.html`}`,
    );
    await page.waitForLoadState('networkidle');
    expect(await page.locator('main h1').count(), link).toBeGreaterThan(0);
    const broken = await page.evaluate(
      `[...document.images].filter((one) => one.naturalWidth === 0).map(({ src }) => src)`,
    );
    expect(broken, link).toEqual([]);
    expect(
      requests.filter((one) => !one.startsWith(origin) && !one.startsWith('data:')),
      link,
    ).toEqual([]);
    expect(errors, link).toEqual([]);
    await close();
  }
});

test.each(['light', 'dark'] as const)(
  'the pages of a first reader keep the rules of accessibility (%s)',
  async (colorScheme) => {
    for (const link of ['/', '/start-laptop', '/from-cluster-autoscaler', '/cost']) {
      const { page, close } = await openPage(browser, `${origin}${link === '/' ? '/' : `${link}.html`}`, {
        colorScheme,
      });
      const broken = await brokenRules(page);
      // The search of VitePress names its button without its keys.
      expect(
        broken.filter((rule) => !rule.includes('DocSearch-Button')),
        link,
      ).toEqual([]);
      await close();
    }
  },
);

test('a reader gets from the first page to the last one by the link at the end of each', async () => {
  const { page, close } = await openPage(browser, `${origin}/`);
  const read = ['/'];
  while (read.length < LISTED.length) {
    const next = LISTED[read.length] ?? '';
    // The link of the page before may be there for a moment.
    await page.locator(`a.pager-link.next[href="${next}.html"]`).click();
    await page.waitForURL((url) => url.pathname === `${next}.html`);
    read.push(next);
  }
  expect(read).toEqual(LISTED);
  await close();
});

test('the search finds a setting without a server', async () => {
  const { page, close } = await openPage(browser, `${origin}/`);
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill('preferencePriceFactor');
  await page.locator('.result[href*="settings"]').first().waitFor();
  await close();
});
