// A whole API server in this process for tests of authorization: the administrator writes objects, other users send requests.
import { parseRuntimeConfig } from '../../api/index.ts';
import { discardLogger, MetricRegistry, SeededRandom, settle, VirtualClock } from '../../base/index.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../cluster/index.ts';
import type { Client } from '../../client/index.ts';
import type { ListingAuthorizer, UserInfo } from '../../apiserver/index.ts';
import type { AuthorizationParts } from '../authorization/authorization.ts';
import { authorizationOf } from '../modes.ts';

const GROUP = 'rbac.authorization.k8s.io';

export interface TestObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

export interface TestBinding {
  readonly namespace?: string;
  /** `Kind name`. */
  readonly role: string;
  /** `Kind name`, for each subject. */
  readonly subjects: readonly string[];
}

export class AccessServer implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly signal: AbortSignal;
  /** The server's authorization modes, without the rule for `system:masters`. */
  readonly authorizer: ListingAuthorizer;
  readonly admin: Client;
  readonly #stop: AbortController;

  constructor(plane: ControlPlane, stop: AbortController, options: Partial<ControlPlaneOptions>) {
    this.plane = plane;
    this.#stop = stop;
    this.signal = stop.signal;
    this.authorizer = authorizationOf(options.access?.authorization ?? {}, authorizationParts(plane));
    this.admin = this.as({ name: 'admin', groups: ['system:masters'] });
  }

  as({ name, groups }: Pick<UserInfo, 'name' | 'groups'>): Client {
    return this.plane.client({ user: name, groups });
  }

  /** Sends a request as a user; returns the object, or `code message` of the refusal. */
  async send(user: Pick<UserInfo, 'name' | 'groups'>, request: string, body?: object): Promise<unknown> {
    const [method = '', path = ''] = request.split(' ');
    await using client = this.as(user);
    try {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      return await client.request({ method: method as 'GET', path, contentType, body });
    } catch (error) {
      const { code, message } = error as { code?: number; message?: string };
      return `${code ?? ''} ${message ?? ''}`;
    }
  }

  async create(plural: string, object: TestObject): Promise<void> {
    const { namespace } = object.metadata;
    const place = namespace === undefined ? '' : `namespaces/${namespace}/`;
    await this.admin.request({ method: 'POST', path: `/apis/${GROUP}/v1/${place}${plural}`, body: object });
    await settle();
  }

  async bind(plural: string, name: string, { namespace, role, subjects }: TestBinding): Promise<void> {
    const [kind = '', ...rest] = role.split(' ');
    await this.create(plural, {
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
      roleRef: { apiGroup: GROUP, kind, name: rest.join(' ') },
      subjects: subjects.map((subject) => {
        const [subjectKind = '', subjectName = ''] = subject.split(' ');
        return { apiGroup: GROUP, kind: subjectKind, name: subjectName };
      }),
    });
  }

  async delete(plural: string, name: string): Promise<void> {
    await this.admin.request({ method: 'DELETE', path: `/apis/${GROUP}/v1/${plural}/${name}` });
    await settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.plane[Symbol.asyncDispose]();
  }
}

/** The dependencies of additional authorizers. */
export function authorizationParts({ server }: ControlPlane): AuthorizationParts {
  const { objects, services } = server;
  const { clock, uids, types } = services;
  return { objects, clock, uids, types, log: discardLogger, metrics: new MetricRegistry() };
}

export async function startAccessServer(options: Partial<ControlPlaneOptions> = {}): Promise<AccessServer> {
  const stop = new AbortController();
  const plane = await startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: parseRuntimeConfig(),
    serviceCidrs: ['10.96.0.0/16'],
    clock: new VirtualClock({ startMs: Date.parse('2026-01-01T00:00:00Z') }),
    random: new SeededRandom('access'),
    log: discardLogger,
    signal: stop.signal,
    ...options,
    admission: { disable: ['ServiceAccount'], ...options.admission },
  });
  return new AccessServer(plane, stop, options);
}
