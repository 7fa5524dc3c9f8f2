import type { PolicyRulesWithSubjects } from '../../api/types/flowcontrol/v1.d.ts';
import type { RequestInfo, UserInfo } from '../../apiserver/index.ts';
import { compileFlowRules, type FlowTest } from './flow-rules.ts';

const ACCOUNT = 'system:serviceaccount:';

/**
 * Finds the first schema that means a request, looking only at schemas that mention its user: by name, by group, by namespace
 * of a service account, or because they mean everybody.
 */
export class SchemaIndex<Schema> {
  readonly #schemas: readonly Schema[];
  readonly #tests: readonly FlowTest[];
  /** Places of schemas in their order, by whom they mention. */
  readonly #places = new Map<string, number[]>();

  /** The schemas in the order in which they are tried. */
  constructor(schemas: readonly Schema[], rulesOf: (schema: Schema) => readonly PolicyRulesWithSubjects[]) {
    this.#schemas = schemas;
    this.#tests = schemas.map((schema) => compileFlowRules(rulesOf(schema)));
    schemas.forEach((schema, place) => {
      for (const mention of new Set(rulesOf(schema).flatMap(mentionsOf))) {
        const known = this.#places.get(mention);
        if (known === undefined) this.#places.set(mention, [place]);
        else known.push(place);
      }
    });
  }

  first(info: RequestInfo, user: UserInfo): Schema | undefined {
    const lists = this.#listsOf(user);
    for (let place = nextPlace(lists, -1); place !== Infinity; place = nextPlace(lists, place)) {
      if (this.#tests[place]?.(info, user) === true) return this.#schemas[place];
    }
    return undefined;
  }

  #listsOf({ name, groups }: UserInfo): PlaceList[] {
    const lists: PlaceList[] = [];
    const add = (mention: string): void => {
      const places = this.#places.get(mention);
      if (places !== undefined) lists.push({ places, next: 0 });
    };
    add('*');
    add(`u${name}`);
    if (name.startsWith(ACCOUNT)) add(`a${name.slice(ACCOUNT.length, name.indexOf(':', ACCOUNT.length))}`);
    for (const group of groups) add(`g${group}`);
    return lists;
  }
}

interface PlaceList {
  readonly places: readonly number[];
  next: number;
}

/** The first place in any list that comes after the given one. */
function nextPlace(lists: readonly PlaceList[], after: number): number {
  let least = Infinity;
  for (const list of lists) {
    while ((list.places[list.next] ?? Infinity) <= after) list.next += 1;
    least = Math.min(least, list.places[list.next] ?? Infinity);
  }
  return least;
}

function mentionsOf({ subjects }: PolicyRulesWithSubjects): string[] {
  return subjects.flatMap(({ kind, user, group, serviceAccount }) => {
    if (kind === 'User' && user !== undefined) return user.name === '*' ? '*' : `u${user.name}`;
    if (kind === 'Group' && group !== undefined) return group.name === '*' ? '*' : `g${group.name}`;
    if (kind === 'ServiceAccount' && serviceAccount !== undefined) return `a${serviceAccount.namespace}`;
    return [];
  });
}
