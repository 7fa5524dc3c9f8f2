import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../src/base/index.ts';
import { skipWhen } from '../../src/base/testing/requires.ts';
import { objectRequests, otherRequests, targets } from './hostile-requests.ts';
import { type Cost, type HostileRequest, MeasuredServer } from './measured-server.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
/** Costs are measured by `npm run test:fuzz` only: there a request is large enough to show what is not linear. */
const SECONDS = process.env['FUZZ_SECONDS'] === undefined ? undefined : Number(process.env['FUZZ_SECONDS']);
const BYTES = SECONDS === undefined ? 6_000 : 300_000;
/** Of the requests about fields in `npm test`; all of them while time lasts in `npm run test:fuzz`. */
const SAMPLE = 400;

/** Nearly as large as a body may be: what is linear takes eight times as long, what is not sixty times. */
const LARGE_BYTES = 2_500_000;

const maxCpuMs = (bytes: number): number => 300 + 0.0015 * bytes;
const maxResidentBytes = (bytes: number): number => 100_000_000 + 300 * bytes;
/** Messages are cut at half a mebibyte, and said twice; an object may come back with what it means by default. */
const maxAnswerBytes = (bytes: number): number => 4_000_000 + 30 * bytes;

describe('what a client sends', () => {
  let server: MeasuredServer;
  beforeAll(async () => {
    server = await MeasuredServer.start();
    for (const target of targets) expect(await server.measure(target)).toMatchObject({ code: 201 });
    for (let index = 0; index < 100; index++) await server.measure(podWithLabels(index));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('in fields of all kinds is answered, at a cost in proportion to its size', async () => {
    const random = new SeededRandom(SEED);
    const requests = shuffled([...objectRequests(server.plane.server, BYTES)], random);
    const until = performance.now() + (SECONDS ?? Infinity) * 1000;
    let count = 0;
    for (const make of SECONDS === undefined ? requests.slice(0, SAMPLE) : requests) {
      if (performance.now() > until) break;
      await expectModest(make(), BYTES);
      count += 1;
    }
    if (SECONDS !== undefined) console.info(`${count} of ${requests.length} requests with seed ${SEED}`);
    expect(count).toBeGreaterThan(0);
    expect(server.problems).toEqual([]);
  });

  test('in selectors, parameters, headers, patches and texts is answered, at a cost in proportion to its size', async () => {
    const until = performance.now() + (SECONDS ?? Infinity) * 1000;
    for (const request of shuffled([...otherRequests(BYTES)], new SeededRandom(SEED))) {
      if (performance.now() > until) break;
      await expectModest(request, BYTES);
    }
    expect(server.problems).toEqual([]);
  });

  test(
    'in the largest bodies is answered, at a cost in proportion to its size',
    { ...skipWhen(SECONDS === undefined, 'only in npm run test:fuzz') },
    async () => {
      const fields = [...objectRequests(server.plane.server, LARGE_BYTES)];
      const others = [...otherRequests(LARGE_BYTES)].map((request) => () => request);
      const until = performance.now() + (SECONDS ?? 0) * 2000;
      let count = 0;
      for (const make of shuffled([...fields, ...others], new SeededRandom(SEED))) {
        if (performance.now() > until) break;
        await expectModest(make(), LARGE_BYTES);
        count += 1;
      }
      console.info(`${count} of ${fields.length + others.length} large requests with seed ${SEED}`);
      expect(count).toBeGreaterThan(0);
      expect(server.problems).toEqual([]);
    },
  );

  /** What looks dear is asked again: the first time includes what the engine does once. */
  async function expectModest(request: HostileRequest, bytes: number): Promise<void> {
    let cost = await server.measure(request);
    for (let again = 0; again < 2 && isDear(cost, bytes); again++) cost = await server.measure(request);
    const { answer, ...figures } = cost;
    const said = `${request.name}: ${JSON.stringify(figures)} ${answer.toString('utf8', 0, 300)}`;
    expect(cost.code, said).toBeLessThanOrEqual(504);
    expect(answer.includes('"reason":"InternalError"'), said).toBe(false);
    expect(cost.answerBytes, said).toBeLessThan(maxAnswerBytes(bytes));
    expect(isDear(cost, bytes), said).toBe(false);
  }
});

function isDear({ cpuMs, residentBytes }: Cost, bytes: number): boolean {
  return SECONDS !== undefined && (cpuMs > maxCpuMs(bytes) || residentBytes > maxResidentBytes(bytes));
}

function podWithLabels(index: number): HostileRequest {
  const labels = { k: String(index), app: 'web' };
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const body = JSON.stringify({ metadata: { name: `pod-${index}`, labels }, spec });
  return { name: 'a pod', method: 'POST', path: '/api/v1/namespaces/default/pods', body };
}

function shuffled<T>(items: T[], random: SeededRandom): T[] {
  for (let index = items.length - 1; index > 0; index--) {
    const other = random.int(index + 1);
    [items[index], items[other]] = [items[other] as T, items[index] as T];
  }
  return items;
}
