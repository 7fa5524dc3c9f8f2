import { NAMESPACE_TERMINATING } from '../api/meaning/index.ts';
import { forbidden, notFound, StatusError } from '../api/index.ts';
import type { ApiObject, TypeTable } from '../api/index.ts';
import type { Namespace } from '../api/types/core/v1.d.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../apiserver/index.ts';
import type { Clock } from '../base/index.ts';
import type { InProcessStore, Store } from '../store/index.ts';
import { refusal } from './admission/refusal.ts';
import type { Whole } from './kind.ts';
import { type CodecFor, storageOfKind } from './other-objects.ts';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);
const NAMESPACES = { group: '', resource: 'namespaces' };

/** How long a namespace that was seen alive counts as alive, where looking again is a call to another machine. */
const FRESH_MS = 1000;
/** Most namespaces that are remembered so; the oldest make room. */
const MAX_REMEMBERED = 1000;

export interface NamespaceLifecycleOptions {
  readonly store: Store;
  readonly codecFor: CodecFor;
  readonly types: TypeTable;
  readonly clock: Clock;
}

type Phase = 'Active' | 'Terminating' | 'missing';

/**
 * Nothing is written into a namespace that is not there, nothing new into one that is going away, and the namespaces
 * that every cluster needs are not deleted.
 */
export function namespaceLifecycle(options: NamespaceLifecycleOptions): AdmissionPlugin {
  const phases = new Phases(options);
  return {
    name: 'NamespaceLifecycle',
    async mutate(request) {
      const { operation, resource, namespace, name } = request;
      const isNamespace = resource.group === '' && resource.plural === 'namespaces';
      if (isNamespace) {
        if (operation === 'DELETE' && IMMORTAL.has(name))
          throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
        phases.forget(name);
        return;
      }
      if (namespace === '' || !resource.namespaced || operation === 'DELETE' || isAccessReview(request)) return;
      const phase = await phases.of(namespace);
      if (phase === 'missing') throw notFound(NAMESPACES, namespace);
      if (phase === 'Terminating' && operation === 'CREATE') throw terminating(request);
    },
  };
}

/** Telling who asks that a namespace is not there would tell too much. */
function isAccessReview({ resource }: AdmissionRequest): boolean {
  return resource.group === 'authorization.k8s.io' && resource.plural === 'localsubjectaccessreviews';
}

function terminating(request: AdmissionRequest): StatusError {
  const { namespace } = request;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = refusal(request, why);
  const cause = {
    reason: NAMESPACE_TERMINATING,
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message: status.message ?? '',
    details: { ...status.details, causes: [cause] },
  });
}

/** What state namespaces are in. A store in this process is asked every time, another machine at most once a second. */
class Phases {
  readonly #store: Store;
  readonly #decode: (value: Uint8Array) => ApiObject;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #isNear: boolean;
  readonly #known = new WeakMap<Uint8Array, Phase>();
  readonly #seenAlive = new Map<string, number>();

  constructor({ store, codecFor, types, clock }: NamespaceLifecycleOptions) {
    const storage = storageOfKind(types, 'namespaces', { group: '', version: 'v1', kind: 'Namespace' });
    const codec = codecFor(storage);
    this.#store = store;
    this.#decode = (value) => codec.decode(value);
    this.#prefix = storage.storage.prefix;
    this.#clock = clock;
    this.#isNear = typeof (store as Partial<InProcessStore>).readNow === 'function';
  }

  forget(name: string): void {
    this.#seenAlive.delete(name);
  }

  async of(name: string): Promise<Phase> {
    if (!this.#isNear && this.#clock.now() - (this.#seenAlive.get(name) ?? -Infinity) < FRESH_MS) return 'Active';
    const entry = await this.#store.get(`${this.#prefix}${name}`);
    const phase = entry === undefined ? 'missing' : this.#phaseIn(entry.value);
    if (!this.#isNear && phase === 'Active') this.#remember(name);
    return phase;
  }

  #phaseIn(value: Uint8Array): Phase {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const { status } = this.#decode(value) as unknown as Whole<Namespace>;
    const phase = status.phase === 'Terminating' ? 'Terminating' : 'Active';
    this.#known.set(value, phase);
    return phase;
  }

  #remember(name: string): void {
    this.#seenAlive.delete(name);
    this.#seenAlive.set(name, this.#clock.now());
    if (this.#seenAlive.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#seenAlive.keys();
    if (oldest !== undefined) this.#seenAlive.delete(oldest);
  }
}
