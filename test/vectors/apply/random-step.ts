import type { Chance } from './chance.ts';
import type { VectorKind } from './vector-kind.ts';
import { type Edit, NAME, NAMESPACE, type StepRequest } from './vector.ts';

type Part = Record<string, unknown>;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MANAGERS = ['m1', 'm2', 'm3'];
/** Left in changed configurations: without them most are invalid, which is not what is recorded here. */
const KEPT = new Set(['apiVersion', 'kind', 'metadata', 'name', 'port', 'secretName', 'operator', 'key', 'path']);

/** Draws the writes of one sequence; remembers what each manager applied last. */
export class StepMaker {
  readonly #chance: Chance;
  readonly #kind: VectorKind;
  readonly #applied = new Map<string, Part>();
  readonly #isKubectl: boolean;

  constructor(chance: Chance, kind: VectorKind) {
    this.#chance = chance;
    this.#kind = kind;
    this.#isKubectl = chance.percent(12);
  }

  /** `live` is the object as it is now, if there is one. */
  next(live: Part | undefined): StepRequest {
    if (live === undefined) return this.#create();
    const draw = this.#chance.random.int(100);
    const { status, hasScale } = this.#kind;
    if (status !== undefined && draw < 14) return this.#statusStep(live);
    if (hasScale === true && draw < 22) return this.#scaleStep(live);
    if (draw < 58) return this.#apply();
    if (draw < 74) return this.#update(live);
    if (draw < 84) return this.#patch('merge', this.#overlay());
    if (draw < 91) return this.#patch('strategic', this.#overlay());
    if (draw < 97) return this.#jsonPatch(live);
    return this.#mistake(live);
  }

  #create(): StepRequest {
    const config = this.#config();
    if (this.#isKubectl) {
      const annotations = { [LAST_APPLIED]: JSON.stringify(config) };
      const body = { ...config, metadata: { ...(config['metadata'] as Part), annotations } };
      return { ...this.#by('kubectl-client-side-apply'), verb: 'create', body };
    }
    return this.#chance.percent(45) ? { ...this.#writer(), verb: 'create', body: config } : this.#apply();
  }

  /** Applies something new, or what the manager applied last with something changed or left out. */
  #apply(): StepRequest {
    const manager = this.#isKubectl && this.#chance.percent(60) ? 'kubectl' : this.#chance.pick(MANAGERS);
    const last = this.#applied.get(manager);
    const body =
      this.#kind.isAppliedWhole === true
        ? this.#config()
        : last !== undefined && this.#chance.percent(55)
          ? this.#changed(last)
          : this.#partial();
    this.#applied.set(manager, body);
    return { ...this.#by(manager), verb: 'apply', body, ...(this.#chance.percent(45) ? { force: true } : {}) };
  }

