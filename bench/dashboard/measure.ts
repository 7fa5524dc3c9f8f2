import type { BrowserContext, Page } from 'playwright-core';
import { rssMbOf } from '../process-use.ts';
import type { TestBrowser } from '../../test/dashboard/support/browser.ts';

export interface Place {
  readonly origin: string;
  readonly key: string;
  readonly place: string;
}

const MB = 1024 * 1024;
const WARM_UP_MS = 20_000;

/** From the beginning of the navigation until the first row is in the document and a frame has been drawn. */
export async function firstRowMs(browser: TestBrowser, { origin, key, place }: Place): Promise<number> {
  // the key first, in the address that is printed; what is measured is a page that is opened at a list
  await using visit = await browser.visit(`${origin}/#${key}`);
  await visit.page.getByRole('navigation').waitFor();
  await visit.page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  const cdp = await visit.context.newCDPSession(visit.page);
  await cdp.send('Network.clearBrowserCache');
  await visit.page.reload({ waitUntil: 'commit' });
  return Number(
    await visit.page.evaluate(`new Promise((resolve) => {
      const look = () => document.querySelector('.virtual-rows .table-row') === null ? requestAnimationFrame(look) : requestAnimationFrame(() => resolve(performance.now()));
      look();
    })`),
  );
}

export interface Frames {
  readonly count: number;
  readonly longestTaskMs: number;
  readonly longTasks: number;
  /** Changes of the rows in view. */
  readonly shown: number;
  /** The processor time of the page's longest task: other programs of the machine do not count. */
  readonly longestCpuMs: number;
  /** Changes of pods, in view or not. */
  readonly perSecond: number;
}

export async function framesDuring(
  browser: TestBrowser,
  place: Place,
  load: (signal: AbortSignal) => Promise<number>,
  seconds: number,
): Promise<Frames> {
  await using visit = await openList(browser, place);
  const { page } = visit;
  const stop = new AbortController();
  const loading = load(stop.signal);
  await page.waitForTimeout(2000);
  const tracer = visit.context.browser();
  await tracer?.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
  await page.evaluate(`{
    window.seen = { count: 0, tasks: [], shown: 0 };
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.seen.tasks.push(entry.duration); }).observe({ type: 'longtask' });
    new MutationObserver((records) => { window.seen.shown += records.length; }).observe(document.querySelector('.virtual-rows'), { subtree: true, attributes: true, attributeFilter: ['class'], characterData: true, childList: true });
    const next = () => { window.seen.count++; requestAnimationFrame(next); };
    next();
  }`);
  await page.waitForTimeout(seconds * 1000);
  const seen = (await page.evaluate('window.seen')) as { count: number; tasks: number[]; shown: number };
  const trace = await tracer?.stopTracing();
  stop.abort();
  const perSecond = await loading;
  // browsers report only tasks of 50 ms and more: none means that the longest was shorter
  return {
    count: seen.count,
    longTasks: seen.tasks.length,
    longestTaskMs: Math.max(0, ...seen.tasks),
    shown: seen.shown,
    perSecond,
    longestCpuMs: trace === undefined ? 0 : longestTask(trace.toString('utf8')),
  };
}

/** A page and its server at one moment. */
export interface Sample {
  readonly minute: number;
  /** The heap of each page, after a collection. */
  readonly heapMb: readonly number[];
  /** The elements of each page's document. */
  readonly elements: readonly number[];
  readonly serverMb: number;
}

export interface LongOpenOptions {
  /** Changes objects until the signal aborts, and resolves to how many a second it were. */
  readonly load: (signal: AbortSignal) => Promise<number>;
  readonly minutes: number;
  /** The process whose memory is measured beside that of the pages. */
  readonly serverPid: number;
  readonly onSample: (sample: Sample) => void;
}

/** Leaves pages open for minutes while objects change, and measures them once a minute. */
export async function samplesWhileOpen(
  browser: TestBrowser,
  places: readonly Place[],
  { load, minutes, serverPid, onSample }: LongOpenOptions,
): Promise<{ readonly samples: readonly Sample[]; readonly perSecond: number }> {
  const opened: Opened[] = [];
  const stop = new AbortController();
  try {
    for (const place of places) opened.push(await openList(browser, place));
    const sessions = await Promise.all(opened.map(({ page, context }) => context.newCDPSession(page)));
    const loading = load(stop.signal);
    const samples: Sample[] = [];
    await opened[0]?.page.waitForTimeout(WARM_UP_MS);
    for (let minute = 0; minute <= minutes; minute++) {
      if (minute > 0) await opened[0]?.page.waitForTimeout(60_000);
      const heapMb: number[] = [];
      for (const cdp of sessions) {
        await cdp.send('HeapProfiler.collectGarbage');
        heapMb.push((await cdp.send('Runtime.getHeapUsage')).usedSize / MB);
      }
      const elements = await Promise.all(
        opened.map(async ({ page }) => Number(await page.evaluate('document.querySelectorAll("*").length'))),
      );
      const sample = { minute, heapMb, elements, serverMb: rssMbOf(serverPid) };
      samples.push(sample);
      onSample(sample);
    }
    stop.abort();
    return { samples, perSecond: await loading };
  } finally {
    stop.abort();
    for (const each of opened) await each[Symbol.asyncDispose]();
  }
}

type Opened = AsyncDisposable & { readonly page: Page; readonly context: BrowserContext };

async function openList(browser: TestBrowser, { origin, key, place }: Place): Promise<Opened> {
  const visit = await browser.visit(`${origin}/#${key}`);
  await visit.page.getByRole('navigation').waitFor();
  await visit.page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  // rows of the list of pods, or of the other view
  if (place.endsWith('/pods')) await visit.page.getByText(/^10000/).waitFor();
  else await visit.page.getByRole('main').waitFor();
  return visit;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The processor time of the longest task of the main threads of pages, in milliseconds. */
function longestTask(trace: string): number {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map((event) => threadOf(event)),
  );
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && main.has(threadOf(event)));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000));
}
