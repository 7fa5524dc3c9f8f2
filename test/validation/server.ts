import { setTimeout } from 'node:timers/promises';
import { ADDED_VERSIONS, parseRuntimeConfig } from '../../src/api/index.ts';
import type { KubernetesVersion } from '../../src/base/index.ts';
import { bytesOf } from '../../src/apiserver/testing/memory-server.ts';
import { inProcessCall } from '../../src/apiserver/transport/in-process-call.ts';
import { startTestCluster } from '../support/test-cluster.ts';
import { KubeClient } from '../vectors/apply/kube-client.ts';
import { type Answer, givenValues, normalized } from './answer.ts';
import { type BaseObject, collectionPath } from './base-objects.ts';
import { type Case, hasStatus, isStored, nameOf, type Request, requestOf } from './case.ts';
import type { Members } from './edits.ts';

type Send = (request: { method: string; path: string; type: string; body: string }) => Promise<Answer>;

/** Objects that base objects need: pods name these classes, and every namespace has the account that pods run as. */
const FIXTURES: readonly (readonly [path: string, object: Members])[] = [
  [
    '/apis/node.k8s.io/v1/runtimeclasses',
    {
      metadata: { name: 'runtime-class' },
      handler: 'gvisor',
      overhead: { podFixed: { cpu: '250m', memory: '64Mi' } },
      scheduling: { nodeSelector: { gvisor: 'true' } },
    },
  ],
  [
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' },
  ],
];

/** The same in the namespaces of base objects. */
const NAMESPACED_FIXTURES: readonly (readonly [path: string, object: Members])[] = [
  [
    '/api/v1/namespaces/base-binding/pods',
    { metadata: { name: 'binding' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  ],
];

/** Beta versions are base objects, too, also of kinds that the real server has behind gates only. */
export const RUNTIME_CONFIG = 'api/beta=true';
export const FEATURE_GATES = 'StorageVersionMigrator=true,ClusterTrustBundle=true,PodCertificateRequest=true';

const SETTLING_MS = 300;

interface Stored {
  readonly object: Members;
  /** What the server chose, by text: uids, times, addresses. */
  readonly given: ReadonlyMap<string, string>;
}

/** A stored object as a client sends it back, without the record of who wrote what. */
function withoutOwners(object: Members): Members {
  const { managedFields: _, ...metadata } = (object['metadata'] ?? {}) as Members;
  return { ...object, metadata };
}

/** A server that cases are played on. */
export class PlayedServer {
  readonly #send: Send;
  readonly #bases: ReadonlyMap<string, BaseObject>;
  readonly #stored = new Map<string, Stored>();

  constructor(send: Send, bases: readonly BaseObject[]) {
    this.#send = send;
    this.#bases = new Map(bases.map((base) => [base.id, base]));
  }

  /** Makes namespaces and fixtures: cases of creates can then be played. */
  async prepare(): Promise<void> {
    for (const [path, object] of FIXTURES)
      await this.#must({ method: 'POST', path, type: 'application/json', body: object });
    for (const { namespace: name } of this.#bases.values()) {
      if (name === undefined) continue;
      await this.#must({
        method: 'POST',
        path: '/api/v1/namespaces',
        type: 'application/json',
        body: { metadata: { name } },
      });
      const path = `/api/v1/namespaces/${name}/serviceaccounts`;
      await this.#must({ method: 'POST', path, type: 'application/json', body: { metadata: { name: 'default' } } });
    }
    for (const [path, object] of NAMESPACED_FIXTURES)
      await this.#must({ method: 'POST', path, type: 'application/json', body: object });
  }

  /** Stores the base objects: cases of updates can then be played. */
  async store(): Promise<void> {
    for (const base of this.#bases.values()) {
      if (!isStored(base)) continue;
      const collection = collectionPath(base);
      const stored = await this.#send({
        method: 'POST',
        path: collection,
        type: 'application/json',
        body: JSON.stringify(base.object),
      });
      if (stored.code >= 300) console.log(`not stored: ${base.id}: ${JSON.stringify(stored.body)}`);
      const path = `${collection}/${nameOf(base.object) ?? ''}`;
      if (hasStatus(base))
        await this.#send({
          method: 'PUT',
          path: `${path}/status`,
          type: 'application/json',
          body: JSON.stringify(base.object),
        });
    }
    for (const base of this.#bases.values()) {
      if (!isStored(base)) continue;
      const path = `${collectionPath(base)}/${nameOf(base.object) ?? ''}`;
      const body = await this.#settled(path);
      this.#stored.set(base.id, { object: withoutOwners(body), given: givenValues(body, base.object) });
    }
  }

  /** The object once the server has stopped changing it: definitions get conditions after they are stored. */
  async #settled(path: string): Promise<Members> {
    for (let last = ''; ;) {
      const { body } = await this.#send({ method: 'GET', path, type: 'application/json', body: '' });
      const version = (body['metadata'] as { resourceVersion?: string } | undefined)?.resourceVersion ?? '';
      if (version === last || body['kind'] !== 'CustomResourceDefinition') return body;
      last = version;
      await setTimeout(SETTLING_MS);
    }
  }

  async play(played: Case): Promise<Answer> {
    const base = this.#bases.get(played.base);
    if (base === undefined) throw new Error(`Cannot play a case of "${played.base}": there is no such base object`);
    const isStored = played.verb === 'update' || played.verb === 'status';
    const stored = isStored ? this.#stored.get(base.id) : undefined;
    const request = requestOf(played, base, stored?.object);
    const body = JSON.stringify(request.body);
    return normalized(await this.#send({ ...request, body }).catch(brokenOff), body, stored?.given);
  }

  async #must({
    body,
    ...request
  }: Omit<Request, 'method' | 'body'> & { method: string; body: Members | undefined }): Promise<Answer> {
    const answer = await this.#send({ ...request, body: body === undefined ? '' : JSON.stringify(body) });
    if (answer.code >= 300) throw new Error(`Cannot ${request.method} ${request.path}: ${JSON.stringify(answer.body)}`);
    return answer;
  }
}

