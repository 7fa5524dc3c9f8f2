import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findTool } from '../../../src/base/testing/find-tool.ts';

export type { Locator, Page } from 'playwright-core';

const LAUNCH = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
/** On a busy machine the page may take many times as long as on a quiet one. */
const PATIENCE_MS = 30_000;

export interface VisitOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
}

/** A page that is open in a browser, and all that has gone wrong in it. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console, uncaught errors and breaches of the security policy. */
  readonly problems: string[];
  /** Goes to a place of the page, such as `list/pods`. */
  go(place: string): Promise<void>;
}

/** The browser of this machine; tests that need it say so with `requires('chromium-headless-shell')`. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<TestBrowser> {
    const executablePath = findTool('chromium-headless-shell') ?? '';
    return new TestBrowser(await chromium.launch({ executablePath, args: LAUNCH }));
  }

  async visit(
    url: string,
    { colorScheme = 'light', size = { width: 1360, height: 820 } }: VisitOptions = {},
  ): Promise<Visit> {
    const context = await this.#browser.newContext({ colorScheme, viewport: size, ignoreHTTPSErrors: true });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    await page.goto(url);
    return {
      page,
      context,
      problems,
      go: async (place) => {
        await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
      },
      [Symbol.asyncDispose]: () => context.close(),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#browser.close();
  }
}

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** What axe-core finds fault with in the page as it is shown. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const violations = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ target, failureSummary }) => ({ target, failureSummary })) })))`,
  )) as AxeViolation[];
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n  ${nodes
        .map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary ?? ''}`)
        .slice(0, 4)
        .join('\n  ')}`,
  );
}
