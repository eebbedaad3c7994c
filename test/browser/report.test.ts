import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageAssets } from '../../lib/cli/live/page-assets.ts';
import { type PageAssets, pageHtml } from '../../lib/cli/live/page-html.ts';
import type { Frame } from '../../lib/page/fleet/frame.ts';
import { manyFrames } from '../page/frames.ts';
import { brokenRules, openBrowser, openPage, painted } from './open-page.ts';

/** Reports in headless Chromium. */

const folder = mkdtempSync(join(tmpdir(), 'kerf-browser-'));
let browser: Browser;
let assets: PageAssets;

beforeAll(async () => {
  [browser, assets] = await Promise.all([openBrowser(), pageAssets()]);
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

let files = 0;

function reportOf(frames: readonly Frame[]): string {
  const file = join(folder, `report-${(files += 1)}.html`);
  const durationSeconds = frames.at(-1)?.at ?? 0;
  writeFileSync(file, pageHtml(assets, { title: 'Simulated EKS cluster', durationSeconds, live: false, frames }));
  return pathToFileURL(file).href;
}

async function textOf(page: Page, id: string): Promise<string> {
  return (await page.locator(`#${id}`).textContent()) ?? '';
}

describe.each([3, 100, 2_000])('a report of %i nodes', (nodes) => {
  test.each(['light', 'dark'] as const)('breaks no rule of accessibility (%s)', async (colorScheme) => {
    const { page, errors, close } = await openPage(browser, reportOf(manyFrames(nodes)), { colorScheme });
    expect(await textOf(page, 'f-nodes')).toBe(String(nodes));
    expect(await brokenRules(page)).toEqual([]);
    expect(errors).toEqual([]);
    await close();
  });

  test('sends no request', async () => {
    const url = reportOf(manyFrames(nodes));
    const { page, requests, close } = await openPage(browser, url);
    await page.locator('#play').click();
    await painted(page);
    expect(requests.filter((one) => one !== url && !one.startsWith('data:'))).toEqual([]);
    await close();
  });
});

test('2,000 nodes are scrubbed without building elements for them', async () => {
  const { page, close } = await openPage(browser, reportOf(manyFrames(2_000)));
  const elements = async (): Promise<unknown> => await page.evaluate('document.querySelectorAll("*").length');
  const before = Number(await elements());
  for (const at of [10, 280, 3, 250]) {
    await page.locator('#scrub').fill(String(at));
    await painted(page);
  }
  expect(Number(await elements())).toBeLessThan(before + 1_000);
  await close();
});

test('the keyboard plays, steps, scrubs, and selects nodes, and the focus is visible', async () => {
  const { page, errors, close } = await openPage(browser, `${reportOf(manyFrames(12))}#t=5`);
  expect(await textOf(page, 'f-nodes')).toBe('5');
  await page.locator('#forward').press('Enter');
  await painted(page);
  expect(await textOf(page, 'f-nodes')).toBe('6');
  await page.locator('#back').press('Enter');
  await page.locator('#back').press(' ');
  await painted(page);
  expect(await textOf(page, 'f-nodes')).toBe('4');
  await page.locator('#scrub').press('Home');
  await painted(page);
  expect([await textOf(page, 'f-nodes'), await textOf(page, 'clock')]).toEqual(['0', '00:00:00 of 00:00:12']);
  await page.locator('#scrub').press('End');
  await expect.poll(async () => await textOf(page, 'f-nodes')).toBe('12');
  await page.locator('#fleet').press('ArrowRight');
  await page.locator('#fleet').press('ArrowRight');
  await expect
    .poll(async () => await textOf(page, 'node'))
    .toContain('m7g.large spot in us-east-1a, $0.0400/h, NodePool batch, i-node-3');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.locator('#scrub').press('Home');
  await page.locator('#play').press('Enter');
  await expect.poll(async () => await textOf(page, 'play')).toBe('Pause');
  await expect.poll(async () => await textOf(page, 'play'), { timeout: 60_000 }).toBe('Play');
  expect(await textOf(page, 'f-nodes')).toBe('12');
  expect(errors).toEqual([]);
  await close();
});

test('with reduced motion it stands still at the peak; otherwise it plays', async () => {
  const url = reportOf(manyFrames(12));
  const still = await openPage(browser, url);
  expect([await textOf(still.page, 'f-nodes'), await textOf(still.page, 'play')]).toEqual(['12', 'Play']);
  await still.close();
  const moving = await openPage(browser, url, { reducedMotion: 'no-preference' });
  expect(await textOf(moving.page, 'play')).toBe('Pause');
  await moving.close();
});

test('scrubbing back shows the picture of that time, pixel for pixel', async () => {
  const { page, close } = await openPage(browser, `${reportOf(manyFrames(100))}#t=40`);
  const picture = async (): Promise<unknown> => await page.evaluate('document.getElementById("fleet").toDataURL()');
  const before = await picture();
  await page.locator('#scrub').fill('90');
  await painted(page);
  expect(await picture()).not.toBe(before);
  await page.locator('#scrub').fill('40');
  await painted(page);
  expect(await picture()).toBe(before);
  await close();
});

test('names with HTML in them are shown as text, and run nothing', async () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
  const [frame] = manyFrames(1, evil);
  const frames: readonly Frame[] = [
    {
      ...frame,
      at: 1,
      pending: [{ workload: `Deployment ${evil}`, count: 1, since: 0, reason: evil }],
      lines: [{ at: 1, label: 'pending', text: evil, style: 'bad', decision: true }],
    },
  ];
  const { page, errors, requests, close } = await openPage(browser, reportOf(frames));
  await page.locator('#fleet').press('End');
  await painted(page);
  for (const id of ['pending', 'log', 'node']) expect(await textOf(page, id)).toContain(evil);
  expect(await page.locator('img').count()).toBe(0);
  expect([errors, requests.length]).toEqual([[], 1]);
  await close();
});

test('a narrow window does not scroll sideways', async () => {
  const { page, close } = await openPage(browser, reportOf(manyFrames(100)), { width: 400 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
  await close();
});
