import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerWidget, WIDGETS, type WidgetName, type WidgetPorts } from '../../lib/controllers/widgets.ts';
import { CLUSTER, decidedFleet } from './decided-fleet.ts';
import { brokenRules, openBrowser, openPage } from './open-page.ts';
import { recordedFleet } from './recorded-fleet.ts';

/**
 * The custom widgets of the dashboard in headless Chromium, with the records of simulated clusters (with 2,000 nodes: of decisions on them), in a frame like that of the console.
 * With KERF_PICTURES=DIR, their pictures are written there.
 */

const folder = mkdtempSync(join(tmpdir(), 'kerf-widgets-'));
const pictures = process.env['KERF_PICTURES'];
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

type Theme = 'light' | 'dark';

const WIDTHS: Readonly<Record<WidgetName, number>> = { fleet: 1_200, decisions: 760, 'pending-pod': 560 };
const BACKGROUNDS: Readonly<Record<Theme, string>> = { light: '#ffffff', dark: '#161d26' };

/** As CloudWatch shows it: no script runs, and the action has no content of its own. */
function consolePage(html: string, theme: Theme, width: number): string {
  return [
    '<!doctype html><html lang="en"><head><title>Widget</title>',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    `</head><body style="margin:0;background:${BACKGROUNDS[theme]}"><main style="width:${width - 30}px;padding:15px">`,
    `<h1 style="position:absolute;left:-9999px">Widget</h1>${html}</main></body></html>`,
  ].join('');
}

const named = new Map<WidgetPorts, string>();

function clusterOf(ports: WidgetPorts): string {
  return named.get(ports) ?? 'simulated';
}

interface Shown {
  readonly widget: WidgetName;
  readonly theme: Theme;
  readonly pod?: string;
}

async function show(ports: WidgetPorts, name: string, { widget, theme, pod }: Shown) {
  const width = WIDTHS[widget];
  const timeRange = { start: 0, end: ports.clock.now() };
  const context = { theme, width, timeRange, forms: { all: { pod } } };
  const html = await answerWidget(ports, { widget, cluster: clusterOf(ports), widgetContext: context }, 'arn');
  const file = join(folder, `${name}.html`);
  writeFileSync(file, consolePage(html, theme, width));
  const url = pathToFileURL(file).href;
  return { url, bytes: Buffer.byteLength(html), ...(await openPage(browser, url, { colorScheme: theme, width })) };
}

async function photograph(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await page.screenshot({ path: join(pictures, `${name}.png`), clip: { x: 0, y: 0, ...(await sizeOf(page)) } });
}

async function sizeOf(page: Page): Promise<{ readonly width: number; readonly height: number }> {
  const size: unknown = await page.evaluate(
    '({ width: innerWidth, height: Math.min(900, document.querySelector("main").offsetHeight) })',
  );
  const { width, height } = Object(size);
  return { width: Number(width), height: Number(height) };
}

describe.each([3, 100, 2_000])('records of about %i nodes', (nodes) => {
  let ports: WidgetPorts;
  beforeAll(async () => {
    ports = nodes > 500 ? await decidedFleet(nodes) : await recordedFleet(nodes);
    if (nodes > 500) named.set(ports, CLUSTER);
  });

  describe.each(['light', 'dark'] as const)('%s', (theme) => {
    test.each(WIDGETS)('%s breaks no rule of accessibility, runs nothing and requests nothing', async (widget) => {
      const name = `widget-${widget}-${nodes}-${theme}`;
      const { page, url, errors, requests, bytes, close } = await show(ports, name, { widget, theme });
      expect(await brokenRules(page)).toEqual([]);
      expect(requests.filter((one) => one !== url)).toEqual([]);
      // The check of accessibility comes through the debugger; the policy of the page refuses everything else.
      expect(errors).toEqual([]);
      // Lambda answers with at most 6 MB.
      expect(bytes).toBeLessThan(3_000_000);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await photograph(page, name);
      await close();
    });
  });

  test('the fleet has each node once', async () => {
    const claims = await ports.store.listNodeClaims(clusterOf(ports));
    const running = claims.filter(
      ({ launch, releasedAtMs }) => launch.kind === 'launched' && releasedAtMs === undefined,
    );
    const { page, close } = await show(ports, `fleet-${nodes}`, { widget: 'fleet', theme: 'light' });
    expect(await page.locator('svg[role=img] g').count()).toBe(running.length);
    expect(running.length).toBeGreaterThan(nodes * 0.6);
    await close();
  });

  test('the pods that fit no node are listed, and one of them is explained', async () => {
    const { page, close } = await show(ports, `pending-${nodes}`, { widget: 'pending-pod', theme: 'light' });
    const pods = (await page.locator('td', { hasText: 'default/huge-' }).first().textContent()) ?? '';
    const [pod = ''] = pods.split(', ');
    await close();
    const name = `widget-answer-${nodes}-light`;
    const answer = await show(ports, name, { widget: 'pending-pod', theme: 'light', pod });
    expect(await answer.page.locator('main').textContent()).toContain('needs 500 cpu');
    expect(await brokenRules(answer.page)).toEqual([]);
    await photograph(answer.page, name);
    await answer.close();
  });
});
