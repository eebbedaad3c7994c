import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { aDeployment } from '../builders/cluster-manifests.ts';
import { CLASS, join, POOL } from '../cli/manifest-texts.ts';
import { brokenRules, openBrowser, openPage } from './open-page.ts';
import { type ServedRun, serveRun } from './serve-run.ts';

/** `kerf simulate --web` in headless Chromium. */

let browser: Browser;
let served: ServedRun;

beforeAll(async () => {
  const deployment = stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment('web', 3) });
  browser = await openBrowser();
  served = await serveRun(join(POOL, CLASS, deployment), ['--for', '2h', '--speed', '60']);
});

afterAll(async () => await browser?.close());

async function textOf(page: Page, id: string): Promise<string> {
  return (await page.locator(`#${id}`).textContent()) ?? '';
}

test('a user watches, pauses, steps, changes the load and the world, looks back, and ends it with Ctrl-C', async () => {
  const { page, requests, errors } = await openPage(browser, served.url);
  const eventually = async (id: string, text: string | RegExp): Promise<void> =>
    await expect.poll(async () => await textOf(page, id), { timeout: 60_000 }).toMatch(text);
  await eventually('f-running', /^[1-9]/);
  await page.locator('#play').click();
  await eventually('play', 'Play');
  const clock = await textOf(page, 'clock');
  await page.locator('#forward').click();
  await expect.poll(async () => await textOf(page, 'clock'), { timeout: 60_000 }).not.toBe(clock);
  expect(await brokenRules(page)).toEqual([]);
  await page.locator('#load').click();
  await eventually('status', 'Ten times the load: 1 Deployment has 30 replicas');
  await page.locator('#speed').selectOption('300');
  await page.locator('#play').click();
  await eventually('log', 'Deployment default/web is scaled from 3 to 30');
  await page.locator('#interrupt').click();
  await eventually('log', /EC2 interrupts i-[0-9a-f]+ in 2 minutes/);
  await page.locator('#outage').click();
  await eventually('log', /zone us-east-1[a-f] fails for 10m/);
  await page.locator('#scrub').press('Home');
  await eventually('clock', '00:00:00 of 02:00:00');
  expect(await textOf(page, 'f-nodes')).toBe('0');
  await page.locator('#follow').click();
  await eventually('f-nodes', /^[1-9]/);
  const own = new URL(served.url).origin;
  expect(requests.filter((one) => !one.startsWith(own) && !one.startsWith('data:'))).toEqual([]);
  expect(errors).toEqual([]);
  const { code, stdout } = await served.interrupt();
  expect(code).toBe(130);
  expect(stdout).toContain('Summary (simulated)');
  await eventually('status', 'The connection to the simulation is lost.');
});
