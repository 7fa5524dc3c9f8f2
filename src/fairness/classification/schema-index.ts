import type { PolicyRulesWithSubjects } from '../../api/types/flowcontrol/v1.d.ts';
import type { RequestInfo, UserInfo } from '../../apiserver/index.ts';
import { compileFlowRules, type FlowTest } from './flow-rules.ts';

const ACCOUNT = 'system:serviceaccount:';

/**
 * Finds the first schema that matches a request, trying only schemas that mention its user: by name, by group, by
 * namespace of a service account, or because they match all users.
 */
export class SchemaIndex<Schema> {
  readonly #schemas: readonly Schema[];
  readonly #tests: readonly FlowTest[];
  /** Positions of schemas, by the subject they mention. */
  readonly #places = new Map<string, number[]>();
  /** The positions relevant for a user: most users' requests share one UserInfo object. */
  readonly #byUser = new WeakMap<UserInfo, readonly number[]>();

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
    for (const place of this.#placesFor(user)) {
      if (this.#tests[place]?.(info, user) === true) return this.#schemas[place];
    }
    return undefined;
  }

  #placesFor(user: UserInfo): readonly number[] {
    const known = this.#byUser.get(user);
    if (known !== undefined) return known;
    const { name, groups } = user;
    const account = name.startsWith(ACCOUNT) ? name.slice(ACCOUNT.length, name.indexOf(':', ACCOUNT.length)) : '';
    const mentions = ['*', `u${name}`, `a${account}`, ...groups.map((group) => `g${group}`)];
    const places = new Set(mentions.flatMap((mention) => this.#places.get(mention) ?? []));
    const sorted = [...places].sort((left, right) => left - right);
    this.#byUser.set(user, sorted);
    return sorted;
  }
}

function mentionsOf({ subjects }: PolicyRulesWithSubjects): string[] {
  return subjects.flatMap(({ kind, user, group, serviceAccount }) => {
    if (kind === 'User' && user !== undefined) return user.name === '*' ? '*' : `u${user.name}`;
    if (kind === 'Group' && group !== undefined) return group.name === '*' ? '*' : `g${group.name}`;
    if (kind === 'ServiceAccount' && serviceAccount !== undefined) return `a${serviceAccount.namespace}`;
    return [];
  });
}
