import { SeededRandom } from '../../src/base/index.ts';
import { type BaseObject, collectionPath } from './base-objects.ts';
import { Damager } from './damage.ts';
import { edited, type Edit, type Members } from './edits.ts';

export type Verb = 'create' | 'update' | 'status' | 'apply';
export type FieldValidation = (typeof FIELD_VALIDATIONS)[number];

const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;

/** One request: a damaged base object, sent as a dry run. */
export interface Case {
  readonly base: string;
  readonly verb: Verb;
  readonly validation: FieldValidation;
  readonly edits: readonly Edit[];
}

/** How often a kind is chosen, compared with the others. */
const WEIGHTS: Readonly<Record<string, number>> = {
  Pod: 8,
  PersistentVolume: 3,
  Service: 3,
  ResourceClaim: 2,
  ResourceSlice: 2,
  Deployment: 2,
  Job: 2,
};

/** Makes cases: the same seed, verb and number give the same case. */
export class CaseMaker {
  readonly #bases: readonly BaseObject[];
  readonly #damager: Damager;

  constructor(bases: readonly BaseObject[]) {
    this.#bases = bases;
    this.#damager = new Damager(bases.map(({ object, resource }) => ({ object, type: resource.type })));
  }

  /** `verb` is what the part of the corpus is about: creates include applies of new objects, updates those of the status. */
  make(verb: 'create' | 'update', seed: string, number: number): Case {
    const random = new SeededRandom(`${seed}/${verb}/${number}`);
    const chosen = this.#chooseBase(random, verb);
    const dice = random.float();
    const isStatus = verb === 'update' && hasStatus(chosen) && dice < 0.3;
    const isApply = dice > 0.9 && isStored(chosen);
    const kinds = ['Warn', 'Warn', 'Strict', 'Ignore'] as const;
    const validation = kinds[random.int(kinds.length)] ?? 'Warn';
    const sent = isStatus ? chosen.object : withoutStatus(chosen);
    const edits = this.#damager.damage(sent, chosen.resource.type, { random, part: isStatus ? 'status' : 'all' });
    return {
      base: chosen.id,
      verb: isStatus ? 'status' : isApply ? 'apply' : verb,
      validation,
      edits: edits.map(plain),
    };
  }

  /** The case with each value of fieldValidation, and once more as server-side apply where its objects can be applied. */
  inEveryMode(made: Case): readonly Case[] {
    const cases = FIELD_VALIDATIONS.map((validation): Case => ({ ...made, validation }));
    const base = this.#bases.find(({ id }) => id === made.base);
    const isApplied = base !== undefined && isStored(base) && made.verb !== 'apply' && made.verb !== 'status';
    return isApplied ? [...cases, { ...made, verb: 'apply' }] : cases;
  }

  #chooseBase(random: SeededRandom, verb: 'create' | 'update'): BaseObject {
    const possible = verb === 'create' ? this.#bases : this.#bases.filter(isStored);
    const kinds = [...new Set(possible.map(({ kind, resource }) => `${kind} ${resource.group}`))];
    const weighted = kinds.flatMap((kind) =>
      Array.from({ length: WEIGHTS[kind.split(' ')[0] ?? ''] ?? 1 }, () => kind),
    );
    const kind = weighted[random.int(weighted.length)];
    const ofKind = possible.filter((base) => `${base.kind} ${base.resource.group}` === kind);
    const chosen = ofKind[random.int(ofKind.length)];
    if (chosen === undefined) throw new Error('Cannot choose a base object: there is none');
    return chosen;
  }
}

/** The edit as it can be recorded: without parts that are the same object. */
function plain(edit: Edit): Edit {
  if (!('value' in edit)) return edit;
  return {
    path: edit.path,
    value: edit.value === undefined ? null : (JSON.parse(JSON.stringify(edit.value)) as unknown),
  };
}

/** Whether objects of the kind can be stored under the base's name and changed. */
export function isStored({ resource, object }: BaseObject): boolean {
  return resource.verbs.includes('update') && nameOf(object) !== undefined;
}

export function hasStatus({ resource, object }: BaseObject): boolean {
  return object['status'] !== undefined && resource.subresources.some(({ name }) => name === 'status');
}

/** Objects are created without a status where only the status subresource keeps it. */
export function withoutStatus(base: BaseObject): Members {
  if (!hasStatus(base)) return base.object;
  const { status: _, ...rest } = base.object;
  return rest;
}

export interface Request {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly type: string;
  readonly body: Members;
}

/** The base's own status where the server has refused it. */
function withSomeStatus(stored: Members, { object }: BaseObject): Members {
  const isEmpty = Object.keys((stored['status'] as Members | undefined) ?? {}).length === 0;
  return isEmpty ? { ...stored, status: object['status'] } : stored;
}

const APPLY = 'application/apply-patch+yaml';

/** The request of a case; updates change what the server has stored, as a client does that reads before it writes. */
export function requestOf(played: Case, base: BaseObject, stored: Members | undefined): Request {
  const { verb, validation, edits } = played;
  const isUpdate = verb === 'update' || verb === 'status';
  const current = stored ?? base.object;
  const sent = verb === 'status' ? withSomeStatus(current, base) : isUpdate ? current : withoutStatus(base);
  const body = edited(sent, edits);
  const query = `dryRun=All&fieldValidation=${validation}`;
  const collection = collectionPath(base);
  const item = `${collection}/${nameOf(base.object) ?? ''}`;
  switch (verb) {
    case 'create':
      return { method: 'POST', path: `${collection}?${query}`, type: 'application/json', body };
    case 'apply':
      return { method: 'PATCH', path: `${item}?${query}&fieldManager=corpus&force=true`, type: APPLY, body };
    case 'update':
      return { method: 'PUT', path: `${item}?${query}`, type: 'application/json', body };
    case 'status':
      return { method: 'PUT', path: `${item}/status?${query}`, type: 'application/json', body };
  }
}

export function nameOf(object: Members): string | undefined {
  return (object['metadata'] as { name?: string } | undefined)?.name;
}

/** One line that says what a case does. */
export function describeCase({ base, verb, validation, edits }: Case): string {
  const changes = edits.map(
    ({ path, ...edit }) =>
      `${path.join('.')}${'value' in edit ? `=${JSON.stringify(edit.value)?.slice(0, 300)}` : ' removed'}`,
  );
  return `${verb} ${base} (${validation}) ${changes.join(' | ')}`;
}
