import type { ListShape, Struct } from '../../../src/api/index.ts';
import type { Chance } from '../apply/chance.ts';

type Part = Record<string, unknown>;

/** Sprinkles directives over a patch, in place, where its type has lists and objects; some of them make no sense. */
export class DirectiveSprinkler {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  sprinkle(patch: Part, live: unknown, struct: Struct): void {
    const own = isObject(live) ? live : {};
    for (const name of Object.keys(patch)) {
      const field = struct.field(name);
      if (field === undefined) continue;
      const value = patch[name];
      if (field.shape.kind === 'struct' && isObject(value)) this.sprinkle(value, own[name], field.shape.struct);
      if (field.shape.kind === 'list' && Array.isArray(value)) {
        this.#sprinkleList(patch, name, { live: own[name], shape: field.shape, mergeKey: field.mergeKey ?? '' });
      }
      if (field.shape.kind === 'map' && isObject(value) && this.#chance.percent(6))
        value['$patch'] = this.#chance.pick(['replace', 'delete']);
    }
    this.#sprinkleObject(patch, own);
  }

  #sprinkleObject(patch: Part, live: Part): void {
    const chance = this.#chance;
    if (chance.percent(2))
      patch['$patch'] = chance.pick(['replace', 'replace', 'delete', 'delete', 'merge', 'bogus', 5]);
    if (chance.percent(4)) {
      const names = [...new Set([...Object.keys(patch), ...Object.keys(live)])].filter((name) => !name.startsWith('$'));
      patch['$retainKeys'] = chance.percent(8)
        ? 'text'
        : chance.percent(80)
          ? [...Object.keys(patch).filter((name) => !name.startsWith('$')), ...chance.some(names)]
          : chance.some(names);
    }
    for (const name of Object.keys(live))
      if (chance.percent(4) && !['metadata', 'spec', 'kind', 'apiVersion'].includes(name)) patch[name] = null;
  }

  #sprinkleList(
    patch: Part,
    name: string,
    list: { readonly live: unknown; readonly shape: ListShape; readonly mergeKey: string },
  ): void {
    const chance = this.#chance;
    const items = patch[name] as unknown[];
    const live = Array.isArray(list.live) ? (list.live as unknown[]) : [];
    const { element } = list.shape;
    const { mergeKey } = list;
    if (element.kind === 'struct') {
      for (const item of items)
        if (isObject(item))
          this.sprinkle(
            item,
            live.find((one) => isObject(one) && one[mergeKey] === item[mergeKey]),
            element.struct,
          );
      if (chance.percent(25)) {
        const marked: Part = {
          $patch: chance.pick(['delete', 'delete', 'delete', 'delete', 'replace', 'replace', 'merge', 'bogus']),
        };
        const victim = chance.percent(80) && live.length > 0 ? chance.pick(live) : { [mergeKey]: 'nobody' };
        if (mergeKey !== '' && chance.percent(96)) marked[mergeKey] = (victim as Part)[mergeKey];
        items.splice(chance.between(0, items.length), 0, marked);
      }
    } else if (chance.percent(25)) {
      patch[`$deleteFromPrimitiveList/${name}`] = chance.percent(90) ? chance.some([...live, 'nobody'], 1) : 'text';
    }
    if (chance.percent(30)) patch[`$setElementOrder/${name}`] = this.#order(live, items, mergeKey);
    if (chance.percent(8)) delete patch[name];
    if (chance.percent(1)) items.push(chance.pick<unknown>([7, 'text', [1], {}]));
  }

  /** Mostly an order that the patch list is in; live items come in between. */
  #order(live: readonly unknown[], items: readonly unknown[], mergeKey: string): unknown {
    const chance = this.#chance;
    if (chance.percent(3)) return chance.pick<unknown>(['text', [], [1], [{}]]);
    const keyOf = (item: unknown): unknown =>
      mergeKey === '' ? item : isObject(item) && item['$patch'] === undefined ? item[mergeKey] : undefined;
    const own = items.map(keyOf).filter((key) => key !== undefined && typeof key !== 'object');
    const keys = chance.percent(92) ? [...new Set(own)] : chance.some([...new Set(own)]);
    for (const key of live.map(keyOf)) {
      if (key !== undefined && typeof key !== 'object' && !keys.includes(key) && chance.percent(60))
        keys.splice(chance.between(0, keys.length), 0, key);
    }
    return mergeKey === '' ? keys : keys.map((key) => ({ [mergeKey]: key }));
  }
}

/** A JSON Patch of a few operations on an object; most paths in it exist. */
export function randomJsonPatch(chance: Chance, live: unknown): unknown[] {
  const pointers = pointersIn(live);
  const any = (): string =>
    chance.percent(85)
      ? chance.pick(pointers)
      : chance.pick([
          '',
          '/nope',
          '/nope/deep',
          '/metadata/labels/-',
          '/metadata/a~1b',
          'metadata',
          '/spec/-1',
          '/metadata/finalizers/-',
          '/metadata/finalizers/-1',
          '/metadata/finalizers/9',
        ]);
  const value = (): unknown => chance.pick<unknown>(['text', 5, true, null, {}, [], { a: 'b' }, ['x'], '5']);
  return Array.from({ length: chance.between(1, 3) }, () => {
    const op = chance.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'add', 'replace', 'bogus']);
    const operation: Part = { op, path: any() };
    if (op === 'move' || op === 'copy') operation['from'] = any();
    if (op === 'test')
      operation['value'] =
        chance.percent(70) && !['', '/metadata'].includes(operation['path'] as string)
          ? valueAt(live, operation['path'] as string)
          : value();
    if (op === 'add' || op === 'replace') operation['value'] = chance.percent(60) ? 'text' : value();
    if (chance.percent(3)) delete operation[chance.pick(['op', 'path', 'value', 'from'])];
    if (chance.percent(2)) operation['unheard'] = 1;
    return operation;
  });
}

/** What differs from run to run, and status, which a patch of the object does not change. */
const VOLATILE =
  /^\/(?:metadata\/(?:managedFields|uid|resourceVersion|creationTimestamp|generation|name|namespace)|status)$/;

function pointersIn(value: unknown, prefix = ''): string[] {
  if (VOLATILE.test(prefix)) return [];
  if (typeof value !== 'object' || value === null) return prefix === '' ? [] : [prefix];
  return [
    ...(prefix === '' ? [] : [prefix]),
    ...Object.entries(value).flatMap(([name, member]) =>
      pointersIn(member, `${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  ];
}

function valueAt(value: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return (
    steps.reduce<unknown>(
      (at, step) =>
        typeof at === 'object' && at !== null
          ? (at as Part)[step.replaceAll('~1', '/').replaceAll('~0', '~')]
          : undefined,
      value,
    ) ?? null
  );
}

function isObject(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
