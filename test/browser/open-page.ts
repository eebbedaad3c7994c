import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** *Errors:* if this machine has no Chromium. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error('no Chromium: install it (Debian: apt-get install chromium), or set CHROMIUM to its path');
  // Chromium's own sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await chromium.launch({ executablePath, args });
}

/** A page with what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** The addresses of all requests. */
  readonly requests: readonly string[];
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
}

interface Circumstances {
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly width?: number;
}

export async function openPage(browser: Browser, url: string, given: Circumstances = {}): Promise<Opened> {
  const { colorScheme = 'light', reducedMotion = 'reduce', width = 1_280 } = given;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion });
  const page = await context.newPage();
  const [requests, errors]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  await painted(page);
  return { page, requests, errors, close: async () => await context.close() };
}

/** Waits until the page has drawn what changed. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** The accessibility rules of WCAG 2.2 AA that the page breaks. */
export async function brokenRules(page: Page): Promise<readonly string[]> {
  // The policy of the page allows no other script, so that it comes through the debugger.
  await page.evaluate(axe.source);
  const broken: unknown = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  expect(broken).toBeInstanceOf(Array);
  return Array.isArray(broken) ? broken.map(String) : [];
}
