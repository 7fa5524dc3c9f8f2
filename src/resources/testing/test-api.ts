import type { ApiObject, Status } from '../../api/index.ts';
import type { AdmissionPlugin, Resource } from '../../apiserver/index.ts';
import type { KubernetesVersion } from '../../base/index.ts';
import { bytesOf, MemoryServer } from '../../apiserver/testing/memory-server.ts';
import type { AdmissionParts } from '../admission/admission-parts.ts';
import { builtInResources } from '../built-in-resources.ts';
import type { BuiltInOptions } from '../kind-environment.ts';
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts';

/** The decoded answer: the object or the Status. */
export interface Reply {
  readonly code: number;
  readonly body: ApiObject & Partial<Status> & Record<string, unknown>;
  readonly warnings: readonly string[];
}

/** An object as a user writes it. */
interface Sent {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: object;
  readonly spec?: unknown;
}

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'kinds'];
const JSON_TYPE = 'application/json';
export const MERGE_PATCH = 'application/merge-patch+json';

/** Admission plugins besides NamespaceLifecycle; the recordings were made without any. */
export type MorePlugins = (parts: AdmissionParts) => readonly AdmissionPlugin[];

interface TestApiOptions extends Partial<BuiltInOptions> {
  /** Default: that of `builtInTypes`. */
  readonly kubernetesVersion?: KubernetesVersion;
}

/** A complete API server with the built-in kinds, in memory and in this process, with the usual namespaces and `kinds`. */
export class TestApi extends MemoryServer {
  readonly resources: readonly Resource[];

  constructor({ kubernetesVersion, ...options }: TestApiOptions = {}, plugins: MorePlugins = () => []) {
    super({
      ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
      admission: (parts) => [namespaceLifecycle(parts), ...plugins(parts)],
      ...(options.random === undefined ? {} : { random: options.random }),
    });
    const { types, objects, random, clock } = this;
    this.resources = builtInResources(types, { objects, random, clock, ...options });
    this.server.registry.register(this.resources);
  }

  static async open(options: TestApiOptions = {}, plugins?: MorePlugins): Promise<TestApi> {
    const api = new TestApi(options, plugins);
    for (const name of NAMESPACES) await api.send('POST', '/api/v1/namespaces', { metadata: { name } });
    return api;
  }

  async send(method: string, path: string, body?: object, type = JSON_TYPE): Promise<Reply> {
    const call = this.callOf(method, path, { body, type, headers: { accept: JSON_TYPE } });
    const answer = this.server.encode(await this.server.answer(call), call);
    const text = (await bytesOf(answer)).toString();
    return { code: answer.code, body: JSON.parse(text === '' ? '{}' : text), warnings: call.record.warnings.texts };
  }

  /** The collection of an object; namespaced objects are in `kinds`. */
  collectionOf({ apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string }): string {
    const found = this.resources.find(
      (resource) => resource.kind === kind && versionOf(resource) === apiVersion && resource.verbs.includes('create'),
    );
    if (found === undefined) throw new Error(`No kind ${kind} of ${apiVersion}`);
    const root = found.group === '' ? '/api/' : '/apis/';
    return `${root}${apiVersion}${found.namespaced ? '/namespaces/kinds' : ''}/${found.plural}`;
  }

  /** Creates an object in its collection. */
  create(object: Sent, query = ''): Promise<Reply> {
    return this.send('POST', this.collectionOf(object) + query, object);
  }
}

function versionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
