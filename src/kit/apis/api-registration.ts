import { isIP } from 'node:net';
import type { DeepReadonly } from '../../base/index.ts';
import { APIService, Service } from '../../client/index.ts';
import type { AppContext, PreparedPart } from '../part.ts';
import type { AccessNeed } from '../rbac/access-need.ts';
import type { HttpsListener, ServiceReference } from '../webhooks/https-listener.ts';
import { Passes } from '../work/passes.ts';
import type { Api } from './api-resource.ts';

/** The Service that leads to the server. */
export interface ServicePlace {
  readonly service: ServiceReference;
  /** True if the registration also creates the Service, as one that leads to this machine. */
  readonly ownsService: boolean;
}

export interface RegistrationSources {
  readonly apis: readonly Api[];
  readonly listener: HttpsListener;
  /** Where API servers reach this server, once it runs. */
  readonly place: () => ServicePlace;
  readonly groupPriorityMinimum?: number;
  readonly versionPriority?: number;
}

/** How often, at most, changes that others made to the registration are undone. */
const PERIOD_MS = 1000;
const HTTPS_PORT = 443;
const MAX_NAME = 63;

/** The Service that is created when the options name none; it is named after the first group. */
export function serviceOf([first]: readonly Api[]): ServiceReference {
  const name = `api-${(first?.group ?? '').replaceAll('.', '-')}`.slice(0, MAX_NAME).replace(/-+$/, '');
  return { namespace: 'default', name };
}

/** The access that creating a Service for this machine needs. Inside a cluster the Service exists already. */
export const OWN_SERVICE_NEED: AccessNeed = { group: '', resource: 'services', verbs: ['create', 'patch'] };

/** The access that the server needs. Reading the ConfigMap is granted by a Role that every cluster has. */
export function registrationNeeds(ownsService: boolean): readonly AccessNeed[] {
  return [
    { group: 'apiregistration.k8s.io', resource: 'apiservices', verbs: ['get', 'list', 'watch', 'create', 'patch'] },
    { group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
    { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
    { group: '', resource: 'namespaces', verbs: ['get'] },
    ...(ownsService ? [OWN_SERVICE_NEED] : []),
  ];
}

/** Writes the APIServices, and the Service that they name, once the server listens; writes them again when they change. */
export class ApiRegistration implements PreparedPart {
  readonly #sources: RegistrationSources;
  readonly #context: AppContext;
  readonly #passes: Passes;
  #isRegistered = false;

  constructor(sources: RegistrationSources, context: AppContext) {
    this.#sources = sources;
    this.#context = context;
    this.#passes = new Passes(context, 'api-registration', {
      period: PERIOD_MS,
      pass: (signal) => this.#write(signal),
    });
    const names = new Set(sources.apis.map(nameOf));
    const changed = ({ metadata }: { readonly metadata: { readonly name: string } }): void => {
      if (names.has(metadata.name)) this.#passes.request();
    };
    const isSame = (left: DeepReadonly<APIService>, right: DeepReadonly<APIService>): boolean =>
      left.metadata?.generation === right.metadata?.generation &&
      JSON.stringify(left.spec) === JSON.stringify(right.spec);
    context.onChange(APIService, {
      update: (service, old) => void (isSame(service, old) || changed(service)),
      delete: changed,
    });
  }

  get unready(): readonly string[] {
    return this.#isRegistered ? [] : ['APIs not registered'];
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#sources.listener.listening();
    using _authority = this.#sources.listener.onAuthority(() => this.#passes.request());
    await this.#passes.run(signal);
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, name: fieldManager } = this.#context;
    const { apis, listener } = this.#sources;
    const { service, ownsService } = this.#sources.place();
    const { groupPriorityMinimum = 1000, versionPriority = 100 } = this.#sources;
    const { host, port: listening } = await listener.listening();
    const how = { fieldManager, force: true, signal };
    const { namespace, name } = service;
    if (ownsService) {
      const externalName = isIP(host) === 0 ? host : 'localhost'; // a name stands for an address within this process
      const spec = { type: 'ExternalName' as const, externalName };
      await client.kind(Service).namespace(namespace).apply({ metadata: { name }, spec }, how);
    }
    const port = ownsService ? listening : (service.port ?? HTTPS_PORT);
    for (const api of apis) {
      const spec = {
        group: api.group,
        version: api.version,
        service: { namespace, name, port },
        caBundle: listener.caBundle,
        groupPriorityMinimum,
        versionPriority,
      };
      await client.kind(APIService).apply({ metadata: { name: nameOf(api) }, spec }, how);
    }
    this.#isRegistered = true;
  }
}

function nameOf({ group, version }: Api): string {
  return `${version}.${group}`;
}