  /** A whole configuration, or one with only some of it. */
  #partial(): Part {
    const config = this.#config();
    return this.#chance.percent(35) ? this.#changed(config) : config;
  }

  #changed(config: Part): Part {
    const copy = JSON.parse(JSON.stringify(config)) as Part;
    const fresh = this.#chance.percent(50) ? this.#config() : undefined;
    const holders = objectsIn(copy);
    for (let count = this.#chance.between(1, 3); count > 0; count--) {
      const holder = this.#chance.pick(holders);
      const names = Object.keys(holder).filter((name) => !KEPT.has(name));
      if (names.length > 0) delete holder[this.#chance.pick(names)];
    }
    return fresh === undefined ? copy : overlaid(copy, this.#chance.members(thunks(fresh), 50));
  }

  #update(live: Part): StepRequest {
    const { config } = this.#kind;
    const edits: Edit[] = [];
    const overlay = this.#chance.percent(70) ? { ...config(this.#chance), metadata: this.#metadata() } : {};
    collectEdits(this.#chance, overlay, { path: [], edits });
    for (const path of [['metadata', 'labels'], ['metadata', 'annotations'], ['data']] as const) {
      const holder = path.reduce<unknown>((at, name) => (at as Part | undefined)?.[name], live) as Part | undefined;
      const names = Object.keys(holder ?? {});
      if (names.length > 0 && this.#chance.percent(35)) edits.push([[...path, this.#chance.pick(names)]]);
    }
    const managedFields = this.#chance.percent(8) ? this.#chance.pick([null, [], [{}]]) : undefined;
    return { ...this.#writer(), verb: 'update', edits, ...(managedFields === undefined ? {} : { managedFields }) };
  }

  /** A part of a configuration, as patches have it. */
  #overlay(): Part {
    const { config } = this.#kind;
    const overlay = this.#chance.members(thunks({ ...config(this.#chance), metadata: this.#metadata() }), 70);
    if (this.#chance.percent(25))
      overlaid(overlay, { metadata: { labels: { [this.#chance.pick(['a', 'b', 'c'])]: null } } });
    return overlay;
  }

  #patch(verb: 'merge' | 'strategic', body: Part): StepRequest {
    return { ...this.#writer(), verb, body };
  }

  #jsonPatch(live: Part): StepRequest {
    const labels = (live['metadata'] as { labels?: Part }).labels;
    const name = this.#chance.pick(['a', 'b', 'c']);
    const value = this.#chance.pick(['1', '2']);
    const path = `/metadata/labels/${name}`;
    const body =
      labels === undefined
        ? [{ op: 'add', path: '/metadata/labels', value: { [name]: value } }]
        : labels[name] === undefined || this.#chance.percent(50)
          ? [{ op: 'add', path, value }]
          : [
              { op: 'test', path, value: labels[name] },
              { op: 'remove', path },
            ];
    return { ...this.#writer(), verb: 'json', body };
  }

  #statusStep(live: Part): StepRequest {
    const { status, kind, apiVersion } = this.#kind;
    const part = status?.(this.#chance) ?? {};
    const common = { subresource: 'status', apiVersion };
    switch (this.#chance.pick(['apply', 'update', 'merge', 'strategic'] as const)) {
      case 'apply':
        return {
          ...this.#by(this.#chance.pick(MANAGERS)),
          ...common,
          verb: 'apply',
          body: {
            apiVersion,
            kind,
            metadata: { name: NAME, ...this.#chance.members({ labels: () => ({ s: '1' }) }, 20) },
            ...part,
          },
          ...(this.#chance.percent(60) ? { force: true } : {}),
        };
      case 'update': {
        const edits: Edit[] = Object.entries((part['status'] ?? {}) as Part).map(([name, value]) => [
          ['status', name],
          value,
        ]);
        if (this.#chance.percent(20)) edits.push([['metadata', 'labels'], { s: '2' }]);
        return { ...this.#writer(), ...common, verb: 'update', edits };
      }
      case 'merge':
        return { ...this.#writer(), ...common, verb: 'merge', body: part };
      case 'strategic':
        return { ...this.#writer(), ...common, verb: 'strategic', body: live['status'] === undefined ? {} : part };
    }
  }

  #scaleStep(live: Part): StepRequest {
    const replicas = this.#chance.between(0, 4);
    const apiVersion = (live['apiVersion'] as string | undefined) ?? this.#kind.apiVersion;
    const common = { subresource: 'scale', apiVersion };
    switch (this.#chance.pick(['apply', 'update', 'merge'] as const)) {
      case 'apply':
        return {
          ...this.#by(this.#chance.pick(MANAGERS)),
          ...common,
          verb: 'apply',
          body: {
            apiVersion: 'autoscaling/v1',
            kind: 'Scale',
            metadata: { name: NAME, namespace: NAMESPACE },
            spec: { replicas },
          },
          ...(this.#chance.percent(60) ? { force: true } : {}),
        };
      case 'update':
        return { ...this.#writer(), ...common, verb: 'update', edits: [[['spec', 'replicas'], replicas]] };
      case 'merge':
        return { ...this.#writer(), ...common, verb: 'merge', body: { spec: { replicas } } };
    }
  }

  /** What is refused, in as many ways as there are. */
  #mistake(live: Part): StepRequest {
    const config = this.#config();
    const metadata = config['metadata'] as Part;
    const by = this.#by(this.#chance.pick(MANAGERS));
    const body = this.#chance.pick<() => Part>([
      () => ({ ...config, kind: 'Other' }),
      () => ({ ...config, apiVersion: 'x/v9' }),
      () => ({ ...config, unheard: 1 }),
      () => ({ ...config, metadata: { ...metadata, unheard: { of: 1 } } }),
      () => ({ ...config, metadata: { ...metadata, managedFields: [] } }),
      () => ({ ...config, metadata: { ...metadata, resourceVersion: '1' } }),
      () => ({ ...config, metadata: { ...metadata, uid: 'other' } }),
      () => ({ ...config, metadata: { ...metadata, name: 'other' } }),
      () => ({ ...config, metadata: { ...metadata, labels: 'none' } }),
      () => ({
        ...config,
        metadata: { ...metadata, labels: { a: this.#chance.pick<unknown>([5, true, 1e7, [], {}]) } },
      }),
      () => ({ ...config, metadata: { ...metadata, finalizers: ['x.io/a', 'x.io/a'] } }),
      () => ({ ...config, metadata: { ...metadata, ownerReferences: [{}] } }),
      () => ({ ...config, metadata: [] }),
      () => ({ ...config, [Object.keys(live).at(-1) ?? 'spec']: 'text' }),
    ])();
    return { ...by, verb: 'apply', body, force: true };
  }

  #config(): Part {
    const { apiVersion, kind, config, otherVersion } = this.#kind;
    const isOther = otherVersion !== undefined && this.#chance.percent(40);
    const own = isOther ? otherVersion.config(this.#chance) : config(this.#chance);
    return {
      apiVersion: isOther ? otherVersion.apiVersion : apiVersion,
      kind,
      metadata: { name: NAME, ...this.#metadata() },
      ...own,
    };
  }

  #metadata(): Part {
    const chance = this.#chance;
    return chance.members(
      {
        labels: () =>
          chance.members({ a: () => chance.pick(['1', '2']), b: () => chance.pick(['1', '2']), c: () => '3' }, 60),
        annotations: () => chance.members({ 'x.io/a': () => chance.pick(['1', '2']), n: () => '' }, 60),
        finalizers: () => chance.some(['x.io/a', 'x.io/b', 'x.io/c'], 1),
        ownerReferences: () =>
          chance
            .some(['u1', 'u2', 'u3'], 1)
            .map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `o-${uid}`, uid })),
      },
      18,
    );
  }

  #writer(): { apiVersion: string; manager?: string; userAgent?: string } {
    if (this.#chance.percent(12))
      return { apiVersion: this.#kind.apiVersion, userAgent: this.#chance.pick(['agent-a/1.0', 'm1/v2 (x)']) };
    return this.#by(this.#chance.pick(MANAGERS));
  }

  #by(manager: string): { apiVersion: string; manager: string } {
    return { apiVersion: this.#kind.apiVersion, manager };
  }
}

function thunks(part: Part): Record<string, () => unknown> {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, () => value]));
}

function overlaid(target: Part, overlay: Part): Part {
  for (const [name, value] of Object.entries(overlay)) {
    const own = target[name];
    target[name] = isObject(own) && isObject(value) ? overlaid(own, value) : value;
  }
  return target;
}

/** Edits that set some leaves and lists of an overlay. */
function collectEdits(
  chance: Chance,
  overlay: unknown,
  { path, edits }: { path: (string | number)[]; edits: Edit[] },
): void {
  for (const [name, value] of Object.entries(overlay as Part)) {
    const below = [...path, name];
    if (isObject(value) && path.length < 4 && name !== 'selector') collectEdits(chance, value, { path: below, edits });
    else if (chance.percent(40)) edits.push([below, value]);
  }
}

function objectsIn(value: unknown): Part[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

function isObject(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
