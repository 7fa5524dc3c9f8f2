import { expect, test } from 'vitest';
import { SeededRandom } from '../../src/base/index.ts';
import { Chance } from '../vectors/apply/chance.ts';
import { vectorKinds } from '../vectors/apply/kinds.ts';
import type { VectorKind } from '../vectors/apply/vector-kind.ts';
import { SequencePlayer } from '../vectors/apply/sequence-player.ts';
import { TestServer } from '../vectors/apply/test-server.ts';
import { NAME, NAMESPACE, normalize } from '../vectors/apply/vector.ts';

type Part = Record<string, unknown>;

const CASES_PER_KIND = 12;

interface Applied {
  readonly manager: string;
  readonly body: Part;
}

/** An object that is applied to, of a kind drawn by its number. */
class Case {
  readonly kind: VectorKind;
  readonly chance: Chance;
  readonly #player: SequencePlayer;

  constructor(server: TestServer, seed: string, index: number) {
    this.kind = vectorKinds[index % vectorKinds.length] as VectorKind;
    this.chance = new Chance(new SeededRandom(`${seed} ${index}`));
    this.#player = new SequencePlayer(server, this.kind, { name: NAME, namespace: `${NAMESPACE}-${index}` });
  }

  config(): Part {
    const { apiVersion, kind, config } = this.kind;
    return {
      apiVersion,
      kind,
      metadata: { name: NAME, labels: { own: this.chance.pick(['1', '2']) } },
      ...config(this.chance),
    };
  }

  /** The object, or undefined when what comes of it is not valid. */
  async apply({ manager, body }: Applied): Promise<Part | undefined> {
    const { apiVersion } = this.kind;
    const { code, body: answer } = await this.#player.play({ apiVersion, verb: 'apply', manager, body, force: true });
    if (code !== 422) expect(code, JSON.stringify(answer)).toBeLessThan(300);
    return code === 422 ? undefined : answer;
  }

  /** Takes the object away, whatever holds it. */
  async remove(server: TestServer): Promise<void> {
    const type = 'application/merge-patch+json';
    await server.send('PATCH', this.#player.path(), { body: { metadata: { finalizers: null } }, type });
    await server.send('DELETE', this.#player.path(), { body: { gracePeriodSeconds: 0 } });
  }
}

test('applying the same again changes nothing: not the object, its owners, their times, nor resourceVersion', async () => {
  for (let index = 0; index < vectorKinds.length * CASES_PER_KIND; index++) {
    await using server = new TestServer();
    const one = new Case(server, 'idempotent', index);
    for (const manager of ['a', 'b']) {
      const body = one.config();
      const first = await one.apply({ manager, body });
      if (first === undefined) continue;
      await server.clock.advance('3s');
      expect(await one.apply({ manager, body })).toEqual(first);
    }
  }
});

test('managers that have nothing to do with each other may apply in any order', async () => {
  for (let index = 0; index < vectorKinds.length * CASES_PER_KIND; index++) {
    await using server = new TestServer();
    const one = new Case(server, 'order', index);
    const base: Applied = { manager: 'base', body: one.config() };
    const others = ['x', 'y', 'z'].map((manager): Applied => ({ manager, body: ownPart(one, manager) }));
    const ends: unknown[] = [];
    for (const order of [others, one.chance.some(others, others.length)]) {
      let end = await one.apply(base);
      for (const applied of order) end = await one.apply(applied);
      ends.push(withoutTimes(end));
      await one.remove(server);
    }
    expect(ends[0]).toEqual(ends[1]);
  }
});

test('what a manager no longer applies goes, and what it never applied stays', async () => {
  await using server = new TestServer();
  const one = new Case(
    server,
    'gone',
    vectorKinds.findIndex(({ plural }) => plural === 'configmaps'),
  );
  const config = (data: Part): Part => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: NAME }, data });
  await one.apply({ manager: 'a', body: config({ a: '1', both: '1' }) });
  await one.apply({ manager: 'b', body: config({ b: '1', both: '1' }) });
  const end = await one.apply({ manager: 'a', body: config({}) });
  expect(end?.['data']).toEqual({ b: '1', both: '1' });
});

/** Annotations and labels that only this applier has. */
function ownPart({ kind, chance }: Case, manager: string): Part {
  const own = (): Part => ({
    [`${manager}.io/0`]: '0',
    ...chance.members({ [`${manager}.io/1`]: () => '1', [`${manager}.io/2`]: () => '2' }, 70),
  });
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: NAME, labels: { [manager]: '1', ...own() }, annotations: own() },
  };
}

function withoutTimes(object: unknown): unknown {
  const normalized = normalize(object, 0) as { metadata: { managedFields: { time?: unknown }[] } };
  for (const entry of normalized.metadata.managedFields) delete entry.time;
  return normalized;
}
