import { SeededRandom } from '../../src/base/index.ts';
import { both, type Servers } from './compare-definitions.ts';
import type { DefinedVersion, Definition, Json, Schema } from './definition.ts';
import { type Difference, differencesOf } from '../support/differences.ts';
import { madeValue } from './made-object.ts';
import { normalReply } from './normal-form.ts';
import { spoiltObjects } from './spoilt.ts';

/** What came of the objects of one kind in one version. */
export interface Trial {
  readonly kind: string;
  readonly objects: number;
  readonly accepted: number;
  readonly unequal: readonly UnequalAnswer[];
}

/** An object to which the two servers answered differently. */
export interface UnequalAnswer {
  readonly title: string;
  readonly object: Json;
  readonly differences: readonly Difference[];
}

/** How much of what is optional made objects have: one each. */
const SHARES = [0, 0.1, 0.25, 0.5, 0.9];
const MAX_REPAIRS = 6;
const MAX_MANIFESTS = 25;
const MANAGER = 'fieldManager=wild';

/** Creates objects of one version on both servers, without keeping them, and compares what is answered. */
export async function tryVersion(
  { spec }: Definition,
  { name, schema }: DefinedVersion,
  {
    servers,
    manifests,
    seed,
  }: { readonly servers: Servers; readonly manifests: readonly Json[]; readonly seed: number },
): Promise<Trial> {
  const apiVersion = `${spec.group}/${name}`;
  const root: Schema = schema?.openAPIV3Schema ?? {};
  const random = new SeededRandom(`${seed}/${apiVersion}/${spec.names.kind}`);
  const trial = new RunningTrial(`${spec.names.kind}.${apiVersion}`, servers, collectionPath(spec, name));
  const bases: Json[] = [];
  const own = manifests.filter((object) => object['apiVersion'] === apiVersion && object['kind'] === spec.names.kind);
  for (const [index, manifest] of own.slice(0, MAX_MANIFESTS).entries()) {
    const isAccepted = await trial.compare(`manifest ${index}`, inDefault(manifest, spec.scope), 'Strict');
    if (isAccepted) bases.push(inDefault(manifest, spec.scope));
  }
  for (const share of SHARES) {
    const made = madeValue({ ...root, type: 'object' }, { random, share }) as Json;
    const object = { ...made, apiVersion, kind: spec.names.kind, metadata: { name: 'made' } };
    bases.push(await trial.repair(`made ${share}`, object));
  }
  for (const base of bases.slice(-SHARES.length - 2)) {
    const typed = { ...root, properties: root.properties };
    for (const { way, object } of spoiltObjects(base, typed, { random, times: 1 }))
      await trial.compare(way, object, way.startsWith('an unknown field') ? 'Strict' : 'Warn');
  }
  return trial;
}

class RunningTrial implements Trial {
  readonly kind: string;
  objects = 0;
  accepted = 0;
  readonly unequal: UnequalAnswer[] = [];
  readonly #servers: Servers;
  readonly #path: string;

  constructor(kind: string, servers: Servers, path: string) {
    this.kind = kind;
    this.#servers = servers;
    this.#path = path;
  }

  /** True when the real server accepts the object. */
  async compare(title: string, object: Json, fieldValidation: 'Strict' | 'Warn'): Promise<boolean> {
    return (await this.#ask(title, object, fieldValidation)).length === 0;
  }

  /** Takes away what the real server complains of until it accepts the object, or a few times. */
  async repair(title: string, object: Json): Promise<Json> {
    let current = object;
    for (let round = 0; round < MAX_REPAIRS; round += 1) {
      const fields = await this.#ask(round === 0 ? title : `${title}, repaired ${round} times`, current, 'Warn');
      const next = fields.reduce<Json>((left, field) => without(left, field), current);
      if (fields.length === 0 || JSON.stringify(next) === JSON.stringify(current)) return current;
      current = next;
    }
    return current;
  }

  /** The fields that the real server names in its refusal; none when it accepts the object. */
  async #ask(title: string, object: Json, fieldValidation: string): Promise<string[]> {
    const path = `${this.#path}?dryRun=All&${MANAGER}&fieldValidation=${fieldValidation}`;
    const [real, ours] = await both(this.#servers, (server) => server.send('POST', path, { body: object }));
    const differences = differencesOf(normalReply(real), normalReply(ours));
    this.objects += 1;
    if (real.code === 201) this.accepted += 1;
    if (differences.length > 0) this.unequal.push({ title: `${this.kind} ${title}`, object, differences });
    if (real.code === 201) return [];
    const details = real.body['details'] as Json | undefined;
    const fields = ((details?.['causes'] ?? []) as Json[]).map(({ field }) => String(field));
    return fields.length === 0 ? [''] : fields;
  }
}

/** `spec.rules[0].name`: the innermost part of it that is there is taken away. */
function without(object: Json, field: string): Json {
  const path = [...field.matchAll(/[^.[\]]+/g)].map(([step]) => step);
  while (path.length > 1 && valueAt(object, path) === undefined) path.pop();
  const [last = ''] = path.slice(-1);
  if (path.length < 2) return object;
  const copy = JSON.parse(JSON.stringify(object)) as Json;
  const parent = valueAt(copy, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (typeof parent === 'object' && parent !== null) delete (parent as Json)[last];
  return copy;
}

function valueAt(object: Json, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Json | undefined | null)?.[step], object);
}

/** A manifest for the namespace `default`, with its own name where the server would draw one. */
function inDefault(manifest: Json, scope: string): Json {
  const { namespace: _namespace, generateName, ...metadata } = (manifest['metadata'] ?? {}) as Json;
  const name = (metadata['name'] ?? `${generateName ?? ''}made`) as string;
  return { ...manifest, metadata: { ...metadata, name, ...(scope === 'Namespaced' ? { namespace: 'default' } : {}) } };
}

function collectionPath({ group, scope, names }: Definition['spec'], version: string): string {
  const place = scope === 'Namespaced' ? 'namespaces/default/' : '';
  return `/apis/${group}/${version}/${place}${names.plural}`;
}