/** The code of an answer that there is none. */
export const NO_ANSWER = 0;

/** kube-apiserver closes the connection of a request whose handling fails by a fault in its own code. */
function brokenOff(problem: unknown): Answer {
  if ((problem as NodeJS.ErrnoException).code !== 'ECONNRESET') throw problem;
  return { code: NO_ANSWER, warnings: [], body: { message: 'the server closed the connection' } };
}

/** The server of a kubeconfig. */
export function remoteServer(kubeconfig: string, bases: readonly BaseObject[]): PlayedServer & Disposable {
  const client = new KubeClient(kubeconfig);
  const send: Send = ({ method, path, type, body }) =>
    client.send(method, path, { ...(body === '' ? {} : { body }), type, userAgent: 'validation' });
  const server = new PlayedServer(send, bases);
  return Object.assign(server, { [Symbol.dispose]: () => client.close() });
}

/** Our API server alone, in this process, without a connection; by default of the default version. */
export async function ownServer(
  bases: readonly BaseObject[],
  kubernetesVersion?: KubernetesVersion,
): Promise<PlayedServer & AsyncDisposable> {
  const cluster = await startTestCluster({
    kubernetesVersion,
    admission: { disable: [] },
    runtimeConfig: parseRuntimeConfig(RUNTIME_CONFIG, ...ADDED_VERSIONS.map((version) => `${version}=false`)),
  });
  const { plane, clock } = cluster;
  const certificate = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
  const send: Send = async ({ method, path, type, body }) => {
    const headers = { accept: 'application/json', 'content-type': type, 'user-agent': 'validation' };
    const call = inProcessCall({ method, path, headers, body, certificate, clock });
    const encoded = plane.server.encode(await plane.server.answer(call), call);
    const text = (await bytesOf(encoded)).toString();
    const value = text.startsWith('{') ? (JSON.parse(text) as Members) : { message: text };
    return { code: encoded.code, warnings: [...call.record.warnings.texts], body: value };
  };
  const server = new PlayedServer(send, bases);
  return Object.assign(server, { [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() });
}
